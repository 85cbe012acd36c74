import type { User } from '../../machines/device-grant.ts'
import { Secret } from '../secret.ts'
import type { Tokens } from './tokens.ts'

/**
 * Who sends a request, by the form of its credential, or why it is refused.
 *
 * @group Service
 * @see Spec 5
 */
export type Authentication =
  | { readonly form: 'none' }
  | { readonly form: 'oauth'; readonly user: User; readonly scopes: readonly string[] }
  | Refused

/**
 * A credential that does not hold.
 *
 * @group Service
 */
export interface Refused {
  readonly form: 'refused'
  readonly status: 401
  /** For people. */
  readonly message: string
  /** The value of the header `WWW-Authenticate`. */
  readonly challenge: string
}

/** What a credential in a header may be made of. RFC 6750, section 2.1. */
const CREDENTIAL = /^(?:bearer|token) +([A-Za-z0-9\-._~+/]+=*)$/i

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
  const [, token] = CREDENTIAL.exec(authorization) ?? []
  const record = token === undefined ? undefined : await tokens.find(new Secret(token))
  if (record === undefined) {
    return {
      form: 'refused',
      status: 401,
      message: 'bad credentials',
      challenge: 'Bearer realm="authgraph", error="invalid_token"',
    }
  }
  return { form: 'oauth', user: record.user, scopes: record.scopes }
}
