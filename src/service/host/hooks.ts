import type { User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import { withDeadline } from '../../store/deadline.ts'
import type { ServiceRequest } from '../http/types.ts'

/** The signed-in user, or the URL at which the user must sign in first. */
export type Identity = { readonly user: User } | { readonly signInAt: string }

/**
 * Returns the signed-in user, for each request to the verification page.
 *
 * @param returnTo The URL of the page with the code that was entered, to come back to after a sign-in.
 * @inline
 */
export type Identify = (request: ServiceRequest, returnTo: string) => Identity | Promise<Identity>

/** What `issueToken` receives. */
export interface TokenRequest {
  /** The user who approved. */
  readonly user: User
  /** The client that receives the token. */
  readonly client: { readonly clientId: Secret; readonly name: string }
  /** The requested scopes. At a refresh, those of the login that the client may still request. */
  readonly scopes: readonly string[]
  /** The URI of the API that the token is for, one of `resources`: the audience of a signed token. Absent if the client named none. */
  readonly resource?: string
  /** The thumbprint of the key that the token is bound to: the claim `cnf.jkt` of a signed token. Absent for a bearer token. */
  readonly jkt?: string
  /** The ID of the login, with `refreshTokens`: put it into a signed token to end the login with `service.revoke` later. */
  readonly family?: string
}

/** A token with its lifetime and scopes, which `issueToken` may return instead of a bare token. */
export interface MadeToken {
  /** The access token. Required, unless the service signs access tokens with its `keys`: then it must be missing. */
  readonly token?: string | Secret
  /**
   * Lifetime in seconds, sent to the client as `expires_in`. Default: not sent, and the service accepts the token for a
   * year; with `refreshTokens`, 8 hours. Of a token that the service signs: 8 hours; with `refreshTokens`, 10 minutes.
   */
  readonly expiresIn?: number
  /** The granted scopes. Default: the requested ones. At a refresh, the scopes of the login at most. */
  readonly scopes?: readonly string[]
}

/**
 * Creates an access token.
 *
 * @inline
 */
export type IssueToken = (
  request: TokenRequest,
) => string | Secret | MadeToken | Promise<string | Secret | MadeToken>

/**
 * Returns the address of a client; `undefined` if it is not known.
 *
 * @inline
 */
export type ClientAddress = (request: ServiceRequest) => string | undefined

/**
 * Waits for what a function of the host returns.
 *
 * @param milliseconds How much of the ten seconds is left.
 * @throws what the host throws, and an Error if it takes longer.
 */
export function inTenSeconds<Value>(
  name: string,
  returned: Value | PromiseLike<Value>,
  milliseconds = 10_000,
): Promise<Value> {
  return withDeadline(milliseconds, returned, () => new Error(`${name} took longer than ten seconds`))
}
