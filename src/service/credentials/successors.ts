import { Secret } from '../../secret.ts'
import {
  decrypt,
  encrypt,
  fromBase64,
  KEY_LENGTH,
  NONCE_LENGTH,
  type Sealed,
  toBase64,
} from '../../store/encryption.ts'
import type { Json } from '../../store/store.ts'

/** What a refresh delivers. */
export interface TokenPair {
  readonly accessToken: Secret
  readonly refreshToken: Secret
  /** The scopes of the access token. */
  readonly scopes: readonly string[]
  /** When the access token expires, in epoch milliseconds. */
  readonly expiresAt: number
}

const builtIn = globalThis.process?.getBuiltinModule?.('node:crypto')

/** Some runtimes have a part of the module only. */
const nodeCrypto =
  typeof builtIn?.hkdfSync === 'function' && typeof builtIn.createCipheriv === 'function'
    ? builtIn
    : undefined

/** Separates these keys from others that may ever be derived from a refresh token. */
const LABEL = 'authgraph: successor of a refresh token'

/** Bytes of the tag at the end of an encrypted text. */
const TAG_LENGTH = 16

/**
 * Encrypts a pair with a key that only the spent refresh token yields: whoever reads the store cannot open it.
 *
 * @param bound The family and the generation of the pair. It opens in no other place.
 */
export async function sealPair(spent: Secret, pair: TokenPair, bound: string): Promise<NonNullable<Json>> {
  const { accessToken, refreshToken, scopes, expiresAt } = pair
  const text = JSON.stringify([accessToken.reveal(), refreshToken.reveal(), scopes, expiresAt])
  if (nodeCrypto === undefined) return encrypt(await keyFrom(spent), text, bound)
  // Synchronous, as in `hash`.
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_LENGTH))
  const cipher = nodeCrypto.createCipheriv('aes-256-gcm', syncKeyFrom(nodeCrypto, spent), iv)
  cipher.setAAD(new TextEncoder().encode(bound))
  // Not every runtime with this module has a global Buffer.
  const bytes = [...cipher.update(text, 'utf8'), ...cipher.final(), ...cipher.getAuthTag()]
  return [toBase64(iv), toBase64(Uint8Array.from(bytes))]
}

/** Decrypts a pair. Rejects if it was sealed for another token or another place. */
export async function openPair(spent: Secret, value: Json, bound: string): Promise<TokenPair> {
  const sealed = value as unknown as Sealed
  const text =
    nodeCrypto === undefined
      ? await decrypt(await keyFrom(spent), sealed, bound)
      : openSync(nodeCrypto, { spent, sealed, bound })
  const [accessToken, refreshToken, scopes, expiresAt] = JSON.parse(text)
  return { accessToken: new Secret(accessToken), refreshToken: new Secret(refreshToken), scopes, expiresAt }
}

type NodeCrypto = NonNullable<typeof nodeCrypto>

function openSync(
  { createDecipheriv, hkdfSync }: NodeCrypto,
  { spent, sealed, bound }: { readonly spent: Secret; readonly sealed: Sealed; readonly bound: string },
): string {
  const [iv, bytes] = sealed.map(fromBase64) as [Uint8Array, Uint8Array]
  const options = { authTagLength: TAG_LENGTH }
  const decipher = createDecipheriv('aes-256-gcm', syncKeyFrom({ hkdfSync }, spent), iv, options)
  decipher.setAAD(new TextEncoder().encode(bound)).setAuthTag(bytes.subarray(-TAG_LENGTH))
  return decipher.update(bytes.subarray(0, -TAG_LENGTH), undefined, 'utf8') + decipher.final('utf8')
}

function syncKeyFrom({ hkdfSync }: Pick<NodeCrypto, 'hkdfSync'>, spent: Secret): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', spent.reveal(), '', LABEL, KEY_LENGTH))
}

/** HKDF. The token is random and long, so a salt would add nothing. RFC 5869, section 3.1. */
async function keyFrom(spent: Secret): Promise<CryptoKey> {
  const encoder = new TextEncoder()
  const material = await crypto.subtle.importKey('raw', encoder.encode(spent.reveal()), 'HKDF', false, [
    'deriveKey',
  ])
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(LABEL) }
  return crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ])
}
