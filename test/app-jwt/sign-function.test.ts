import { createSign } from 'node:crypto'
import { jwtVerify } from 'jose'
import { expect, test, vi } from 'vitest'
import { type AppJwtSign, createAppJwtSigner, signAppJwt } from '../../src/app-jwt/index.ts'
import { expectKeyError } from './support/expect-key-error.ts'
import { frozenClock, NOW } from './support/frozen-clock.ts'
import { key } from './support/keys.ts'

const signLikeKms = (bytes: Uint8Array) => createSign('RSA-SHA256').update(bytes).sign(key.privateKey)

test('a function signs in place of a key, and the token is the same', async () => {
  const token = await signAppJwt({ appId: 12345, sign: signLikeKms, clock: frozenClock })
  const expected = await signAppJwt({ appId: 12345, privateKey: key.pkcs1, clock: frozenClock })
  expect(token.reveal()).toBe(expected.reveal())
})

test.each<[string, AppJwtSign]>([
  ['a promise of a Buffer', async (bytes) => signLikeKms(bytes)],
  [
    'a Uint8Array within a larger buffer',
    (bytes) => new Uint8Array([0, 0, ...signLikeKms(bytes), 0]).subarray(2, -1),
  ],
  ['an ArrayBuffer', (bytes) => new Uint8Array(signLikeKms(bytes)).buffer],
])('it may give back %s', async (_, sign) => {
  const token = await signAppJwt({ appId: 1, sign, clock: frozenClock })
  await jwtVerify(token.reveal(), key.publicKey, { currentDate: new Date(NOW) })
})

test('it is asked for every token, and may spoil the bytes it got', async () => {
  const sign = vi.fn((bytes: Uint8Array) => {
    const signature = signLikeKms(bytes)
    bytes.fill(0)
    return signature
  })
  const signer = createAppJwtSigner({ appId: 1, sign, clock: frozenClock })
  const first = await signer.sign()
  const second = await signer.sign()
  expect(sign).toHaveBeenCalledTimes(2)
  expect(second.reveal()).toBe(first.reveal())
  await jwtVerify(second.reveal(), key.publicKey, { currentDate: new Date(NOW) })
})

test.each<[string, unknown]>([
  ['it is no function', 'arn:aws:kms:eu-central-1:key'],
  ['it gives back nothing', () => undefined],
  ['it gives back null', () => null],
  ['it gives back text', () => signLikeKms(Buffer.from('x')).toString('base64')],
  ['it gives back an array of numbers', () => [...signLikeKms(Buffer.from('x'))]],
  ['it gives back no bytes', () => new Uint8Array()],
  ['it gives back the signature of an elliptic curve', () => new Uint8Array(64)],
  ['it gives back one byte less than 2048 bits', () => new Uint8Array(255)],
])('sign_failed when %s', async (_, sign) => {
  await expectKeyError(signAppJwt({ appId: 1, sign: sign as AppJwtSign }), 'sign_failed')
})

test('sign_failed when it fails, at once or later, and nothing of what it said', async () => {
  const failed = () => {
    throw new TypeError(`cannot use ${key.pkcs8}`, { cause: key.pkcs8 })
  }
  for (const sign of [failed, async () => failed()]) {
    const error = await expectKeyError(signAppJwt({ appId: 1, sign }), 'sign_failed', key.pkcs8)
    expect(error.message).toBe('"sign" failed with TypeError')
  }
})

test('the name of its error is left out when it is no name of a class', async () => {
  const sign = () => {
    throw Object.assign(new Error(), { name: key.pkcs8.slice(30, 60) })
  }
  const error = await expectKeyError(signAppJwt({ appId: 1, sign }), 'sign_failed', key.pkcs8)
  expect(error.message).toBe('"sign" failed')
})

test('a call that failed does not spoil the next one', async () => {
  const sign = vi.fn(signLikeKms).mockImplementationOnce(() => {
    throw new Error('throttled')
  })
  const signer = createAppJwtSigner({ appId: 1, sign, clock: frozenClock })
  await expectKeyError(signer.sign(), 'sign_failed')
  await jwtVerify((await signer.sign()).reveal(), key.publicKey, { currentDate: new Date(NOW) })
})
