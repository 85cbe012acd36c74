import * as v from 'valibot'
import { BadOptionError } from '../errors.ts'
import type { OAuthToken } from '../protocol/oauth-record.ts'
import { parseFields } from '../protocol/parse-fields.ts'
import { isScopes } from '../protocol/scopes.ts'
import { isBearer, isToken } from '../protocol/token-syntax.ts'
import { Secret } from '../secret.ts'

/**
 * A token as plain data, to be kept between two runs of a program.
 *
 * **Sensitive**: it holds the access token and the refresh token in the clear. Keep it in a keyring, or in a file that
 * only its owner may read.
 *
 * @group Device authorization
 */
export interface TokenRecord {
  /** The version of this form. */
  v: 1
  accessToken: string
  tokenType: string
  scopes: string[]
  missingScopes: string[]
  /** Seconds. */
  expiresIn?: number
  /** Epoch milliseconds. */
  expiresAt?: number
  refreshToken?: string
  /** Seconds. */
  refreshTokenExpiresIn?: number
  /** Epoch milliseconds. */
  refreshTokenExpiresAt?: number
}

const tokenText = v.custom<string>(isToken)
const scopes = v.custom<string[]>(isScopes)
const number = v.exactOptional(v.custom<number>(Number.isFinite))

const tokenRecord = v.object({
  v: v.literal(1),
  accessToken: tokenText,
  tokenType: v.string(),
  scopes,
  missingScopes: scopes,
  expiresIn: number,
  expiresAt: number,
  refreshToken: v.exactOptional(tokenText),
  refreshTokenExpiresIn: number,
  refreshTokenExpiresAt: number,
})

/**
 * Writes a token as plain data, from which {@link importToken} makes it again. `JSON.stringify(token)` does not: it
 * writes `[secret]`.
 *
 * @returns A **sensitive** record, with the secrets in the clear.
 * @throws {@link BadOptionError} for anything but a token.
 * @group Device authorization
 */
export function exportToken(token: OAuthToken): TokenRecord {
  assertToken(token)
  const { accessToken, refreshToken, scopes, missingScopes, warning, ...plain } = token
  return {
    v: 1,
    ...plain,
    accessToken: accessToken.reveal(),
    scopes: [...scopes],
    missingScopes: [...missingScopes],
    ...(refreshToken && { refreshToken: refreshToken.reveal() }),
  }
}

/**
 * Reads what {@link exportToken} wrote: `importToken(JSON.parse(text))`.
 *
 * @throws {@link BadOptionError} that names the fields at fault, and quotes nothing.
 * @group Device authorization
 */
export function importToken(json: unknown): OAuthToken {
  const {
    v: _,
    accessToken,
    refreshToken,
    ...plain
  } = parseFields(tokenRecord, json, 'token record', BadOptionError)
  return {
    ...plain,
    accessToken: new Secret(accessToken),
    ...(!isBearer(plain.tokenType) && { warning: 'not_bearer' }),
    ...(refreshToken !== undefined && { refreshToken: new Secret(refreshToken) }),
  }
}

/** Throws BadOptionError for anything but a token: one that was written as JSON has lost its secrets. */
export function assertToken(token: OAuthToken): void {
  const { accessToken, refreshToken }: Partial<OAuthToken> = Object(token)
  if (isSecret(accessToken) && (refreshToken === undefined || isSecret(refreshToken))) return
  throw new BadOptionError(
    'not a token: pass the result of authorizeDevice() or importToken(). To save a token, use exportToken(): JSON.stringify() drops its secrets',
  )
}

function isSecret(value: unknown): boolean {
  return typeof (value as Partial<Secret> | undefined)?.reveal === 'function'
}
