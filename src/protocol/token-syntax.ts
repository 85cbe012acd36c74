/**
 * Whether a value can be a token: visible ASCII characters and spaces. Other characters could write to a terminal or
 * end a header.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#appendix-A.12 RFC 6749, appendix A.12}
 */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)
}

/**
 * Whether a token type is `bearer`, the only type that this package can send. It is case-insensitive: RFC 6749, section
 * 5.1.
 */
export function isBearer(tokenType: string): boolean {
  return tokenType.toLowerCase() === 'bearer'
}
