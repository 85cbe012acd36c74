import { BadOptionError } from '../errors.ts'
import { Secret } from '../secret.ts'

/** What such a header can carry: the `token68` of RFC 9110, section 11.2. */
export const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Creates the header that carries a token.
 *
 * @throws {@link BadOptionError} if a header cannot carry the token. The message does not quote it.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1 RFC 6750, section 2.1}
 */
export function bearer(token: string | Secret, scheme: 'Bearer' | 'DPoP' = 'Bearer'): Secret {
  const value = Secret.of(token ?? '').reveal()
  if (value === '') throw new BadOptionError('the token is empty: is its environment variable set?')
  if (!TOKEN68.test(value)) {
    throw new BadOptionError(
      'the token contains characters that a header cannot carry: remove white space and line breaks',
    )
  }
  return new Secret(`${scheme} ${value}`)
}

export function notBearer(): BadOptionError {
  return new BadOptionError(
    'the token type is neither "bearer" nor "DPoP": if the API accepts the token as a bearer token, pass the access token to oauth()',
  )
}
