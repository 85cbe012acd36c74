import type { CryptoKey } from 'jose'
import { JwtError } from '../errors.ts'
import { type AppPrivateKey, importPrivateKey } from './import-private-key.ts'
import type { SignBytes } from './sign-bytes.ts'

/** Signs with a key that is read once, at the first call; calls that come meanwhile wait for the same reading. */
export function signWithKey(privateKey: AppPrivateKey): SignBytes {
  let imported: Promise<CryptoKey> | undefined
  return async (signingInput) => {
    imported ??= importPrivateKey(privateKey)
    const key = await imported
    try {
      return new Uint8Array(await crypto.subtle.sign(key.algorithm.name, key, signingInput))
    } catch {
      // No cause: an error of a cryptography library may quote the key.
      throw new JwtError('sign_failed', 'the private key was read but does not sign: is it damaged?')
    }
  }
}
