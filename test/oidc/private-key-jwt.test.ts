import { createPublicKey } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/index.ts'
import { type PrivateKeyJwtOptions, privateKeyJwt } from '../../src/oidc/index.ts'
import { startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'
import { rsaKeys } from '../support/rsa-keys.ts'

const { privateKey, publicKey } = rsaKeys()
const now = Date.UTC(2026, 0, 1) + 999
const request = {
  clientId: new Secret('my-client'),
  issuer: 'https://login.example/',
  tokenEndpoint: 'https://login.example/token',
  now,
}

describe('a client assertion', () => {
  test('says who the client is, for whom it is, and until when, with another id each time', async () => {
    const { sign } = privateKeyJwt({ privateKey })
    const [jwt = '', other = ''] = (await Promise.all([sign(request), sign(request)])).map((jwt) =>
      jwt.reveal(),
    )
    expect(decodeJwt(jwt).jti).not.toBe(decodeJwt(other).jti)
    const seconds = Math.floor(now / 1000)
    expect(decodeJwt(jwt)).toEqual({
      iss: 'my-client',
      sub: 'my-client',
      aud: 'https://login.example/',
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iat: seconds,
      exp: seconds + 60,
    })
    expect(decodeProtectedHeader(jwt)).toEqual({ alg: 'RS256', typ: 'JWT' })
    await jwtVerify(jwt, createPublicKey(publicKey), { currentDate: new Date(now) })
  })

  test('is for the token endpoint if the issuer is not known', async () => {
    const { sign } = privateKeyJwt({ privateKey })
    const jwt = (await sign({ ...request, issuer: undefined })).reveal()
    expect(decodeJwt(jwt).aud).toBe('https://login.example/token')
  })

  test('names its key and another audience, if they are given', async () => {
    const { sign } = privateKeyJwt({ privateKey, keyId: 'key 1', audience: 'https://api.example' })
    const jwt = (await sign(request)).reveal()
    expect(decodeProtectedHeader(jwt).kid).toBe('key 1')
    expect(decodeJwt(jwt).aud).toBe('https://api.example')
  })

  test('can be signed by a function', async () => {
    const { sign } = privateKeyJwt({ sign: async () => new Uint8Array(256) })
    expect((await sign(request)).reveal()).toMatch(/^ey[\w-]+\.ey[\w-]+\.A{342}$/)
  })
})

test.each([{}, { privateKey, sign: () => new Uint8Array(256) }])(
  'either a key or a function signs',
  (options) => {
    expect(() => privateKeyJwt(options as PrivateKeyJwtOptions)).toThrow('either "privateKey" or "sign"')
  },
)

test('a login with a key that cannot sign fails with a typed error before anything is sent', async () => {
  const flow = startFlow([responses.codes], { clientAuthentication: privateKeyJwt({ privateKey: 'no key' }) })
  expect(await flow.result()).toMatchObject({ status: 'failed', error: { code: 'key_unreadable' } })
  expect(flow.sent).toEqual([])
})
