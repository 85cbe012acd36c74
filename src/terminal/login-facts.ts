import type { Revocation } from '../../machines/session-context.ts'
import { BusyError, RefusedError } from '../errors.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import { isLoopback } from '../protocol/syntax.ts'
import type { SessionView } from '../session/view-of-session.ts'
import { failure } from './failure.ts'
import { type Failure, type TerminalTexts, terminalTexts } from './texts.ts'
import { fact, type Line, styled } from './writer.ts'

/** What is known of a login. */
export interface LoginFacts {
  /** The name of the profile, or the host. */
  readonly name: string
  readonly host: string
  /** Where the token is, for users; `undefined` if it is not stored. */
  readonly place?: string | undefined
  readonly user?: string | undefined
  /** Whether the service was asked who the user is. */
  readonly isChecked: boolean
  /** Why the login cannot be used, or the service does not answer. */
  readonly error?: Failure | undefined
  readonly token?: OAuthToken | undefined
  readonly view?: SessionView | undefined
}

/** Reports a new login: the members of an event for programs, and lines for users. */
export function newLoginReport(
  { name, host, place, user, error }: Pick<LoginFacts, 'name' | 'host' | 'place' | 'user' | 'error'>,
  token: OAuthToken,
  command: string,
): { readonly event: object; readonly lines: readonly Line[] } {
  const { scopes, missingScopes, warning, expiresAt, tokenType } = token
  const loggedIn = [styled('green', '✓'), ' Logged in to ', styled('bold', host)]
  return {
    event: { host, user, scopes, missingScopes, warning, expiresAt },
    lines: [
      '',
      [...loggedIn, ...(user ? [' as ', styled('bold', user)] : [])],
      ...(error && !warning ? [fact('user', `unknown: ${terminalTexts.message(error)}`)] : []),
      ...(name === host ? [] : [fact('profile', name)]),
      fact('scopes', scopes.join(', ') || 'none'),
      ...(missingScopes.length > 0 ? [fact('not granted', missingScopes.join(', '))] : []),
      ...(warning === 'not_bearer'
        ? [fact('type', `${tokenType || 'unknown'}: ${command} stores it but cannot send it`)]
        : []),
      fact('valid', validityOf(token)),
      ...(place === undefined ? [] : [placeFact(place)]),
      '',
    ],
  }
}

/** Where a token is. The home folder is shortened, as shells do: a line has room for few whole paths. */
export function placeFact(place: string): Line {
  const { HOME } = process.env
  return fact('stored in', HOME && place.startsWith(`${HOME}/`) ? `~${place.slice(HOME.length)}` : place)
}

/** Describes a login for programs. */
export function loginEvent(login: LoginFacts, texts: TerminalTexts): object {
  const { host, user, isChecked, error, token, view, place } = login
  return {
    host,
    tried: isChecked,
    ...(error ? { error: failure(error, texts).event } : { user }),
    scopes: token?.scopes,
    expiresAt: token?.expiresAt,
    refreshable: token && token.refreshToken !== undefined,
    stored: view?.isStored,
    heldBy: holderOf(login),
    place,
  }
}

/** Describes a login to users. `mark` stands after its name. */
export function loginLines(
  login: LoginFacts,
  { texts, mark = '' }: { texts: TerminalTexts; mark?: string },
): Line[] {
  const { name, host, place, user, isChecked, error, token, view } = login
  const pid = holderOf(login)
  const isRejected = error instanceof RefusedError && error.status === 401
  const good = isChecked ? styled('green', '✓') : styled('yellow', '●')
  const unknown = isChecked
    ? 'not reported by this service'
    : 'unknown, token not checked: this service has no known API'
  return [
    [error ? styled('red', '✗') : good, ' ', styled('bold', name), styled('dim', mark)],
    ...(error
      ? // The mark is already in front of the name.
        failure(error, texts).lines.map((line) => (typeof line === 'string' ? line : [' ', ...line.slice(1)]))
      : [fact('user', user ?? unknown)]),
    fact('host', host),
    ...(token ? [fact('scopes', token.scopes.join(', ') || 'none')] : []),
    ...(token && !isRejected ? [fact('valid', validityOf(token))] : []),
    ...(pid === undefined ? [] : [fact('held by', `process ${pid}, which is refreshing it`)]),
    ...(place === undefined ? [] : [placeFact(place)]),
    ...(view?.isStored === false ? [fact('not stored', 'the new token: the store cannot be written')] : []),
  ]
}

/** Reports a logout. Without a revocation, the login had ended before. */
export function logoutLines(
  { name, host }: Pick<LoginFacts, 'name' | 'host'>,
  revocation: Revocation | undefined,
): Line[] {
  const loggedOut = [styled('green', '✓'), ' Logged out of ', styled('bold', name)]
  if (revocation === undefined) return [[...loggedOut, ': the login had already ended.']]
  if (revocation.revoked) return [[...loggedOut, ': the token is revoked, and deleted from this machine.']]
  // A service for development has no settings.
  const isLocal = isLoopback(new URL(`http://${host}`).hostname)
  const advice = isLocal ? '' : ` Revoke it in your settings at ${host}.`
  return [
    [...loggedOut, ': the token is deleted from this machine.'],
    `  The service may still accept it: it was not revoked, because ${revocation.why}.${advice}`,
  ]
}

/** The process that refreshes the login and does not finish. */
function holderOf({ error, view }: LoginFacts): number | undefined {
  return error instanceof BusyError ? error.pid : view?.busy?.pid
}

function validityOf({ expiresAt, refreshToken }: OAuthToken): string {
  if (expiresAt === undefined) return 'until it is revoked'
  return `until ${timeOf(expiresAt)}${refreshToken ? ', refreshed automatically' : ''}`
}

/** Formats a time in the local time zone. The time is in epoch milliseconds. */
export function timeOf(time: number): string {
  const date = new Date(time)
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
  return `${day} ${[date.getHours(), date.getMinutes()].map(twoDigits).join(':')}`
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
