const nodeCrypto = globalThis.process?.getBuiltinModule?.('node:crypto')

/**
 * SHA-256 of a text. Synchronous if the runtime supports it: the threads of WebCrypto take real time, also in a test
 * whose time is virtual.
 */
export async function sha256(text: string): Promise<Uint8Array> {
  if (nodeCrypto?.hash) return nodeCrypto.hash('sha256', text, 'buffer')
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

/** The two digits of each byte: each poll of a service needs 32 of them, and most programs none. */
let pairs: readonly string[] | undefined

export function toHex(bytes: Uint8Array): string {
  pairs ??= Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
  let digits = ''
  for (const byte of bytes) digits += pairs[byte]
  return digits
}
