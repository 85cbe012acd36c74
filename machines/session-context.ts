import type { SnapshotFrom } from 'xstate'
import type { AnyAuthgraphError } from '../src/errors.ts'
import type { OAuthToken } from '../src/protocol/oauth-token.ts'
import type { Secret } from '../src/secret.ts'
import type { deviceAuthorization } from './device-authorization.ts'
import type { DeviceAuthorizationInput, DeviceResult } from './device-context.ts'

/** A token as a session keeps it. */
export interface KeptToken {
  /** A random ID, created at each login. */
  readonly login: string
  /** How many refreshes have been stored since the login. */
  readonly generation: number
  readonly token: OAuthToken
  /** When the token was requested, in epoch milliseconds, by the clock of the process that requested it. */
  readonly sentAt: number
}

/**
 * The result of a refresh request. `ended`: the provider says that the refresh token is used, expired or revoked.
 * `unclear`: no usable response, so the refresh token may have been used. `fault`: any other failure; the refresh token
 * is still valid. `late`: nothing was sent, since too much time has passed since the claim.
 */
export type RefreshResult = SentResult | { readonly type: 'late'; readonly error: AnyAuthgraphError }

/**
 * The result of a refresh request that was sent.
 *
 * @inline
 */
type SentResult =
  | { readonly type: 'token'; readonly token: OAuthToken; readonly sentAt: number }
  | { readonly type: 'ended'; readonly error: AnyAuthgraphError }
  | { readonly type: 'unclear'; readonly error: AnyAuthgraphError; readonly retryAfter?: number | undefined }
  | { readonly type: 'fault'; readonly error: AnyAuthgraphError; readonly retryAfter?: number | undefined }

/** What a session writes to its store: the token of a login, or the result of a refresh. */
export type SessionResult = SentResult | { readonly type: 'login'; readonly token: OAuthToken; readonly sentAt: number }

/** What the store contains. */
export type ReadResult = { readonly type: 'found'; readonly kept: KeptToken } | { readonly type: 'ended' | 'nothing' }

/** What is claimed. If an API refused the token (`rejected`), and it cannot be refreshed, the login ends. */
export type ClaimInput = Pick<SessionContext, 'flow' | 'rejected'> & { readonly kept: KeptToken }

/** The token whose refresh token is used. */
export type RefreshInput = Pick<SessionContext, 'flow' | 'logins'> & { readonly kept: KeptToken }

/** Whether this process may use the refresh token. */
export type ClaimResult =
  | { readonly type: 'claimed' | 'nothingToSpend' | 'gone' }
  | { readonly type: 'newer'; readonly kept: KeptToken }
  | ({ readonly type: 'busy' } & ClaimHolder)

/**
 * Who holds a claim.
 *
 * @inline
 */
interface ClaimHolder {
  readonly pid?: number | undefined
  /** Whether the claim lapses if it does not change, since nobody can tell whether its owner is alive. */
  readonly lapses: boolean
}

/** Whether a result was written. `gone`: the login was ended, or replaced by another one, in the meantime. */
export type SettleResult =
  | { readonly type: 'written'; readonly kept?: KeptToken | undefined }
  | { readonly type: 'newer'; readonly kept: KeptToken }
  | { readonly type: 'gone' }

/** The tokens that were erased from the store, the newest first. */
export interface EraseResult {
  readonly removed: readonly OAuthToken[]
}

/** Whether the tokens were revoked. */
export interface Revocation {
  readonly revoked: boolean
  /** Why they were not. */
  readonly why?: string | undefined
}

/** The input of the machine: what does not change while a session runs. */
export interface SessionInput {
  /** The input of the device authorization of each login. */
  readonly device: DeviceAuthorizationInput
  /** Milliseconds for which a returned token must remain valid. */
  readonly minValidity: number
  /** A number from 0 up to 1, which spreads the retries of many processes. */
  readonly jitter: number
}

/** The context of the machine. */
export interface SessionContext {
  readonly flow: SessionInput
  /** The stored token. */
  readonly kept: KeptToken | undefined
  /** What is not written yet. */
  readonly result: SessionResult | undefined
  /** Counts the logins of this session, to tell them apart. */
  readonly logins: number
  /** Whether the user logged out while a refresh was in flight. */
  readonly leaving: boolean
  /** Whether an API refused the token. */
  readonly rejected: boolean
  /** Attempts to claim, or to write, so far. */
  readonly tries: number
  /** Whether an unclear request was sent again. */
  readonly repeated: boolean
  /** Faults since the last refresh. */
  readonly faults: number
  /** Between these times, in epoch milliseconds, no refresh starts. */
  readonly restsSince: number
  readonly restsUntil: number
  /** The process that is refreshing the login, if it is known. */
  readonly busy: ClaimHolder | undefined
  readonly error: AnyAuthgraphError | undefined
  /**
   * The device authorization, while one is running: `viewOfSession` shows it.
   *
   * @internal
   */
  readonly authorization: SnapshotFrom<typeof deviceAuthorization> | undefined
  /** How the last login ended, if it returned no token. */
  readonly outcome: DeviceResult | undefined
  /** Tokens to revoke. */
  readonly revoking: readonly OAuthToken[]
  readonly revocation: Revocation | undefined
}

/** What is to be written, and over what. */
export type SettleInput = Pick<SessionContext, 'flow' | 'kept' | 'result' | 'logins'>

/**
 * The events that callers send. `need`: a valid token is needed. `rejected`: an API refused this token. `keep`: a token
 * that was received elsewhere becomes a new login. `login`, `logout` and `cancel`: what the user asks for.
 */
export type SessionEvent =
  | { readonly type: 'need' | 'login' | 'logout' | 'cancel' }
  | { readonly type: 'rejected'; readonly token: Secret }
  | { readonly type: 'keep'; readonly token: OAuthToken }
