import type { User } from '../../../machines/device-grant.ts'
import { Secret } from '../../secret.ts'
import type { AppTokens } from '../credentials/app-jwts.ts'
import type { Passwords } from '../credentials/passwords.ts'
import type { PersonalTokens } from '../credentials/personal-tokens.ts'
import type { Emit } from '../host/emit.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Tokens } from './tokens.ts'

/**
 * Who sent a request, and with which kind of credential, or why the credential was refused:
 *
 * - `none`: no credential
 * - `basic`: user name and password
 * - `personalToken`: personal access token
 * - `app`: app JWT
 * - `oauth`: access token from the device flow
 * - `refused`: a credential that is not valid
 */
export type Authentication =
  | { readonly form: 'none' }
  | { readonly form: 'basic'; readonly user: User }
  | { readonly form: 'personalToken'; readonly user: User; readonly scopes: readonly string[] }
  | { readonly form: 'app'; readonly appId: number | string }
  | { readonly form: 'oauth'; readonly user: User; readonly scopes: readonly string[] }
  | Refused

/** Why a credential was refused, and how to respond. */
export interface Refused {
  readonly form: 'refused'
  /** The HTTP status. */
  readonly status: 400 | 401 | 429
  /** What is wrong, for the developer of the client. */
  readonly message: string
  /** The value of the header `WWW-Authenticate`. */
  readonly challenge: string
  /** Seconds to wait, with status 429, after too many wrong passwords for this user name. */
  readonly retryAfter?: number
}

/** What verifies each kind of credential. */
export interface Credentials {
  readonly passwords: Passwords
  readonly personalTokens: PersonalTokens
  readonly appTokens: AppTokens
  readonly tokens: Tokens
  readonly limiter: Limiter
  readonly emit: Emit
}

/** The parts of a request that may carry a credential. */
export interface CredentialRequest {
  readonly authorization: string | undefined
  readonly query: URLSearchParams
  /** The address of the client. Wrong passwords are counted per user name and, with an address, per network. */
  readonly address: string | undefined
}

const REALM = 'realm="authgraph"'

/** The challenge for a request without a credential. */
export const CHALLENGE = `Bearer ${REALM}`

/**
 * Verifies the credential of a request. More than one is refused: a list in the header, or a second one in the URL.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750.html#section-2 RFC 6750, section 2}
 */
export async function authenticate(
  credentials: Credentials,
  { authorization, query, address }: CredentialRequest,
): Promise<Authentication> {
  if (query.has('access_token')) return invalidRequest('a credential in the URL is not accepted')
  if (authorization === undefined) return { form: 'none' }
  const [, scheme = '', value = ''] = /^([a-z]+) +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization) ?? []
  switch (scheme.toLowerCase()) {
    case 'basic':
      return basic(credentials, value, address)
    case 'bearer':
      return (await findToken(credentials, value)) ?? app(credentials, value)
    case 'token':
      return (await findToken(credentials, value)) ?? invalidToken('bad credentials')
    default:
      return invalidRequest('the header Authorization must hold one Basic, Bearer or token credential')
  }
}

async function basic(
  { passwords, limiter, emit }: Credentials,
  value: string,
  address: string | undefined,
): Promise<Authentication> {
  const checked = await passwords.check(value)
  const allowed = await limiter.password(address, checked)
  const challenge = `Basic ${REALM}, charset="UTF-8"`
  if (!allowed.ok) {
    const { limit, retryAfter, isFirst } = allowed
    if (isFirst) await emit({ type: 'limited', limit, retryAfter, ...(address && { origin: { address } }) })
    return {
      form: 'refused',
      status: 429,
      message: 'too many wrong passwords',
      challenge,
      retryAfter,
    }
  }
  if (checked.isRight) return { form: 'basic', user: checked.username }
  return { form: 'refused', status: 401, message: 'bad user name or password', challenge }
}

/** Looks up stored tokens first, then tries an app JWT: a host may issue access tokens that are JWTs too. */
async function findToken(
  { tokens, personalTokens }: Credentials,
  token: string,
): Promise<Authentication | undefined> {
  const personal = await personalTokens.find(token)
  if (personal) return { form: 'personalToken', ...personal }
  const record = await tokens.find(new Secret(token))
  return record && { form: 'oauth', user: record.user, scopes: record.scopes }
}

async function app({ appTokens }: Credentials, token: string): Promise<Authentication> {
  const verified = await appTokens.verify(token)
  return verified.ok ? { form: 'app', appId: verified.appId } : invalidToken(verified.problem)
}

function invalidToken(message: string): Refused {
  return refuse(401, 'invalid_token', message)
}

function invalidRequest(message: string): Refused {
  return refuse(400, 'invalid_request', message)
}

function refuse(status: 400 | 401, error: string, message: string): Refused {
  return { form: 'refused', status, message, challenge: `Bearer ${REALM}, error="${error}"` }
}
