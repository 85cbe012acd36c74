import { createHash, createHmac, hash, type JsonWebKey } from 'node:crypto'

type Key = ReturnType<typeof keyOf>
type Bytes = Uint8Array<ArrayBuffer>

/**
 * What the code that is simulated uses of WebCrypto. The runtime's own takes turns of a thread pool, whose order no seed
 * decides. Signatures are hashes that name their key: real ones would take a quarter of the time of bound tokens.
 */
export function subtleOf(random: (bytes: Bytes) => Bytes) {
  const signed = ({ jwk }: Key, data: Bytes) => createHash('sha512').update(`${jwk.x}`).update(data).digest()
  return {
    importKey: async (format: string, key: Bytes & JsonWebKey, algorithm: object) =>
      format === 'raw' ? key : keyOf(key, algorithm),
    exportKey: async (_: string, { jwk }: Key) => jwk,
    generateKey: async (algorithm: object) => ({ privateKey: keyOf(newJwk(random), algorithm) }),
    digest: async (_: string, data: Bytes) => hash('sha256', data, 'buffer'),
    sign: async (_: unknown, key: Key | Bytes, data: Bytes) =>
      'jwk' in key ? signed(key, data) : createHmac('sha256', key).update(data).digest(),
    verify: async (_: unknown, key: Key, signature: Bytes, data: Bytes) =>
      signed(key, data).equals(signature),
  }
}

/** A key as jose examines it. */
function keyOf(jwk: JsonWebKey, algorithm: object) {
  const [type, use] = jwk.d ? ['private', 'sign'] : ['public', 'verify']
  return { [Symbol.toStringTag]: 'CryptoKey', type, algorithm, usages: [use], extractable: true, jwk }
}

/** A private key that looks like one on the curve P-256. */
export function newJwk(random: (bytes: Bytes) => Bytes): JsonWebKey {
  const d = random(new Uint8Array(32))
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  const [x, y] = ['x', 'y'].map((axis) => createHash('sha256').update(axis).update(d).digest())
  return { kty: 'EC', crv: 'P-256', x: text(x as Bytes), y: text(y as Bytes), d: text(d) }
}
