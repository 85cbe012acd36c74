const nodeCrypto = globalThis.process?.getBuiltinModule?.('node:crypto')

/**
 * SHA-256 in hexadecimal. The store holds device codes and tokens only in this form, so that nobody who reads it can use
 * them. They are random and long, so a salt would add nothing.
 */
export async function hash(text: string): Promise<string> {
  // Synchronous if the runtime supports it: WebCrypto needs a thread pool.
  if (nodeCrypto?.hash) return nodeCrypto.hash('sha256', text)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toHex(new Uint8Array(digest))
}

/** HMAC-SHA-256 in hexadecimal. */
export async function hmac(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  return toHex(new Uint8Array(await crypto.subtle.sign(algorithm.name, key, encoder.encode(text))))
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Compares two texts in constant time. */
export function same(left: string, right: string): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index += 1)
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}
