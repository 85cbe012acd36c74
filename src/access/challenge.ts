/** The realm of every challenge. */
export const REALM = 'realm="authgraph"'

/**
 * The header `WWW-Authenticate` of a refused request. Parameters without a value are left out.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750.html#section-3 RFC 6750, section 3}
 */
export function bearerChallenge(parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return [`Bearer ${REALM}`, ...given.map(([name, value]) => `${name}="${value}"`)].join(', ')
}
