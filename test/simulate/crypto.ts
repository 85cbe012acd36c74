import {
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

/** A key of `subtle`, as jose examines it. */
interface Key {
  readonly [Symbol.toStringTag]: 'CryptoKey'
  readonly type: 'private' | 'public'
  readonly algorithm: object
  readonly usages: readonly string[]
  readonly extractable: boolean
  readonly jwk: JsonWebKey
  readonly object: KeyObject
}

type Bytes = Uint8Array<ArrayBuffer>

/** What the code that is simulated uses of WebCrypto. The runtime's own takes turns of a thread pool, whose order no seed decides. */
export function subtleOf(random: (bytes: Bytes) => Bytes) {
  const keyOf = (jwk: JsonWebKey, algorithm: object): Key => ({
    [Symbol.toStringTag]: 'CryptoKey',
    type: jwk.d ? 'private' : 'public',
    algorithm,
    usages: [jwk.d ? 'sign' : 'verify'],
    extractable: true,
    jwk,
    object: jwk.d
      ? createPrivateKey({ key: jwk, format: 'jwk' })
      : createPublicKey({ key: jwk, format: 'jwk' }),
  })
  const signing = (key: Key) => ({ key: key.object, dsaEncoding: 'ieee-p1363' as const })
  return {
    importKey: async (format: string, key: Bytes & JsonWebKey, algorithm: object) =>
      format === 'raw' ? key : keyOf(key, algorithm),
    exportKey: async (_: string, { jwk }: Key) => jwk,
    generateKey: async (algorithm: object) => ({ privateKey: keyOf(newJwk(random), algorithm) }),
    digest: async (_: string, data: Bytes) => createHash('sha256').update(data).digest(),
    sign: async (_: unknown, key: Key | Bytes, data: Bytes) =>
      'object' in key ? sign('sha256', data, signing(key)) : createHmac('sha256', key).update(data).digest(),
    verify: async (_: unknown, key: Key, signature: Bytes, data: Bytes) =>
      verify('sha256', data, signing(key), signature),
  }
}

/** A private key on the curve P-256. */
export function newJwk(random: (bytes: Bytes) => Bytes): JsonWebKey {
  const pair = createECDH('prime256v1')
  const d = random(new Uint8Array(32))
  pair.setPrivateKey(d)
  const point = pair.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)]
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  return { kty: 'EC', crv: 'P-256', x: text(x), y: text(y), d: text(d) }
}
