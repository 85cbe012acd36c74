import type { Secret } from '../secret.ts'

/**
 * A problem with a token that was kept nevertheless.
 *
 * - `not_bearer`: it has no key, and its type is not `bearer`. `oauth()` refuses it.
 * - `not_bound`: the server ignored the option `dpop`: its type is not `DPoP`.
 */
export type TokenWarning = 'not_bearer' | 'not_bound'

/**
 * The token response: the access token, and what the service says about it.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-5.1 RFC 6749, section 5.1}
 */
export interface OAuthToken {
  /** The access token. Pass the token to `oauth()` to send it, or call `reveal()` to read it. */
  readonly accessToken: Secret
  /**
   * The token type as the service wrote it: `bearer` if it is missing, empty if it cannot be displayed. Compare it
   * case-insensitively.
   */
  readonly tokenType: string
  /** A problem with the token; absent if there is none. */
  readonly warning?: TokenWarning
  /** The granted scopes; the requested scopes if the service does not name the granted ones. */
  readonly scopes: readonly string[]
  /** The requested scopes that were not granted. */
  readonly missingScopes: readonly string[]
  /** Lifetime of the access token in seconds; absent if it does not expire. */
  readonly expiresIn?: number
  /** When the access token expires, in epoch milliseconds of the service's clock. */
  readonly expiresAt?: number
  /** The refresh token, usually valid for a single use: pass the token to `refresh`. */
  readonly refreshToken?: Secret
  /** Lifetime of the refresh token in seconds. */
  readonly refreshTokenExpiresIn?: number
  /** When the refresh token expires, in epoch milliseconds of the service's clock. */
  readonly refreshTokenExpiresAt?: number
  /** The ID token, if the provider sent one. It has not been verified: `verifyIdToken` in `authgraph/oidc` does that. */
  readonly idToken?: Secret
  /** The key that the token is bound to, if the option `dpop` was set: a private JWK. */
  readonly dpopKey?: Secret
}

/**
 * A token as plain JSON, to save between two runs of a program.
 *
 * **Sensitive**: it contains the access token and the refresh token in plain text. Store it in a keyring, or in a file
 * that only its owner can read.
 */
export interface TokenRecord {
  /** The version of this format. */
  v: 1
  /** The access token, in plain text. */
  accessToken: string
  /** The token type, such as `bearer`. */
  tokenType: string
  /** The granted scopes. */
  scopes: string[]
  /** The requested scopes that were not granted. */
  missingScopes: string[]
  /** Lifetime of the access token in seconds. */
  expiresIn?: number
  /** When the access token expires, in epoch milliseconds. */
  expiresAt?: number
  /** The refresh token, in plain text. */
  refreshToken?: string
  /** Lifetime of the refresh token in seconds. */
  refreshTokenExpiresIn?: number
  /** When the refresh token expires, in epoch milliseconds. */
  refreshTokenExpiresAt?: number
  /** The ID token, in plain text. */
  idToken?: string
  /** The key that the token is bound to: a private JWK, in plain text. */
  dpopKey?: string
}
