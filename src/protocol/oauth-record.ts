import * as v from 'valibot'
import { Secret } from '../secret.ts'
import type { Answer } from './answer.ts'
import { badFields } from './bad-fields.ts'
import { type ScopeSeparator, splitScopes } from './scopes.ts'
import { seconds } from './seconds.ts'

/** A lifetime that cannot be read is no reason to lose the token. */
const lifetime = v.fallback(v.nullish(seconds), undefined)

const record = v.object({
  access_token: v.pipe(v.string(), v.nonEmpty()),
  token_type: v.nullish(v.pipe(v.string(), v.nonEmpty()), 'bearer'),
  scope: v.nullish(v.string()),
  expires_in: lifetime,
  refresh_token: v.fallback(v.nullish(v.pipe(v.string(), v.nonEmpty())), undefined),
  refresh_token_expires_in: lifetime,
})

/**
 * The OAuth record: what a poll brings once the user has authorized the device.
 *
 * @group Protocol
 * @see Spec 2.2
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-5.1 RFC 6749, section 5.1}
 */
export interface OAuthToken {
  readonly accessToken: Secret
  /** As the service wrote it; `bearer` where it wrote nothing. Compare without regard to case. */
  readonly tokenType: string
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
 * @throws {BadAnswerError} that names the fields at fault.
 * @see Spec 2.2
 */
export function parseOAuthRecord({ body, date, at }: Answer, asked: Asked): OAuthToken {
  const parsed = v.safeParse(record, body)
  if (!parsed.success) throw badFields('answer with the token', parsed.issues)
  const { access_token, token_type, scope, expires_in, refresh_token, refresh_token_expires_in } =
    parsed.output
  const scopes = typeof scope === 'string' ? splitScopes(scope, asked.separator) : asked.scopes
  const issuedAt = date ?? at
  return {
    accessToken: new Secret(access_token),
    tokenType: token_type,
    scopes,
    missingScopes: asked.scopes.filter((name) => !scopes.includes(name)),
    ...(typeof expires_in === 'number' && { expiresIn: expires_in, expiresAt: issuedAt + expires_in * 1000 }),
    ...(refresh_token && { refreshToken: new Secret(refresh_token) }),
    ...(typeof refresh_token_expires_in === 'number' && {
      refreshTokenExpiresIn: refresh_token_expires_in,
      refreshTokenExpiresAt: issuedAt + refresh_token_expires_in * 1000,
    }),
  }
}
