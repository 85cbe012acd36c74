import * as v from 'valibot'
import { BadOptionError } from '../errors.ts'
import { finite, parseFields } from '../protocol/fields.ts'
import { hidden, type OAuthToken, warningOf } from '../protocol/oauth-record.ts'
import { isToken, NO_SCOPES } from '../protocol/syntax.ts'
import { isSecret, Secret } from '../secret.ts'

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

const tokenText = v.custom<string>(isToken)
const scopes = v.array(v.string())
const number = v.exactOptional(finite)

const tokenRecord: v.GenericSchema<unknown, TokenRecord> = v.object({
  v: v.picklist([1]),
  accessToken: tokenText,
  tokenType: v.string(),
  scopes,
  missingScopes: scopes,
  expiresIn: number,
  expiresAt: number,
  refreshToken: v.exactOptional(tokenText),
  refreshTokenExpiresIn: number,
  refreshTokenExpiresAt: number,
  idToken: v.exactOptional(tokenText),
  dpopKey: v.exactOptional(tokenText),
} satisfies Record<keyof TokenRecord, v.GenericSchema>)

/**
 * Exports a token as plain JSON, which {@link importToken} reads. `JSON.stringify(token)` cannot do this: it writes
 * `‹secret›`.
 *
 * @returns A **sensitive** record with the secrets in plain text.
 * @throws {@link BadOptionError} if the argument is not a token.
 */
export function exportToken(token: OAuthToken): TokenRecord {
  assertToken(token)
  const { accessToken, refreshToken, idToken, dpopKey, scopes, missingScopes, warning, ...plain } = token
  return {
    v: 1,
    ...plain,
    accessToken: accessToken.reveal(),
    scopes: [...scopes],
    missingScopes: [...missingScopes],
    ...(refreshToken && { refreshToken: refreshToken.reveal() }),
    ...(idToken && { idToken: idToken.reveal() }),
    ...(dpopKey && { dpopKey: dpopKey.reveal() }),
  }
}

/**
 * Imports a token that {@link exportToken} exported: `importToken(JSON.parse(text))`.
 *
 * @throws {@link BadOptionError} that names the invalid fields, but quotes nothing.
 */
export function importToken(json: unknown): OAuthToken {
  const {
    v: _,
    accessToken,
    refreshToken,
    idToken,
    dpopKey: key,
    tokenType,
    scopes,
    missingScopes,
    ...plain
  } = parseFields(tokenRecord, json, 'token record', BadOptionError)
  const dpopKey = key === undefined ? undefined : new Secret(key)
  return hidden({
    // First, because V8 gives every object that begins with a spread its own shape in memory.
    accessToken: new Secret(accessToken),
    tokenType,
    ...warningOf(tokenType, dpopKey),
    scopes: scopes.length > 0 ? scopes : NO_SCOPES,
    missingScopes: missingScopes.length > 0 ? missingScopes : NO_SCOPES,
    ...plain,
    ...(refreshToken !== undefined && { refreshToken: new Secret(refreshToken) }),
    ...(idToken !== undefined && { idToken: new Secret(idToken) }),
    ...(dpopKey && { dpopKey }),
  })
}

/** Throws a BadOptionError unless the value is a token. A token that went through JSON has lost its secrets. */
export function assertToken(token: OAuthToken): void {
  const {
    accessToken,
    refreshToken = accessToken,
    idToken = accessToken,
    dpopKey = accessToken,
  }: Partial<OAuthToken> = Object(token)
  if ([accessToken, refreshToken, idToken, dpopKey].every(isSecret)) return
  throw new BadOptionError(
    'not a token: pass the result of authorizeDevice() or importToken(). To save a token, use exportToken(): JSON.stringify() drops its secrets',
  )
}
