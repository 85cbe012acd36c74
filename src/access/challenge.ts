export const REALM = 'realm="authgraph"'

/** The parameters of a challenge. Those without a value are left out. */
type Parameters = Readonly<Record<string, string | undefined>>

/**
 * The header `WWW-Authenticate` of a refused request.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750.html#section-3 RFC 6750, section 3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1 RFC 9449, section 7.1}
 */
export function challenge(scheme: 'Bearer' | 'DPoP', parameters: Parameters = {}): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return [`${scheme} ${REALM}`, ...given.map(([name, value]) => `${name}="${value}"`)].join(', ')
}
