import type { User } from '../../../machines/device-grant.ts'
import { Secret } from '../../secret.ts'
import type { Limiter } from '../limiter.ts'
import type { AppTokens } from './app-jwts.ts'
import type { Passwords } from './passwords.ts'
import type { PersonalTokens } from './personal-tokens.ts'
import type { Tokens } from './tokens.ts'

/**
 * Who sends a request, by which form of authentication, or why the credential does not hold.
 *
 * @group Service
 * @see Spec 2.1, 5
 */
export type Authentication =
  | { readonly form: 'none' }
  | { readonly form: 'basic'; readonly user: User }
  | { readonly form: 'personalToken'; readonly user: User; readonly scopes: readonly string[] }
  | { readonly form: 'app'; readonly appId: number | string }
  | { readonly form: 'oauth'; readonly user: User; readonly scopes: readonly string[] }
  | Refused

/**
 * A credential that does not hold.
 *
 * @group Service
 */
export interface Refused {
  readonly form: 'refused'
  readonly status: 400 | 401 | 429
  /** For people. */
  readonly message: string
  /** The value of the header `WWW-Authenticate`. */
  readonly challenge: string
  /** Seconds to wait, with status 429: too many wrong passwords came from the network of the client, or for this user. */
  readonly retryAfter?: number
}

/** Where each kind of credential is looked up. */
export interface Credentials {
  readonly passwords: Passwords
  readonly personalTokens: PersonalTokens
  readonly appTokens: AppTokens
  readonly tokens: Tokens
  readonly limiter: Limiter
}

/** Where a request may carry a credential. */
export interface CredentialRequest {
  readonly authorization: string | undefined
  readonly query: URLSearchParams
  /** Where the client is: wrong passwords are counted by it; where it is not known, by the user. */
  readonly address: string | undefined
}

const REALM = 'realm="authgraph"'

/** What is answered where a credential is needed and there is none. */
export const CHALLENGE = `Bearer ${REALM}`

/**
 * Recognises the credential of a request. There may be one: a list of them in the header, or one in the address
 * besides, is refused.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750.html#section-2 RFC 6750, section 2}
 */
export async function authenticate(
  credentials: Credentials,
  { authorization, query, address }: CredentialRequest,
): Promise<Authentication> {
  if (query.has('access_token')) return invalidRequest('a credential in the address is not accepted')
  if (authorization === undefined) return { form: 'none' }
  const [, scheme = '', value = ''] = /^([a-z]+) +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization) ?? []
  switch (scheme.toLowerCase()) {
    case 'basic':
      return basic(credentials, value, address)
    case 'bearer':
      return (await stored(credentials, value)) ?? app(credentials, value)
    case 'token':
      return (await stored(credentials, value)) ?? invalidToken('bad credentials')
    default:
      return invalidRequest('the header Authorization cannot be read as one credential')
  }
}

async function basic(
  { passwords, limiter }: Credentials,
  value: string,
  address: string | undefined,
): Promise<Authentication> {
  const checked = await passwords.check(value)
  const allowed = await limiter.password(address, checked)
  const challenge = `Basic ${REALM}, charset="UTF-8"`
  if (!allowed.ok)
    return {
      form: 'refused',
      status: 429,
      message: 'too many wrong passwords',
      challenge,
      retryAfter: allowed.retryAfter,
    }
  if (checked.isRight) return { form: 'basic', user: checked.username }
  return { form: 'refused', status: 401, message: 'bad user name or password', challenge }
}

/** The tokens that are looked up, before the one that is computed: a host may issue tokens that look like it. */
async function stored(
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
