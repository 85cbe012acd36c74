import { tokenInUse } from '../../machines/session-selectors.ts'
import { assertKnown, type Names } from '../assert-known.ts'
import { createDeviceAuthorization } from '../client/create-device-authorization.ts'
import { OF_A_NEW_FLOW } from '../client/read-options.ts'
import { AuthgraphError, BadOptionError, LoginRequiredError } from '../errors.ts'
import { github } from '../protocol/providers.ts'
import {
  createSession,
  isStoredInTime,
  type Session,
  type SessionOptions,
  settledOf,
} from '../session/create-session.ts'
import { keepInTime } from '../session/keep-in-time.ts'
import { holdSignals } from '../session/node/hold-signals.ts'
import { keyringOrFile } from '../session/node/keyring-or-file.ts'
import type { SessionStore } from '../session/session-store.ts'
import { viewOfSession } from '../session/view-of-session.ts'
import { probeStore } from '../store/probe.ts'
import { readCommandLine } from './command-line.ts'
import { exitCodeOf } from './exit-codes.ts'
import { failure } from './failure.ts'
import { type LoginFacts, loginEvent, loginLines, logoutLines, newLoginReport } from './login-facts.ts'
import { inTerminal, viaActor } from './login-in-terminal.ts'
import { type Failure, type TerminalTexts, terminalTexts } from './texts.ts'
import { userAddressOf, whoIs } from './who-is.ts'
import { type Line, markedLine, styled, toType, visibleJson, writerTo } from './writer.ts'

/** Options of `loginCommands`: those of a session, and three that differ. */
export interface LoginCommandsOptions extends Omit<SessionOptions, 'name' | 'data' | 'store' | 'onCodes'> {
  /** The name of your command, as users type it. It also names the folder of the login, and its key in the keyring. */
  readonly name: string
  /**
   * Where the login is stored. Default: a file that only the user can read, encrypted with a key in the system keyring.
   * Where there is no keyring, the file is in plain text: `login` says so before it shows the code.
   */
  readonly store?: SessionStore
  /** Texts of `login` and of errors that replace the default ones. */
  readonly texts?: Partial<TerminalTexts>
}

const KNOWN: Names<LoginCommandsOptions> = {
  ...OF_A_NEW_FLOW,
  name: true,
  store: true,
  minValidity: true,
  texts: true,
}

/** Options of the commands. Each of them uses some. */
export interface LoginCommandOptions {
  /** Cancels the command. */
  readonly signal?: AbortSignal | undefined
  /** Of `login`: the scopes to request. Default: those of `loginCommands`. */
  readonly scopes?: readonly string[] | undefined
  /**
   * Of `login` and `status`: print JSON, for programs. Default: false. `login` prints an object per line, with the `event`
   * `notice`, `codes`, `state`, `authorized` or `failed`.
   */
  readonly json?: boolean | undefined
}

/**
 * The commands of a login. Each prints what it was asked for to standard output, and anything else to standard error; it
 * resolves to the exit code, and rejects only with what is a bug.
 */
export interface LoginCommands {
  /**
   * The login, for API calls: `createApi({ auth: commands.session })`.
   *
   * @throws {@link BadOptionError} if an option is missing or invalid. The commands print it.
   */
  readonly session: Session
  /**
   * Runs the command that the words name, with its options; prints the help for `--help` and for no word.
   *
   * @param words Such as `process.argv.slice(2)`.
   */
  run(words: readonly string[], options?: Pick<LoginCommandOptions, 'signal'>): Promise<number>
  /** Shows a code, waits for the approval, and stores the token. Ctrl-C cancels it. */
  login(options?: LoginCommandOptions): Promise<number>
  /** Deletes the login from this machine, and revokes its token if the provider has an endpoint for that. */
  logout(): Promise<number>
  /** Prints the name of the user, from the `userinfoEndpoint` of the provider or from `/user` of its API. */
  whoami(options?: LoginCommandOptions): Promise<number>
  /** Prints the access token, refreshed first if necessary. */
  token(options?: LoginCommandOptions): Promise<number>
  /** Prints the user, the scopes, the expiry and where the login is stored. */
  status(options?: LoginCommandOptions): Promise<number>
}

/** The key of the login in its store: that of a session without a name. */
const KEY = 'default'

/**
 * Gives your command line a login: the commands `login`, `logout`, `whoami`, `token` and `status`, with their help, exit
 * codes, signals and store. All processes of the user share the login, and refresh its token once. Only `token` prints a
 * secret.
 *
 * @example
 * ```ts
 * import { loginCommands } from 'authgraph/terminal'
 *
 * const commands = loginCommands({ name: 'acme', clientId: 'YOUR_CLIENT_ID' })
 * process.exitCode = await commands.run(process.argv.slice(2))
 * ```
 *
 * @throws {@link BadOptionError} if `name` is not that of a command. The commands print what is wrong with other options.
 */
export function loginCommands(options: LoginCommandsOptions): LoginCommands {
  const { name, store, texts: given, minValidity, ...flow } = options
  if (!/^\w[\w.-]*$/.test(name ?? ''))
    throw new BadOptionError('name must be that of your command: letters, digits and the characters . _ -')
  const { provider = github(), fetch } = flow
  const files = store ? undefined : keyringOrFile(name)
  const kept = store ?? (files as SessionStore)
  let opened: { readonly session: Session; readonly host: string } | undefined
  const message = (error: Failure) =>
    terminalTexts.message(error).replace(/: log in$/, () => `: run ${name} login`)
  const texts: TerminalTexts = { ...terminalTexts, message, ...given }
  const errors = writerTo(process.stderr, { color: true })
  const who = (signal: AbortSignal | undefined) => whoIs(login().session, { provider, fetch, signal })

  /** Opens the login when a command needs it: a missing client ID is an error of that command. */
  function login() {
    if (opened) return opened
    assertKnown(options, KNOWN)
    const session = createSession({ ...flow, ...(minValidity !== undefined && { minValidity }), store: kept })
    holdSignals(session)
    opened = { session, host: new URL(provider.deviceAuthorizationEndpoint).host }
    return opened
  }

  /** The login, as it is stored now. */
  function facts(found: Pick<LoginFacts, 'user' | 'error'>) {
    const { session, host } = login()
    const snapshot = session.actor.getSnapshot()
    const { token } = tokenInUse(snapshot.context) ?? {}
    // The service has refused it, or another process has logged out.
    if (token === undefined) throw found.error ?? new LoginRequiredError()
    const isChecked = userAddressOf(provider) !== undefined
    const view = viewOfSession(snapshot, Date.now())
    return { name: host, host, place: files?.placeOf(KEY), isChecked, token, view, ...found }
  }

  /** Asks for the user. The login is complete: a failure must not lose it. */
  const found = (signal: AbortSignal | undefined) =>
    who(signal).then(
      (user) => ({ user }),
      (error) => {
        if (error instanceof AuthgraphError) return { error }
        throw error
      },
    )

  /** Runs a command that needs no terminal, and shows its error. A token that it has refreshed is stored before it ends. */
  async function command(run: () => Promise<number>): Promise<number> {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof AuthgraphError)) throw error
      errors.print(...failure(error, texts).lines)
      return exitCodeOf(error)
    } finally {
      if (opened && !(await isStoredInTime(opened.session))) {
        errors.print(`${name}: the refreshed token could not be stored. Log in again: ${name} login`)
        opened.session.actor.stop()
      }
    }
  }

  const commands: LoginCommands = {
    get session() {
      return login().session
    },

    async run(words, { signal } = {}) {
      const read = readCommandLine(name, words)
      if ('help' in read) return print(read.help.split('\n'))
      if ('command' in read) return commands[read.command]({ ...read, signal })
      errors.print(markedLine(styled('red', '✗'), read.misuse), ['  See: ', toType(`${name} --help`)])
      return 2
    },

    async login({ signal, scopes = flow.scopes, json = false } = {}) {
      try {
        return await inTerminal({ texts, json }, async (terminal) => {
          const { session } = login()
          await kept.update(KEY, (value) => ({ result: value }))
          await probeStore(kept, `probe of process ${process.pid}`)
          const why = files?.whyPlain()
          if (why !== undefined) {
            const message = `The token will be in plain text, in a file that only you can read: ${why}`
            terminal.report.say({ event: 'notice', message }, markedLine(styled('yellow', '!'), message))
          }
          const actor = createDeviceAuthorization({ ...flow, scopes, signal })
          await keepInTime(session, await viaActor(actor, terminal))
          terminal.release()
          const stored = facts(await found(signal))
          const { event, lines } = newLoginReport(stored, stored.token, name)
          terminal.report.say({ event: 'authorized', ...event }, ...lines)
          return 0
        })
      } catch (error) {
        // It is shown already.
        if (error instanceof AuthgraphError) return exitCodeOf(error)
        throw error
      }
    },

    logout: () =>
      command(async () => {
        const { session, host } = login()
        const { value } = await settledOf(session.actor)
        const { revocation: earlier } = session.actor.getSnapshot().context
        await session.logout()
        const { revocation } = session.actor.getSnapshot().context
        if (revocation === earlier && value !== 'ended') throw new LoginRequiredError()
        return print(logoutLines({ name: host, host }, revocation))
      }),

    whoami: ({ signal } = {}) =>
      command(async () => {
        const { session, host } = login()
        await session.token({ signal })
        const user = await who(signal)
        if (user !== undefined) return print([user])
        errors.print([styled('yellow', '●'), ` Logged in to ${host}, which does not say as whom.`])
        return 1
      }),

    token: ({ signal } = {}) =>
      command(async () => print([(await login().session.token({ signal })).reveal()])),

    status: ({ signal, json = false } = {}) =>
      command(async () => {
        await login().session.token({ signal })
        const stored = facts(await found(signal))
        const lines = loginLines(stored, { texts })
        const code = await print(json ? [visibleJson(loginEvent(stored, texts))] : lines)
        return stored.error ? 1 : code
      }),
  }
  return commands
}

/** Prints what was asked for. Resolves to the exit code: a reader of the output, such as `head`, may have gone. */
function print(lines: readonly Line[]): Promise<number> {
  const { stdout } = process
  const { render } = writerTo(stdout, { color: true })
  stdout.on('error', ignore)
  return new Promise((resolve) =>
    stdout.write(lines.map((line) => `${render(line)}\n`).join(''), (error) => {
      // The error has yet to be emitted.
      setImmediate(() => stdout.off('error', ignore))
      resolve(error ? 1 : 0)
    }),
  )
}

function ignore(): void {}
