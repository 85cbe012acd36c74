const nodeCrypto = globalThis.process?.getBuiltinModule?.('node:crypto')

/**
 * SHA-256 in hexadecimal digits. Device codes and tokens are kept in this form only: whoever reads the store cannot
 * use them. They are random and long, so that a salt would add nothing.
 */
export async function hash(text: string): Promise<string> {
  // At once where the runtime can, since WebCrypto takes a turn of a thread pool.
  if (nodeCrypto?.hash) return nodeCrypto.hash('sha256', text)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toHex(new Uint8Array(digest))
}

/** HMAC-SHA-256 in hexadecimal digits. */
export async function hmac(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  return toHex(new Uint8Array(await crypto.subtle.sign(algorithm.name, key, encoder.encode(text))))
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Compares two texts in a time that does not tell where they differ. */
export function same(left: string, right: string): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index += 1)
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}
