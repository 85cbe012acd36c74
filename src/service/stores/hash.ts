import { hexSha256, toHex } from '../../request/sha256.ts'

/**
 * SHA-256 in hexadecimal. The store holds device codes and tokens only in this form, so that nobody who reads it can use
 * them. They are random and long, so a salt would add nothing.
 */
export const hash = hexSha256

export async function hmac(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  return toHex(new Uint8Array(await crypto.subtle.sign(algorithm.name, key, encoder.encode(text))))
}

/** Compares two texts in constant time. */
export function same(left: string, right: string): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index += 1)
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}
