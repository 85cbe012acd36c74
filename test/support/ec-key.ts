import { exportJWK, generateKeyPair, type JWK } from 'jose'

/** A private key for ES256 that was made for this run. */
export async function ecKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid }
}
