/** A nonce and an encrypted text, both in base64. */
export type SealedText = readonly [nonce: string, bytes: string]

/** Bytes of a key of AES-256, and of a nonce. */
export const KEY_LENGTH = 32
export const NONCE_LENGTH = 12

/**
 * Encrypts a text with AES-256-GCM.
 *
 * @param bound What the text belongs to: it can be decrypted only with the same.
 */
export async function encrypt(key: CryptoKey, text: string, bound: string): Promise<SealedText> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_LENGTH))
  const bytes = await crypto.subtle.encrypt(parameters(iv, bound), key, new TextEncoder().encode(text))
  return [toBase64(iv), toBase64(new Uint8Array(bytes))]
}

/** Decrypts a text. Rejects if the key or `bound` is another one, or the text was changed. */
export async function decrypt(key: CryptoKey, [nonce, text]: SealedText, bound: string): Promise<string> {
  const bytes = await crypto.subtle.decrypt(parameters(fromBase64(nonce), bound), key, fromBase64(text))
  return new TextDecoder().decode(bytes)
}

function parameters(iv: Uint8Array<ArrayBuffer>, bound: string) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(bound) }
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
}
