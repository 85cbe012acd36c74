import type { Secret } from '../../secret.ts'
import {
  decrypt,
  encrypt,
  fromBase64,
  KEY_LENGTH,
  NONCE_LENGTH,
  type SealedText,
  toBase64,
} from '../../store/encryption.ts'

export interface Seal {
  /** Random and long, such as a token. Whoever reads the store cannot open the text without it. */
  readonly secret: Secret
  /** What the text is: separates its key from others that may ever be derived from the same secret. */
  readonly label: string
  /** Where the text belongs. It opens in no other place. */
  readonly bound: string
}

const builtIn = globalThis.process?.getBuiltinModule?.('node:crypto')

/** Some runtimes have a part of the module only. */
const nodeCrypto =
  typeof builtIn?.hkdfSync === 'function' && typeof builtIn.createCipheriv === 'function'
    ? builtIn
    : undefined

/** Bytes of the tag at the end of an encrypted text. */
const TAG_LENGTH = 16

/** Encrypts a text with a key that only the secret yields. */
export async function seal(text: string, by: Seal): Promise<SealedText> {
  if (nodeCrypto === undefined) return encrypt(await keyFrom(by), text, by.bound)
  // Synchronous, as in `hash`.
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_LENGTH))
  const cipher = nodeCrypto.createCipheriv('aes-256-gcm', syncKeyFrom(nodeCrypto, by), iv)
  cipher.setAAD(new TextEncoder().encode(by.bound))
  // Not every runtime with this module has a global Buffer.
  const bytes = [...cipher.update(text, 'utf8'), ...cipher.final(), ...cipher.getAuthTag()]
  return [toBase64(iv), toBase64(Uint8Array.from(bytes))]
}

/** Decrypts a text. Rejects if it was sealed with anything else. */
export async function unseal(sealed: SealedText, by: Seal): Promise<string> {
  return nodeCrypto === undefined
    ? decrypt(await keyFrom(by), sealed, by.bound)
    : openSync(nodeCrypto, sealed, by)
}

type NodeCrypto = NonNullable<typeof nodeCrypto>

function openSync({ createDecipheriv, hkdfSync }: NodeCrypto, sealed: SealedText, by: Seal): string {
  const [iv, bytes] = sealed.map(fromBase64) as [Uint8Array, Uint8Array]
  const options = { authTagLength: TAG_LENGTH }
  const decipher = createDecipheriv('aes-256-gcm', syncKeyFrom({ hkdfSync }, by), iv, options)
  decipher.setAAD(new TextEncoder().encode(by.bound)).setAuthTag(bytes.subarray(-TAG_LENGTH))
  return decipher.update(bytes.subarray(0, -TAG_LENGTH), undefined, 'utf8') + decipher.final('utf8')
}

function syncKeyFrom({ hkdfSync }: Pick<NodeCrypto, 'hkdfSync'>, { secret, label }: Seal): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret.reveal(), '', label, KEY_LENGTH))
}

/** HKDF. The secret is random and long, so a salt would add nothing. RFC 5869, section 3.1. */
async function keyFrom({ secret, label }: Seal): Promise<CryptoKey> {
  const encoder = new TextEncoder()
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret.reveal()), 'HKDF', false, [
    'deriveKey',
  ])
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(label) }
  return crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ])
}
