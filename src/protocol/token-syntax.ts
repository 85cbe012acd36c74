/**
 * Tells what may be a token: visible ASCII characters and spaces. Others could write to a terminal or end a header.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#appendix-A.12 RFC 6749, appendix A.12}
 */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)
}

/** Tells the one type of token that is known how to send. RFC 6749, section 5.1: case does not matter. */
export function isBearer(tokenType: string): boolean {
  return tokenType.toLowerCase() === 'bearer'
}
