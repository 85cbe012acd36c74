import type { User } from '../../machines/device-grant.ts'
import type { Tokens } from './tokens.ts'

/**
 * Who sends a request, or why it is refused.
 *
 * @group Service
 * @see Spec 5
 */
export type Authentication =
  | { readonly form: 'none' }
  | { readonly form: 'oauth'; readonly user: User; readonly scopes: readonly string[] }
  | Refused

/** A credential that does not hold. */
export interface Refused {
  readonly form: 'refused'
  readonly status: 400 | 401
  /** For people. */
  readonly message: string
  /** The value of the header `WWW-Authenticate`. */
  readonly challenge: string
}

/**
 * Recognises the credential of a request by its header `Authorization`.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1 RFC 6750, section 2.1}
 */
export async function authenticate(
  tokens: Tokens,
  authorization: string | undefined,
): Promise<Authentication> {
  if (authorization === undefined) return { form: 'none' }
  const [, token] = /^(?:bearer|token) +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization) ?? []
  if (token === undefined) return refuse(400, 'invalid_request', 'the header Authorization cannot be read')
  const record = await tokens.find(token)
  if (record === undefined) return refuse(401, 'invalid_token', 'bad credentials')
  return { form: 'oauth', user: record.user, scopes: record.scopes }
}

function refuse(status: 400 | 401, error: string, message: string): Refused {
  return { form: 'refused', status, message, challenge: `Bearer realm="authgraph", error="${error}"` }
}
