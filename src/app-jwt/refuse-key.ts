import { JwtError, type JwtErrorCode } from '../errors.ts'

/** What is wrong with a key, and what to do about it. Quotes nothing of any key. */
const ADVICE = {
  key_truncated:
    'the private key is cut off: give all of its lines (an .env file keeps only the first one unless the value is quoted)',
  key_public: 'this is a public key: give the private key of the application',
  key_certificate: 'this is a certificate: give the private key of the application',
  key_openssh:
    'the private key is in the format of OpenSSH: convert a copy of it with "ssh-keygen -p -m PEM -f <copy>"',
  key_encrypted:
    'the private key is encrypted: decrypt it with "openssl pkey -in <file> -out <new file>" and give the new file',
  key_not_rsa: 'the key is no RSA key for RS256: generate one in the settings of the application',
  key_unreadable:
    'the private key cannot be read: give the PEM file as it was downloaded, DER bytes, a JWK, a CryptoKey for RS256 or a KeyObject',
  key_too_short: 'the RSA key has fewer than 2048 bits: generate one in the settings of the application',
} satisfies Record<Extract<JwtErrorCode, `key_${string}`>, string>

/** Makes the error for a key that cannot be used. */
export function refuseKey(code: keyof typeof ADVICE): JwtError {
  return new JwtError(code, ADVICE[code])
}
