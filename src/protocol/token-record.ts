import * as v from 'valibot'
import { BadOptionError } from '../errors.ts'
import { nameResponse } from '../request/name-request.ts'
import type { ReceivedResponse } from '../request/received-response.ts'
import { HIDDEN, isSecret, Secret } from '../secret.ts'
import type { Dpop } from './dpop.ts'
import { finite, isVisible, parseFields, readSeconds } from './fields.ts'
import type { OAuthToken, TokenRecord, TokenWarning } from './oauth-token.ts'
import { isBearer, isDpop, isToken, NO_SCOPES, type ScopeSeparator, splitScopes } from './syntax.ts'

/** An invalid optional field counts as absent: it is no reason to lose the token. */
const optional = v.nullish(v.unknown())

const tokenResponse = v.object({
  access_token: v.custom<string>(isToken),
  token_type: v.nullish(v.unknown(), 'bearer'),
  scope: v.nullish(v.string()),
  expires_in: optional,
  refresh_token: optional,
  refresh_token_expires_in: optional,
  id_token: optional,
})

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

/** Shared by all tokens: a function for each one would give it its own shape in memory. */
const SHOWN: PropertyDescriptor = { value: () => HIDDEN }

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
    parseFields(tokenResponse, body, () => nameResponse('token response', response))
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

/**
 * Gives a token the text of a secret, which no header can contain: `[object Object]` would be sent. Not enumerable, so
 * that a token has the same fields as its record.
 */
function hidden(token: OAuthToken): OAuthToken {
  return Object.defineProperty(token, 'toString', SHOWN)
}

function warningOf(tokenType: string, dpopKey: Secret | undefined): { readonly warning?: TokenWarning } {
  if (dpopKey ? isDpop(tokenType) : isBearer(tokenType)) return {}
  return { warning: dpopKey ? 'not_bound' : 'not_bearer' }
}
