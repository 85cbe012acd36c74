import * as v from 'valibot'
import { Secret } from '../secret.ts'
import { parseFields } from './parse-fields.ts'
import type { ReceivedResponse } from './response.ts'
import { type ScopeSeparator, splitScopes } from './scopes.ts'
import { readSeconds } from './seconds.ts'
import { isVisible } from './texts.ts'
import { isBearer, isToken } from './token-syntax.ts'

/** What cannot be read beside the token counts as absent: it is no reason to lose the token. */
const beside = v.nullish(v.unknown())

const record = v.object({
  access_token: v.custom<string>(isToken),
  token_type: v.nullish(v.unknown(), 'bearer'),
  scope: v.nullish(v.string()),
  expires_in: beside,
  refresh_token: beside,
  refresh_token_expires_in: beside,
})

/**
 * What is unusual about a token that was kept nevertheless. `not_bearer`: its type is not `bearer`, and only that one is
 * known how to send. `oauth()` refuses it.
 *
 * @group Protocol
 */
export type TokenWarning = 'not_bearer'

/**
 * The OAuth record: what a poll brings once the user has authorized the device.
 *
 * @group Protocol
 * @see Spec 2.2
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-5.1 RFC 6749, section 5.1}
 */
export interface OAuthToken {
  readonly accessToken: Secret
  /**
   * As the service wrote it; `bearer` where it wrote nothing, and empty where it wrote what cannot be shown. Compare
   * without regard to case.
   */
  readonly tokenType: string
  /** Absent where nothing is unusual. */
  readonly warning?: TokenWarning
  /** The scopes granted; those asked for, where the service does not name them. */
  readonly scopes: readonly string[]
  /** The scopes asked for that are not among those granted. */
  readonly missingScopes: readonly string[]
  /** Seconds the access token lives, where it ends. */
  readonly expiresIn?: number
  /** When the access token ends, epoch milliseconds of the service's clock. */
  readonly expiresAt?: number
  /** Buys a new pair of tokens, once: see `refresh`. */
  readonly refreshToken?: Secret
  /** Seconds the refresh token lives. */
  readonly refreshTokenExpiresIn?: number
  /** When the refresh token ends, epoch milliseconds of the service's clock. */
  readonly refreshTokenExpiresAt?: number
}

/** What was asked for, in the habits of the service. */
export interface Asked {
  readonly scopes: readonly string[]
  readonly separator: ScopeSeparator
}

/**
 * Reads the OAuth record.
 *
 * @throws {@link BadResponseError} that names the fields at fault.
 * @see Spec 2.2
 */
export function parseOAuthRecord({ body, date, at }: ReceivedResponse, asked: Asked): OAuthToken {
  const { access_token, token_type, scope, expires_in, refresh_token, refresh_token_expires_in } =
    parseFields(record, body, 'token response')
  const scopes = typeof scope === 'string' ? splitScopes(scope, asked.separator) : asked.scopes
  const issuedAt = date ?? at
  const tokenType = isVisible(token_type) ? token_type : ''
  const expiresIn = readSeconds(expires_in)
  const refreshTokenExpiresIn = readSeconds(refresh_token_expires_in)
  return {
    accessToken: new Secret(access_token),
    tokenType,
    ...(!isBearer(tokenType) && { warning: 'not_bearer' }),
    scopes,
    missingScopes: asked.scopes.filter((name) => !scopes.includes(name)),
    ...(expiresIn !== undefined && { expiresIn, expiresAt: issuedAt + expiresIn * 1000 }),
    ...(isToken(refresh_token) && { refreshToken: new Secret(refresh_token) }),
    ...(refreshTokenExpiresIn !== undefined && {
      refreshTokenExpiresIn,
      refreshTokenExpiresAt: issuedAt + refreshTokenExpiresIn * 1000,
    }),
  }
}
