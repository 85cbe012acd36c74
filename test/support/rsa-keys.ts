import { generateKeyPairSync } from 'node:crypto'

/** A key pair created for this run: the repository contains no private key. */
export function rsaKeys(bits = 2048) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  return {
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    keyObject: privateKey,
  }
}
