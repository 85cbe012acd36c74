/**
 * SHA-256 of a text. Synchronous if the runtime supports it: the threads of WebCrypto take real time, also in a test
 * whose time is virtual.
 */
export async function sha256(text: string): Promise<Uint8Array> {
  const node = nodeCrypto()
  if (node?.hash) return node.hash('sha256', text, 'buffer')
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

/** SHA-256 of a text, in hexadecimal. A buffer on the way there would cost four times as much, at each poll of a service. */
export async function hexSha256(text: string): Promise<string> {
  const node = nodeCrypto()
  return node?.hash ? node.hash('sha256', text, 'hex') : toHex(await sha256(text))
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** On demand: it takes Node two milliseconds to load, and a login without PKCE hashes nothing. */
function nodeCrypto() {
  return globalThis.process?.getBuiltinModule?.('node:crypto')
}
