import { tokenInUse } from '../../machines/session-selectors.ts'
import { reasonOf } from '../client/authorize-device.ts'
import type { DeviceAuthorizationActor } from '../client/options.ts'
import { watchActor } from '../client/watch.ts'
import { AuthgraphError, CancelledError, LoginRequiredError } from '../errors.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import type { Session } from '../session/create-session.ts'
import { type LoginTerminal, loginTerminal, type TerminalOptions } from './login-terminal.ts'
import { styled } from './writer.ts'

/**
 * Logs in a user on a terminal: shows the code with a QR code, a countdown and keys, waits for the approval, and says how
 * it ended. A file or a pipe gets plain lines.
 *
 * Ctrl-C, SIGINT, SIGTERM and SIGHUP cancel the login, and restore the terminal. A token that is already approved is
 * stored first. Nothing that is written contains a token.
 *
 * @example
 * ```ts
 * import { createSession } from 'authgraph/session'
 * import { fileStore } from 'authgraph/session/node'
 * import { loginInTerminal } from 'authgraph/terminal'
 *
 * const session = createSession({
 *   clientId: 'YOUR_CLIENT_ID',
 *   store: fileStore('my-cli'),
 * })
 * await loginInTerminal(session)
 * ```
 *
 * @param login A session, which stores the token; or an actor of `createDeviceAuthorization`, not started.
 * @throws {@link DeniedError}, {@link ExpiredError} (its `cause` is the fault of the last poll, if that failed), {@link
 * CancelledError} (its `cause` is the signal, if there was one), {@link NotKeptError}, or the error that ended the login. It
 * has been shown to the user.
 */
export async function loginInTerminal(
  login: Session | DeviceAuthorizationActor,
  options: TerminalOptions = {},
): Promise<OAuthToken> {
  return inTerminal(options, async (terminal) => {
    const token = await ('login' in login ? viaSession(login, terminal) : viaActor(login, terminal))
    const { scopes, missingScopes, expiresAt } = token
    const event = { event: 'authorized', scopes, missingScopes, expiresAt }
    terminal.report.say(event, [styled('green', '✓'), ` ${terminal.texts.loggedIn}`])
    return token
  })
}

/** Runs a login on a terminal, which is restored at the end. An error is shown, and thrown with the signal as its `cause`. */
export async function inTerminal<Result>(
  options: TerminalOptions,
  run: (terminal: LoginTerminal) => Promise<Result>,
): Promise<Result> {
  const terminal = loginTerminal(options)
  try {
    return await run(terminal)
  } catch (thrown) {
    const signal = terminal.signal()
    const error = thrown instanceof CancelledError && signal ? new CancelledError(signal) : thrown
    if (error instanceof AuthgraphError) terminal.fail(error)
    throw error
  } finally {
    terminal.close()
  }
}

/** Shows an authorization to its end. */
export async function viaActor(
  actor: DeviceAuthorizationActor,
  terminal: LoginTerminal,
): Promise<OAuthToken> {
  const result = await terminal.run(actor)
  if (result.status !== 'authorized') throw reasonOf(result)
  return result.token
}

async function viaSession(session: Session, terminal: LoginTerminal): Promise<OAuthToken> {
  let shown: unknown
  const stopWatching = watchActor(session.actor, ({ children: { authorize } }) => {
    if (authorize === undefined || authorize === shown) return
    shown = authorize
    // The session reports its errors.
    terminal.run(authorize as DeviceAuthorizationActor).catch(() => undefined)
  })
  try {
    await session.login()
  } finally {
    stopWatching()
  }
  const { token } = tokenInUse(session.actor.getSnapshot().context) ?? {}
  if (token === undefined) throw new LoginRequiredError('the login was ended by another process')
  return token
}
