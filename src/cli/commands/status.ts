import { type Command, Option } from 'commander'
import { BusyError } from '../../errors.ts'
import type { OAuthToken } from '../../protocol/oauth-record.ts'
import type { Provider } from '../../protocol/provider.ts'
import { type SessionView, viewOfSession } from '../../session/view-of-session.ts'
import { failure } from '../../terminal/failure.ts'
import { fact, type Line, styled, visibleJson, writerTo } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { isFailure, type ReportedError } from '../command-error.ts'
import { commandTexts } from '../command-texts.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { authOrigin, providerAt, type ServiceAddress } from '../network/service-address.ts'
import { whoIs } from '../network/who-is.ts'
import { type EnvironmentToken, environmentToken } from '../storage/environment-token.ts'
import { providerOf, validToken, withSession } from '../storage/open-session.ts'
import { placeOf } from '../storage/saved-logins.ts'
import {
  currentProfile,
  type NamedProfile,
  profileNames,
  profileOrCurrent,
  type StoreName,
  savedProfiles,
} from '../storage/saved-profiles.ts'
import { validityOf } from '../storage/validity.ts'
import { profileName } from './values.ts'

interface StatusOptions {
  readonly profile?: string
  readonly json?: true
  readonly names?: true
  readonly color: boolean
}

const NOT_CHECKED = 'unknown, token not checked: this service has no known API'

/** A saved login, or a token in the environment, which has no `store`; and what its service says about it. */
interface Login {
  /** Of the profile, or of the variable. */
  readonly name: string
  readonly address: ServiceAddress
  readonly store?: StoreName
  /** Where the token is, for users. */
  readonly place: string
  readonly user?: string | undefined
  readonly error?: ReportedError
  readonly token?: OAuthToken
  readonly view?: SessionView
}

type ShownLogin = Login & { readonly isCurrent: boolean }

/** Declares `authgraph status`. */
export function statusCommand(): Command {
  return command({
    name: 'status',
    summary: 'show who is logged in, where, with which scopes and until when',
    description:
      'Check each login with its service and show the user, the scopes, the expiry and where the token is stored, but ' +
      'not the token. Also show if a login has ended, or which process is refreshing it and does not finish. A login with --issuer or with explicit endpoints cannot be checked, because its service has no known API.',
    exitCodes: {
      0: 'every login that can be checked works',
      1: 'a login does not work, or nobody is logged in',
    },
    examples: ['authgraph status', 'authgraph status --profile work --json'],
  })
    .option('-p, --profile <name>', 'show only this profile (default: all)', profileName)
    .option('--json', 'print one JSON object per login')
    .addOption(
      new Option('--names', 'print only the profile names, without sending a request').conflicts('json'),
    )
    .action(exitWith(status))
}

async function status(options: StatusOptions): Promise<number> {
  if (options.names) {
    writerTo(process.stdout, options).print(...profileNames())
    return 0
  }
  const given = options.profile ? undefined : environmentToken()
  const saved = savedProfiles()
  const damaged = options.profile ? [] : saved.damaged
  const isOne = options.profile || (saved.profiles.length === 0 && damaged.length === 0 && !given)
  const profiles = isOne ? [profileOrCurrent(options.profile)] : saved.profiles
  const current = currentProfile()
  const fetch = await environmentFetch()
  const logins = await Promise.all([
    ...(given ? [environmentLogin(given, fetch)] : []),
    ...profiles.map((profile) => savedLogin(profile, fetch)),
  ])
  const writer = writerTo(process.stdout, options)
  const error = current instanceof Error ? current : undefined
  const isListed = damaged.some((one) => one.error.message === error?.message)
  const failures: readonly { readonly name?: string; readonly error: ReportedError }[] = [
    ...damaged,
    // The working directory selects a login that cannot be used.
    ...(error && profiles.length > 0 && !isListed && !options.profile ? [{ error }] : []),
  ]
  const currentName = current instanceof Error ? isListed && saved.profiles[0]?.name : current.name
  const print = (event: object, lines: readonly Line[]) =>
    options.json ? writer.stream.write(`${visibleJson(event)}\n`) : writer.print(...lines, '')
  for (const login of logins) {
    const shown = { ...login, isCurrent: given ? login.store === undefined : login.name === currentName }
    print(asEvent(shown), asLines(shown, writer.stream))
  }
  for (const { name, error } of failures) {
    const { event, lines } = failure(error, writer.stream, commandTexts)
    print({ ...(name && { profile: name }), error: event }, lines)
  }
  return failures.length === 0 && logins.every((login) => login.error === undefined) ? 0 : 1
}

async function savedLogin(profile: NamedProfile, fetch: typeof globalThis.fetch): Promise<Login> {
  const { name, address, store } = profile
  const login = { name, address, store, place: placeOf(store, name) }
  try {
    const { token, view } = await withSession(profile, fetch, async (session) => ({
      token: await validToken(session, profile),
      view: viewOfSession(session.actor.getSnapshot(), Date.now()),
    }))
    return { ...login, token, view, ...(await checkToken(token, await providerOf(profile, fetch), fetch)) }
  } catch (error) {
    if (isFailure(error)) return { ...login, error }
    throw error
  }
}

async function environmentLogin(
  { source, address, token: accessToken }: EnvironmentToken,
  fetch: typeof globalThis.fetch,
): Promise<Login> {
  const token = { accessToken, tokenType: 'bearer', scopes: [], missingScopes: [] }
  const found = await checkToken(token, await providerAt(address, fetch), fetch)
  return { name: source, address, place: `the environment variable ${source}`, ...found }
}

async function checkToken(token: OAuthToken, provider: Provider, fetch: typeof globalThis.fetch) {
  const response = await whoIs(token, { provider, fetch })
  return isFailure(response) ? { error: response } : { user: response }
}

function hasApi({ address }: Login): boolean {
  return 'host' in address
}

function asEvent(shown: ShownLogin): object {
  const { name, address, store, place, user, error, token, view, isCurrent } = shown
  const pid = holderOf(shown)
  return {
    ...(store ? { profile: name } : { source: name }),
    current: isCurrent,
    host: authOrigin(address).host,
    tried: hasApi(shown),
    ...(error ? { error: failure(error, {}, commandTexts).event } : { user }),
    ...(token && {
      scopes: token.scopes,
      expiresAt: token.expiresAt,
      refreshable: token.refreshToken !== undefined,
    }),
    ...(view && { stored: view.isStored }),
    ...(pid !== undefined && { heldBy: pid }),
    ...(store && { store }),
    place,
  }
}

/** The process that refreshes the login and does not finish. */
function holderOf({ error, view }: Login): number | undefined {
  return error instanceof BusyError ? error.pid : view?.busy?.pid
}

function asLines(shown: ShownLogin, stream: NodeJS.WriteStream): Line[] {
  const { name, address, place, user, error, token, view, isCurrent } = shown
  const pid = holderOf(shown)
  const good = hasApi(shown) ? styled('green', '✓') : styled('yellow', '●')
  return [
    [
      error ? styled('red', '✗') : good,
      ' ',
      styled('bold', name),
      ...(isCurrent ? [styled('dim', ' (current)')] : []),
    ],
    ...(error
      ? // The mark is already in front of the name.
        failure(error, stream, commandTexts).lines.map((line) =>
          typeof line === 'string' ? line : [' ', ...line.slice(1)],
        )
      : [fact('user', hasApi(shown) ? (user ?? 'not reported by this service') : NOT_CHECKED)]),
    fact('host', authOrigin(address).host),
    ...(token ? [fact('scopes', token.scopes.join(', ') || 'none'), fact('valid', validityOf(token))] : []),
    ...(pid === undefined ? [] : [fact('held by', `process ${pid}, which is refreshing it`)]),
    fact('stored in', place),
    ...(view?.isStored === false ? [fact('not stored', 'the new token: the store cannot be written')] : []),
  ]
}
