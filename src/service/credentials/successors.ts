import { Secret } from '../../secret.ts'
import { decrypt, encrypt, type Sealed } from '../../store/encryption.ts'
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

/** Separates these keys from others that may ever be derived from a refresh token. */
const LABEL = 'authgraph: successor of a refresh token'

/**
 * Encrypts a pair with a key that only the spent refresh token yields: whoever reads the store cannot open it.
 *
 * @param bound The family and the generation of the pair. It opens in no other place.
 */
export async function sealPair(spent: Secret, pair: TokenPair, bound: string): Promise<NonNullable<Json>> {
  const { accessToken, refreshToken, scopes, expiresAt } = pair
  const text = JSON.stringify([accessToken.reveal(), refreshToken.reveal(), scopes, expiresAt])
  return encrypt(await keyFrom(spent), text, bound)
}

/** Decrypts a pair. Rejects if it was sealed for another token or another place. */
export async function openPair(spent: Secret, sealed: Json, bound: string): Promise<TokenPair> {
  const text = await decrypt(await keyFrom(spent), sealed as unknown as Sealed, bound)
  const [accessToken, refreshToken, scopes, expiresAt] = JSON.parse(text)
  return { accessToken: new Secret(accessToken), refreshToken: new Secret(refreshToken), scopes, expiresAt }
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
