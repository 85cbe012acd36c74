import { JwtError, type JwtErrorCode } from '../errors.ts'

/** What is wrong with a key, and what to do about it. Never quotes a key. */
const ADVICE = {
  key_truncated: 'the private key is incomplete: pass all of its lines, in quotes if it is in an .env file',
  key_public: 'this is a public key: pass the private key',
  key_certificate: 'this is a certificate: pass the private key',
  key_openssh: 'the private key is in OpenSSH format: convert a copy with "ssh-keygen -p -m PEM -f <copy>"',
  key_encrypted: 'the private key is encrypted: decrypt it with "openssl pkey -in <file> -out <new file>"',
  key_not_rsa: 'the key is not an RSA key for RS256: generate a new key in the settings of the app',
  key_unreadable: 'the private key cannot be read: it must be the text of a PEM file',
  key_too_short: 'the RSA key has fewer than 2048 bits: generate a new key in the settings of the app',
} satisfies Record<Extract<JwtErrorCode, `key_${string}`>, string>

export function refuseKey(code: keyof typeof ADVICE): JwtError {
  return new JwtError(code, ADVICE[code])
}
