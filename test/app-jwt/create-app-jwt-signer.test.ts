import { createSign } from 'node:crypto'
import { inspect } from 'node:util'
import { jwtVerify } from 'jose'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createAppJwtSigner, JwtError, type Secret, signAppJwt } from '../../src/app-jwt/index.ts'
import { BadOptionError } from '../../src/errors.ts'
import { expectKeyError, expectNothingOf } from './support/expect-key-error.ts'
import { frozenClock, NOW } from './support/frozen-clock.ts'
import { key } from './support/keys.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the token', () => {
  test('is, byte for byte, what the clock and the key make of it', async () => {
    const signer = createAppJwtSigner({ appId: 12345, privateKey: key.pkcs1, clock: frozenClock })
    const signingInput = [
      '{"alg":"RS256","typ":"JWT"}',
      '{"iss":12345,"iat":1699999940,"exp":1700000540}',
    ].map((json) => Buffer.from(json).toString('base64url'))
    const signature = createSign('RSA-SHA256')
      .update(signingInput.join('.'))
      .sign(key.privateKey, 'base64url')

    expect((await signer.sign()).reveal()).toBe([...signingInput, signature].join('.'))
  })

  test('is accepted by jose', async () => {
    const token = await signAppJwt({ appId: 'Iv23liAbCdEf', privateKey: key.pkcs1, clock: frozenClock })
    const { payload, protectedHeader } = await jwtVerify(token.reveal(), key.publicKey, {
      algorithms: ['RS256'],
      currentDate: new Date(NOW),
    })
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT' })
    expect(payload).toEqual({ iss: 'Iv23liAbCdEf', iat: 1_699_999_940, exp: 1_700_000_540 })
  })

  test.each([
    ['the largest number', Number.MAX_SAFE_INTEGER],
    ['a string of digits', '12345'],
    ['a string beyond ASCII', 'größe-☃'],
  ])('keeps the id as it was given: %s', async (_, appId) => {
    const token = await signAppJwt({ appId, privateKey: key.pkcs8, clock: frozenClock })
    expect(claimsOf(token)).toEqual({ iss: appId, iat: 1_699_999_940, exp: 1_700_000_540 })
  })

  test('follows the clock, also one that is set back', async () => {
    let now = NOW
    const signer = createAppJwtSigner({ appId: 1, privateKey: key.pkcs8, clock: { now: () => now } })
    const issued = async (at: number) => {
      now = at
      return claimsOf(await signer.sign()).iat
    }
    expect(await issued(NOW)).toBe(1_699_999_940)
    expect(await issued(NOW + 1)).toBe(1_699_999_941)
    expect(await issued(NOW + 999)).toBe(1_699_999_941)
    expect(await issued(NOW - 90_000)).toBe(1_699_999_850)
    expect(await issued(NOW)).toBe(1_699_999_940)
  })
})

describe('the signer', () => {
  test('signs a new token for every call', async () => {
    const sign = vi.spyOn(crypto.subtle, 'sign')
    const signer = createAppJwtSigner({ appId: 1, privateKey: key.pkcs8, clock: frozenClock })
    for (let n = 0; n < 3; n++) await signer.sign()
    await Promise.all([signer.sign(), signer.sign()])
    expect(sign).toHaveBeenCalledTimes(5)
  })

  test('reads the key once, also when the first calls come together', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey')
    const signer = createAppJwtSigner({ appId: 1, privateKey: key.pkcs1, clock: frozenClock })
    expect(importKey).not.toHaveBeenCalled()
    const first = await Promise.all(Array.from({ length: 8 }, () => signer.sign()))
    await signer.sign()
    expect(importKey).toHaveBeenCalledTimes(1)
    expect(new Set(first.map((token) => token.reveal())).size).toBe(1)
  })

  test('fails every call alike when the key cannot be used, and reads it once', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey')
    const broken = Buffer.from(key.pkcs8Der)
    broken.fill(0, 200)
    const signer = createAppJwtSigner({ appId: 1, privateKey: broken })
    for (const signing of [signer.sign(), signer.sign()]) await expectKeyError(signing, 'key_unreadable')
    await expectKeyError(signer.sign(), 'key_unreadable')
    expect(importKey).toHaveBeenCalledTimes(1)
  })

  test('says sign_failed when WebCrypto fails, and keeps what it said to itself', async () => {
    vi.spyOn(crypto.subtle, 'sign').mockRejectedValue(new Error(key.pkcs8))
    await expectKeyError(signAppJwt({ appId: 1, privateKey: key.pkcs8 }), 'sign_failed', key.pkcs8)
  })

  test.each([undefined, {}])('says so when there is no WebCrypto (%j)', async (crypto) => {
    vi.stubGlobal('crypto', crypto)
    const error = await expectKeyError(signAppJwt({ appId: 1, privateKey: key.pkcs8 }), 'sign_failed')
    expect(error.message).toContain('WebCrypto')
    vi.unstubAllGlobals()
  })

  test('shows nothing of the key', async () => {
    const signer = createAppJwtSigner({ appId: 1, privateKey: key.pkcs8 })
    await signer.sign()
    expectNothingOf(key.pkcs8, signer)
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, undefined])(
    'refuses a clock that says %s',
    async (now) => {
      const clock = { now: () => now as number }
      await expectKeyError(signAppJwt({ appId: 1, privateKey: key.pkcs8, clock }), 'sign_failed')
    },
  )
})

describe('the id of the application', () => {
  const unusable = [
    ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 12345n],
    ...['', ' ', '12345\n', ' 12345'],
    ...[null, undefined, {}, [12345], true],
  ]

  test.each(unusable.map((appId) => [inspect(appId), appId]))('is refused at once: %s', (_, appId) => {
    const create = () => createAppJwtSigner({ appId: appId as number, privateKey: key.pkcs8 })
    expect(create).toThrow(JwtError)
    expect(create).toThrow(expect.objectContaining({ code: 'bad_app_id', name: 'JwtError' }))
  })

  test('is refused as a rejection by signAppJwt', async () => {
    await expectKeyError(signAppJwt({ appId: 0, privateKey: key.pkcs8 }), 'bad_app_id')
  })
})

test.each([undefined, null])('says what it needs where it is made of %s', async (nothing) => {
  expect(() => createAppJwtSigner(nothing as never)).toThrow(BadOptionError)
  await expect(signAppJwt(nothing as never)).rejects.toThrow(BadOptionError)
})

test('refuses a key and a function together', () => {
  const both = { appId: 1, privateKey: key.pkcs8, sign: () => new Uint8Array(256) }
  expect(() => createAppJwtSigner(both as never)).toThrow(BadOptionError)
})

function claimsOf(token: Secret): { iss: unknown; iat: number; exp: number } {
  const [, claims = ''] = token.reveal().split('.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString())
}
