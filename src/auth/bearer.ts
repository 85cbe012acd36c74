import { BadOptionError } from '../errors.ts'
import { Secret } from '../secret.ts'

/** What may stand behind `Bearer`: the `token68` of RFC 9110, section 11.2. */
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Writes the header that carries a token.
 *
 * @throws {@link BadOptionError} for a token that cannot stand in a header. It is not quoted.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1 RFC 6750, section 2.1}
 */
export function bearer(token: string | Secret): Secret {
  const value = Secret.of(token ?? '').reveal()
  if (value === '') throw new BadOptionError('the token is empty: is its environment variable set?')
  if (!TOKEN68.test(value)) {
    throw new BadOptionError(
      'the token contains characters that a header cannot carry: remove white space and line breaks',
    )
  }
  return new Secret(`Bearer ${value}`)
}
