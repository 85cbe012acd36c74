import type { CompactJWSHeaderParameters, CryptoKey } from 'jose'
import { CompactSign } from 'jose/jws/compact/sign'
import { JwtError } from '../errors.ts'
import { type AppPrivateKey, importPrivateKey } from './import-private-key.ts'

/**
 * Signs a payload and returns the compact JWS: header, payload and signature in base64url, separated by dots.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7515.html#section-7.1 RFC 7515, section 7.1}
 */
export type SignCompact = (
  header: CompactJWSHeaderParameters,
  payload: Uint8Array<ArrayBuffer>,
) => Promise<string>

/** Signs with a private key, which is imported once, on the first call. Concurrent calls wait for the same import. */
export function signWithKey(privateKey: AppPrivateKey): SignCompact {
  let imported: Promise<CryptoKey> | undefined
  return async (header, payload) => {
    imported ??= importPrivateKey(privateKey)
    const key = await imported
    try {
      return await new CompactSign(payload).setProtectedHeader(header).sign(key)
    } catch {
      // No cause: an error of a cryptography library may quote the key.
      throw new JwtError('sign_failed', 'the private key was read but cannot sign: is it damaged?')
    }
  }
}
