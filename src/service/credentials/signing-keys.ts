import type { CryptoKey, JWK, JWTPayload } from 'jose'
import { BadOptionError } from '../../errors.ts'
import { Secret } from '../../secret.ts'

/**
 * A private key that signs JWTs with RS256 or, on the curve P-256, with ES256: PEM (PKCS#8), a JWK, or a CryptoKey that can
 * be exported. PEM and JWK may be wrapped in a `Secret`, the JWK as JSON text.
 */
export type SigningKey = string | Secret | JWK | CryptoKey

/** The algorithms, as `alg` of a JWT names them. RFC 7518, sections 3.3 and 3.4. */
const ALGORITHMS = ['ES256', 'RS256'] as const

type Algorithm = (typeof ALGORITHMS)[number]

export interface PublishedKey extends JWK {
  readonly kid: string
  readonly alg: Algorithm
}

interface LoadedKey {
  readonly privateKey: CryptoKey
  readonly publicKey: PublishedKey
}

/** What kind of JWT it is, as its header names it. RFC 9068, section 2.1. */
type JwtType = 'at+jwt' | 'JWT'

/**
 * Reads the keys of a service: the first one signs, and all are published.
 *
 * @param onError Called with what is wrong with a key, at once: not only when the first token is issued.
 */
export function createSigningKeys(keys: readonly SigningKey[], onError: (error: unknown) => void) {
  const loaded = loadAll(keys)
  loaded.catch(onError)

  return {
    /** The public keys. RFC 7517, section 5. */
    publicKeys: async (): Promise<readonly PublishedKey[]> =>
      (await loaded).map(({ publicKey }) => publicKey),

    async sign(typ: JwtType, claims: JWTPayload): Promise<Secret> {
      const { SignJWT } = await import('jose/jwt/sign')
      const { privateKey, publicKey } = (await loaded)[0]
      const { alg, kid } = publicKey
      return new Secret(await new SignJWT(claims).setProtectedHeader({ alg, typ, kid }).sign(privateKey))
    },
  }
}

export type SigningKeys = ReturnType<typeof createSigningKeys>

async function loadAll(keys: readonly SigningKey[]): Promise<[LoadedKey, ...LoadedKey[]]> {
  const [first, ...others] = await Promise.all(keys.map(load))
  if (first === undefined) throw new BadOptionError('keys must not be empty')
  const ids = new Set([first, ...others].map(({ publicKey }) => publicKey.kid))
  if (ids.size < keys.length) throw new BadOptionError('keys must not contain the same key or "kid" twice')
  return [first, ...others]
}

async function load(key: SigningKey, index: number): Promise<LoadedKey> {
  try {
    return await read(key)
  } catch {
    // No cause: an error of a parser may quote the key.
    throw new BadOptionError(
      `keys[${index}] cannot sign: it must be an RSA key of 2048 bits or more, or one on the curve P-256`,
    )
  }
}

async function read(key: SigningKey): Promise<LoadedKey> {
  const [{ calculateJwkThumbprint }, { SignJWT }] = await Promise.all([
    import('jose/jwk/thumbprint'),
    import('jose/jwt/sign'),
  ])
  const { privateKey, alg, kid } = await importKey(key)
  // jose refuses here what it would refuse at the first token, such as a short key.
  await new SignJWT().setProtectedHeader({ alg }).sign(privateKey)
  const { kty, n, e, crv, x, y } = await crypto.subtle.exportKey('jwk', privateKey)
  const members = kty === 'RSA' ? { kty, n, e } : { kty, crv, x, y }
  const publicKey = { ...members, kid: kid ?? (await calculateJwkThumbprint(members as JWK)), alg }
  return { privateKey, publicKey: { ...publicKey, use: 'sig' } as PublishedKey }
}

async function importKey(
  key: SigningKey,
): Promise<{ readonly privateKey: CryptoKey; readonly alg: Algorithm; readonly kid?: string | undefined }> {
  const { importJWK, importPKCS8 } = await import('jose/key/import')
  if (typeof key === 'object' && 'usages' in key) {
    const alg = key.algorithm.name === 'ECDSA' ? 'ES256' : 'RS256'
    return { privateKey: key as CryptoKey, alg }
  }
  if (typeof key === 'object' && 'kty' in key) {
    const alg = key.kty === 'EC' ? 'ES256' : 'RS256'
    const privateKey = (await importJWK(key, alg, { extractable: true })) as CryptoKey
    return { privateKey, alg, kid: key.kid }
  }
  const text = Secret.of(key as string | Secret).reveal()
  if (text.trimStart().startsWith('{')) return importKey(JSON.parse(text))
  // Settings and environment variables often hold newlines as two characters.
  const pem = text.replaceAll('\\n', '\n')
  const tried = ALGORITHMS.map(async (alg) => ({
    privateKey: await importPKCS8(pem, alg, { extractable: true }),
    alg,
  }))
  return Promise.any(tried)
}
