import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** The key of the application, made anew for every run, as every kind of text and bytes. */
export const key = {
  privateKey: rsa.privateKey,
  publicKey: rsa.publicKey,
  pkcs1: pem(rsa.privateKey, 'pkcs1'),
  pkcs8: pem(rsa.privateKey, 'pkcs8'),
  pkcs1Der: rsa.privateKey.export({ type: 'pkcs1', format: 'der' }),
  pkcs8Der: rsa.privateKey.export({ type: 'pkcs8', format: 'der' }),
  jwk: rsa.privateKey.export({ format: 'jwk' }),
}

/** A certificate of nobody, whose key was thrown away. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIUdAIJwF5m0bS6egNhm44uHep6QFgwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHZXhhbXBsZTAeFw0yNjExMjExMTE4MjlaFw0yNjExMjIxMTE4
MjlaMBIxEDAOBgNVBAMMB2V4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AAR/a6xSCFpZFiTQlqbAqgVzkq6OQQnwjbehr9VkOorvKnD/dta6UoynALVmfqpU
YXqBO95ZoN2+PuKMTkPXVHy0o1MwUTAdBgNVHQ4EFgQULRRHLqQCg/Eub/eppGnY
t7DGND4wHwYDVR0jBBgwFoAULRRHLqQCg/Eub/eppGnYt7DGND4wDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAqPGVEbsyBMYRlKOwFKwLoNbUNNZC
Kh/3U6im5ZK7s7cCIER4bM5wEtyeBfX0nRrSA2otUyRTnxW9xv1fKNzGBp1S
-----END CERTIFICATE-----
`

export function pem(privateKey: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1'): string {
  return privateKey.export({ type: type as 'pkcs8', format: 'pem' }).toString()
}

export function publicPem(privateKey: KeyObject, type: 'spki' | 'pkcs1'): string {
  return createPublicKey(privateKey)
    .export({ type: type as 'spki', format: 'pem' })
    .toString()
}

/** Imports the key of the application for WebCrypto. */
export function cryptoKey(
  algorithm: RsaHashedImportParams = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  usages: KeyUsage[] = ['sign'],
): Promise<CryptoKey> {
  return crypto.subtle.importKey('pkcs8', new Uint8Array(key.pkcs8Der), algorithm, true, usages)
}
