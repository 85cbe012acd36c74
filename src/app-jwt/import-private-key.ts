import type { CryptoKey, JWK, KeyObject } from 'jose'
import { JwtError } from '../errors.ts'
import { Secret } from '../secret.ts'
import { readPem } from './read-pem.ts'
import { refuseKey } from './refuse-key.ts'
import { toPkcs8 } from './to-pkcs8.ts'

const RS256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

/** Smallest modulus in bits that RS256 allows. */
const LEAST_BITS = 2048

/**
 * A private RSA key in any common form: PEM text (PKCS#1 or PKCS#8), a JWK as text or object, the bytes of a PEM or DER
 * file, a `CryptoKey` for RS256, or a Node `KeyObject`. Text may be wrapped in a `Secret`.
 */
export type AppPrivateKey = string | Secret | Uint8Array | ArrayBuffer | JWK | CryptoKey | KeyObject

/**
 * Converts any form of private key to one that WebCrypto signs with. Uses only WebCrypto.
 *
 * @throws {@link JwtError} with a code that begins with `key_`.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7518.html#section-3.3 RFC 7518, section 3.3}
 */
export async function importPrivateKey(privateKey: AppPrivateKey): Promise<CryptoKey> {
  if (globalThis.crypto?.subtle === undefined)
    throw new JwtError('sign_failed', 'WebCrypto is not available: browsers provide it on https pages only')
  const key = await toCryptoKey(privateKey).catch((error) => {
    // Any other error comes from a parser or from WebCrypto, and may quote the key.
    throw error instanceof JwtError ? error : refuseKey('key_unreadable')
  })
  if ((key.algorithm as RsaHashedKeyAlgorithm).modulusLength < LEAST_BITS) throw refuseKey('key_too_short')
  return key
}

async function toCryptoKey(key: AppPrivateKey): Promise<CryptoKey> {
  if (typeof key === 'string') return fromText(key)
  if (key === undefined || key === null) return fromText('')
  // By property rather than by class: a class may exist twice, and `KeyObject` exists only in Node.
  if ('reveal' in key) return fromText(Secret.of(key).reveal())
  if ('byteLength' in key) return fromBytes(new Uint8Array(key))
  if ('kty' in key) return fromJwk(key)
  if ('usages' in key) return checkCryptoKey(key)
  if ('export' in key) return fromKeyObject(key as ExportableKey)
  throw refuseKey('key_unreadable')
}

async function fromText(text: string): Promise<CryptoKey> {
  if (text.trim() === '')
    throw new JwtError('key_unreadable', 'the private key is missing: is its environment variable set?')
  return text.trimStart().startsWith('{') ? fromJwk(JSON.parse(text)) : importPkcs8(toPkcs8(readPem(text)))
}

async function fromBytes(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const isDer = bytes[0] === 0x30
  return isDer ? importPkcs8(toPkcs8(bytes)) : fromText(new TextDecoder().decode(bytes))
}

async function fromJwk(jwk: JWK): Promise<CryptoKey> {
  if (jwk.kty !== 'RSA') throw refuseKey('key_not_rsa')
  if (jwk.d === undefined) throw refuseKey('key_public')
  return crypto.subtle.importKey('jwk', jwk as JsonWebKey, RS256, false, ['sign'])
}

function checkCryptoKey(key: CryptoKey): CryptoKey {
  const { name, hash } = key.algorithm as RsaHashedKeyAlgorithm
  if (key.type === 'public') throw refuseKey('key_public')
  if (!name.startsWith('RSA')) throw refuseKey('key_not_rsa')
  if (name === RS256.name && hash.name === RS256.hash) return key
  throw new JwtError(
    'key_unreadable',
    'the CryptoKey cannot sign RS256: import it as RSASSA-PKCS1-v1_5 with SHA-256',
  )
}

interface ExportableKey {
  readonly type: string
  readonly asymmetricKeyType?: string
  export(options: { type: 'pkcs8'; format: 'der' }): Uint8Array
}

async function fromKeyObject(key: ExportableKey): Promise<CryptoKey> {
  if (key.type === 'public') throw refuseKey('key_public')
  if (key.asymmetricKeyType !== 'rsa') throw refuseKey('key_not_rsa')
  return importPkcs8(new Uint8Array(key.export({ type: 'pkcs8', format: 'der' })))
}

function importPkcs8(pkcs8: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('pkcs8', pkcs8, RS256, false, ['sign'])
}
