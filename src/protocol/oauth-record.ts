import * as v from 'valibot'
import { nameResponse } from '../request/name-request.ts'
import type { ReceivedResponse } from '../request/response.ts'
import { HIDDEN, Secret } from '../secret.ts'
import type { Dpop } from './dpop.ts'
import { isVisible, parseFields, readSeconds } from './fields.ts'
import { isBearer, isDpop, isToken, type ScopeSeparator, splitScopes } from './syntax.ts'

/** An invalid optional field counts as absent: it is no reason to lose the token. */
const optional = v.nullish(v.unknown())

const record = v.object({
  access_token: v.custom<string>(isToken),
  token_type: v.nullish(v.unknown(), 'bearer'),
  scope: v.nullish(v.string()),
  expires_in: optional,
  refresh_token: optional,
  refresh_token_expires_in: optional,
  id_token: optional,
})

/** Shared by all tokens: a function for each one would give it its own shape in memory. */
const SHOWN: PropertyDescriptor = { value: () => HIDDEN }

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

export interface Asked {
  readonly scopes: readonly string[]
  readonly separator: ScopeSeparator
  /** The key of the request's proof, if it had one. */
  readonly dpopKey?: Secret | undefined
  /** What checks that the token is bound to the key. */
  readonly dpop?: Pick<Dpop, 'check'> | undefined
}

/**
 * Parses a token response. RFC 6749, section 5.1.
 *
 * @throws {@link BadResponseError} that names the invalid fields.
 */
export function parseOAuthRecord(response: ReceivedResponse, asked: Asked): OAuthToken {
  const { body, date, at } = response
  const { dpopKey, dpop } = asked
  const { access_token, token_type, scope, expires_in, refresh_token, refresh_token_expires_in, id_token } =
    parseFields(record, body, () => nameResponse('token response', response))
  const scopes = typeof scope === 'string' ? splitScopes(scope, asked.separator) : asked.scopes
  const issuedAt = date ?? at
  const tokenType = isVisible(token_type) ? token_type : ''
  if (dpopKey) dpop?.check(tokenType)
  const expiresIn = readSeconds(expires_in)
  const refreshTokenExpiresIn = readSeconds(refresh_token_expires_in)
  return hidden({
    accessToken: new Secret(access_token),
    tokenType,
    ...warningOf(tokenType, dpopKey),
    scopes,
    missingScopes: asked.scopes.filter((name) => !scopes.includes(name)),
    ...(expiresIn !== undefined && { expiresIn, expiresAt: issuedAt + expiresIn * 1000 }),
    ...(isToken(refresh_token) && { refreshToken: new Secret(refresh_token) }),
    ...(refreshTokenExpiresIn !== undefined && {
      refreshTokenExpiresIn,
      refreshTokenExpiresAt: issuedAt + refreshTokenExpiresIn * 1000,
    }),
    ...(isToken(id_token) && { idToken: new Secret(id_token) }),
    ...(dpopKey && { dpopKey }),
  })
}

/**
 * Gives a token the text of a secret, which no header can contain: `[object Object]` would be sent. Not enumerable, so
 * that a token has the same fields as its record.
 */
export function hidden(token: OAuthToken): OAuthToken {
  return Object.defineProperty(token, 'toString', SHOWN)
}

export function warningOf(
  tokenType: string,
  dpopKey: Secret | undefined,
): { readonly warning?: TokenWarning } {
  if (dpopKey ? isDpop(tokenType) : isBearer(tokenType)) return {}
  return { warning: dpopKey ? 'not_bound' : 'not_bearer' }
}
