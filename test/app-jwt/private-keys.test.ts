import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type AppPrivateKey, createAppJwtSigner, Secret } from '../../src/app-jwt/index.ts'
import { JwtError } from '../../src/errors.ts'
import { frozenClock } from './support/frozen-clock.ts'
import { certificate, cryptoKey, key, publicPem } from './support/keys.ts'

/** What every form of the key has to sign. */
const expected = await sign(key.privateKey)

const { pkcs1, pkcs8, pkcs1Der, pkcs8Der } = key
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')
const utf16 = (text: string) => Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(text, 'utf16le')])

describe('a key is taken as', () => {
  const kinds: Record<string, () => AppPrivateKey | Promise<AppPrivateKey>> = {
    'PKCS#1 PEM': () => pkcs1,
    'PKCS#8 PEM': () => pkcs8,
    'a Secret': () => new Secret(pkcs1),
    'a Secret of another copy of this package': () => ({ reveal: () => pkcs1 }) as Secret,
    'PKCS#1 DER': () => pkcs1Der,
    'PKCS#8 DER': () => pkcs8Der,
    'a Uint8Array that begins within its buffer': () =>
      new Uint8Array([0, 0, 0, ...pkcs1Der, 0]).subarray(3, -1),
    'an ArrayBuffer': () => new Uint8Array(pkcs8Der).buffer,
    'DER with bytes after it': () => Buffer.concat([pkcs1Der, Buffer.alloc(3)]),
    'the bytes of a PEM file': () => Buffer.from(pkcs1),
    'the bytes of a PEM file in UTF-16': () => utf16(pkcs1),
    'a JWK': () => key.jwk as AppPrivateKey,
    'a JWK as text with white space around': () => `\n ${JSON.stringify(key.jwk)}\n`,
    'the bytes of a JWK file': () => Buffer.from(JSON.stringify(key.jwk)),
    'a CryptoKey': () => cryptoKey(),
    'a KeyObject': () => key.privateKey,
  }

  test.each(Object.entries(kinds))('%s', async (_, make) => {
    expect(await sign(await make())).toBe(expected)
  })
})

describe('a PEM text is repaired that has', () => {
  const damages: Record<string, (text: string) => string> = {
    'literal \\r\\n for newlines': (text) => text.replaceAll('\n', '\\r\\n'),
    'literal \\\\n for newlines': (text) => text.replaceAll('\n', '\\\\n'),
    'no white space at all, also in its first line': (text) => text.replace(/\s/g, ''),
    'quotes around and literal \\n': (text) => JSON.stringify(text),
    'the name of its variable before it': (text) => `PRIVATE_KEY="${text.replaceAll('\n', '\\n')}"`,
    'base64 of the whole': base64,
    'base64 of the whole, in lines': (text) => base64(text).replace(/.{76}/g, '$&\n'),
    'base64 of the text with literal \\n': (text) => base64(text.replaceAll('\n', '\\n')),
    'attributes before it': (text) =>
      `Bag Attributes\n    localKeyID: 01 02 03 04\n    friendlyName: my-key\nKey Attributes: <No Attributes>\n${text}`,
    'a byte order mark': (text) => `\uFEFF${text}`,
    'a certificate before it': (text) => certificate + text,
    'a certificate after it': (text) => text + certificate,
    'the public key before it': (text) => publicPem(key.privateKey, 'spki') + text,
    'no last line': (text) => text.replace(/-----END.*\n/, ''),
    'a last line without its dashes': (text) => text.replace(/-----\n$/, ''),
    'neither first nor last line': (text) => text.replace(/-----.*-----\n/g, ''),
    'the label of the other format': (text) =>
      text.includes('RSA ') ? text.replaceAll('RSA ', '') : text.replaceAll('PRIVATE', 'RSA PRIVATE'),
  }

  describe.each(Object.entries(damages))('%s', (_, damage) => {
    test.each([
      ['PKCS#1', pkcs1],
      ['PKCS#8', pkcs8],
    ])('%s', async (_, text) => {
      const damaged = damage(text)
      expect(damaged).not.toBe(text)
      expect(await sign(damaged)).toBe(expected)
      expect(await sign(new Secret(damaged))).toBe(expected)
      expect(await sign(Buffer.from(damaged))).toBe(expected)
    })
  })

  test('white space, quotes and literal newlines anywhere in its body', async () => {
    const noise = fc.constantFrom(' ', '\n', '\r\n', '\t', '\\n', '\\r\\n', '"', "'", '\\\n')
    const [, begin = '', body = '', end = ''] = /^(-.*-\n)([^-]*)(-.*-)\n$/.exec(pkcs1) ?? []
    const places = fc.array(fc.tuple(fc.nat(body.length), noise), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(places, async (places) => {
        const damaged = [...places]
          .sort(([a], [b]) => b - a)
          .reduce((text, [at, what]) => text.slice(0, at) + what + text.slice(at), body)
        expect(await sign(begin + damaged + end)).toBe(expected)
      }),
    )
  })
})

test.each([0, 1, 2])('a PEM text cut off anywhere is named so, until the key is whole (%i)', async (more) => {
  // Bytes after the key make every length of padding.
  const body = base64(Buffer.concat([pkcs1Der, Buffer.alloc(more)])).replace(/.{64}/g, '$&\n')
  const text = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----\n`
  for (let length = '-----BEGIN'.length; length < text.length; length += length < text.length - 80 ? 7 : 1) {
    const outcome = await sign(text.slice(0, length)).catch((error: JwtError) => error.code)
    const cut = Buffer.from(text.slice(32, length), 'base64').length < pkcs1Der.length
    expect([length, outcome]).toEqual([length, cut ? 'key_truncated' : expected])
  }
})

test('DER cut off anywhere is named so', async () => {
  for (let length = 1; length < pkcs8Der.length; length += 7) {
    const outcome = await sign(pkcs8Der.subarray(0, length)).catch((error: JwtError) => error.code)
    expect([length, outcome]).toEqual([length, 'key_truncated'])
  }
})

test('any text or bytes give a token or a JwtError, never another error', async () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    fc.string().map((text) => `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`),
    fc
      .base64String()
      .map((text) => `-----BEGIN RSA PRIVATE KEY-----\n${text}\n-----END RSA PRIVATE KEY-----`),
    fc.uint8Array(),
    fc.uint8Array().map((bytes) => Uint8Array.of(0x30, ...bytes)),
    fc.uint8Array({ maxLength: 127 }).map((bytes) => Uint8Array.of(0x30, bytes.length, ...bytes)),
    fc.json(),
    fc.object(),
    fc.tuple(fc.nat(pkcs8Der.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, change]) => {
      const bytes = new Uint8Array(pkcs8Der)
      bytes[at] = (bytes[at] ?? 0) ^ change
      return bytes
    }),
  )
  await fc.assert(
    fc.asyncProperty(anything, async (privateKey) => {
      const outcome = await sign(privateKey as AppPrivateKey).catch((error: unknown) => error)
      expect(typeof outcome === 'string' || outcome instanceof JwtError).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test.each<[string, (der: Buffer) => AppPrivateKey]>([
  ['as it is', (der) => der],
  ['with bytes after it', (der) => Buffer.concat([der, Buffer.alloc(3)])],
])('PKCS#1 %s becomes exactly the PKCS#8 that Node makes', async (_, change) => {
  const importKey = vi.spyOn(crypto.subtle, 'importKey')
  for (const privateKey of [key.privateKey, generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey]) {
    await sign(change(privateKey.export({ type: 'pkcs1', format: 'der' }))).catch(() => undefined)
    const wrapped = importKey.mock.lastCall?.[1] as Uint8Array
    expect(Buffer.from(wrapped)).toEqual(privateKey.export({ type: 'pkcs8', format: 'der' }))
  }
  importKey.mockRestore()
})

test.each<[string, AppPrivateKey]>([
  ['PEM', pkcs8],
  ['a JWK', key.jwk as AppPrivateKey],
])('a key that comes as %s cannot be exported again', async (_, privateKey) => {
  const importKey = vi.spyOn(crypto.subtle, 'importKey')
  await sign(privateKey)
  const extractable: unknown = importKey.mock.lastCall?.[3]
  expect(extractable).toBe(false)
  importKey.mockRestore()
})

async function sign(privateKey: AppPrivateKey): Promise<string> {
  return (await createAppJwtSigner({ appId: 12345, privateKey, clock: frozenClock }).sign()).reveal()
}
