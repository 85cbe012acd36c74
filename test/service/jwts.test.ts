import { generateKeyPairSync } from 'node:crypto'
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import { describe, expect, test } from 'vitest'
import { createVerifier } from '../../src/oidc/index.ts'
import { systemClock } from '../../src/request/clock.ts'
import { Secret } from '../../src/secret.ts'
import type { SigningKey } from '../../src/service/index.ts'
import { ecKey } from '../support/ec-key.ts'
import { CLIENT_ID, HOST, startService, type TestOptions } from '../support/start-service.ts'

const API = 'https://api.example'
const [old, next, foreign] = await Promise.all([ecKey('old'), ecKey('next'), ecKey('foreign')])

function start(options: TestOptions = {}) {
  const service = startService({ keys: [old], resources: [{ uri: API, name: 'API' }], ...options })
  const bearer = (token: string) => new Request(API, { headers: { authorization: `Bearer ${token}` } })
  return {
    ...service,
    now: () => service.clock.time / 1000,
    /** Verifies as any API would: with jose and the published keys alone. */
    async verify(token: string, audience = API) {
      const { body } = await service.send('/.well-known/jwks.json')
      return jwtVerify(token, createLocalJWKSet(body), {
        issuer: HOST,
        audience,
        typ: 'at+jwt',
        currentDate: new Date(service.clock.time),
      })
    },
    /** What the gate of this service says. */
    lets: (token: string) =>
      service
        .requireToken({ resource: API })(bearer(token))
        .catch(({ status }) => status as number),
    /** An API elsewhere. */
    api() {
      const clock = { ...systemClock, now: service.clock.now }
      const fetch = (input: unknown, init?: RequestInit) => service.fetch(String(input), init)
      const gate = createVerifier({ issuer: HOST, resource: API, fetch, clock }).requireToken()
      return (token: string) => gate(bearer(token)).catch(({ status }) => status as number)
    },
  }
}

describe('a JWT access token', () => {
  test('follows RFC 9068 and is verified by jose, and no event contains it', async () => {
    const service = start()
    const { access_token, expires_in } = await service.login({ resource: API })
    const { protectedHeader, payload } = await service.verify(access_token)
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'old' })
    expect(payload).toEqual({
      iss: HOST,
      sub: '7',
      aud: API,
      client_id: CLIENT_ID,
      scope: 'repo gist',
      iat: service.now(),
      exp: service.now() + 28_800,
      jti: expect.stringMatching(/^[\da-f-]{36}$/),
    })
    expect(expires_in).toBe(28_800)
    expect(await service.lets(access_token)).toMatchObject({ user: { id: 7 }, resource: API })
    expect(await service.api()(access_token)).toMatchObject({ user: '7', scopes: ['repo', 'gist'] })
    expect(JSON.stringify(service.events)).not.toContain(access_token.split('.')[2])
  })

  test.each([
    ['this service', {}, HOST],
    ['the API of the option audience', { audience: 'https://own.example' }, 'https://own.example'],
  ])('is for %s if the client named none', async (_, options, audience) => {
    const { access_token } = await start(options).login()
    expect(decodeJwt(access_token).aud).toBe(audience)
  })

  test('is delivered again as it was, and each refresh brings another one, until the login ends', async () => {
    const service = start({ refreshTokens: { lifetime: 1000 } })
    const grant = await service.approved({ resource: API })
    const { body } = await grant.poll()
    service.wait(20)
    expect((await grant.poll()).body.access_token).toBe(body.access_token)
    expect(body.expires_in).toBe(600)
    service.wait(480)
    const { access_token } = (await service.refresh(body.refresh_token)).body
    const [first, second] = [body.access_token, access_token].map((token) => decodeJwt(token))
    expect(second?.jti).not.toBe(first?.jti)
    expect(second?.exp).toBe((first?.iat ?? 0) + 1000)
  })

  test('is refused here once revoked, and elsewhere once expired', async () => {
    const service = start({ refreshTokens: { lifetime: 3600 } })
    const { access_token } = await service.login({ resource: API })
    await service.revoke({ token: access_token })
    const api = service.api()
    expect([await service.lets(access_token), await api(access_token)]).toMatchObject([401, { user: '7' }])
    service.wait(661)
    expect(await api(access_token)).toBe(401)
  })

  test('that this service did not sign opens nothing', async () => {
    const service = start()
    const { access_token } = await service.login({ resource: API })
    const [header, claims, signature] = access_token.split('.')
    const signed = await new SignJWT(decodeJwt(access_token))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'old' })
      .sign(await crypto.subtle.importKey('jwk', foreign as JsonWebKey, P256, false, ['sign']))
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url')
    const other = Buffer.from(JSON.stringify({ ...decodeJwt(access_token), sub: 'eve' })).toString(
      'base64url',
    )
    for (const token of [signed, `${none}.${claims}.`, `${header}.${other}.${signature}`])
      expect([await service.lets(token), await service.api()(token)]).toEqual([401, 401])
  })

  test('has the lifetime and the scopes that the host gives, and the policy allows', async () => {
    const issueToken = () => ({ expiresIn: 3600, scopes: ['gist'] })
    const policy = { tokenLifetime: 900 }
    for (const [options, lifetime] of [
      [{}, 3600],
      [{ policy, refreshTokens: { lifetime: 7200 } }, 900],
    ] as const) {
      const { access_token, scope } = await start({ issueToken, ...options }).login()
      const { iat = 0, exp = 0, scope: claim } = decodeJwt(access_token)
      expect([exp - iat, scope, claim]).toEqual([lifetime, 'gist', 'gist'])
    }
  })

  test('is not what the host made: a login fails rather than mix both', async () => {
    const service = start({ issueToken: () => 'made-by-the-host' })
    const { poll } = await service.approved()
    expect((await poll()).status).toBe(503)
    expect(String(service.errors)).toContain('set accessToken to "opaque"')
  })
})

const P256 = { name: 'ECDSA', namedCurve: 'P-256' }

describe('the keys', () => {
  const rsaKey = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey
  const rsa = rsaKey(2048)
  const pem = (type: 'ec' | 'rsa') =>
    (type === 'rsa' ? rsa : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
      .export({ type: 'pkcs8', format: 'pem' })
      .toString()

  test.each<[string, string, () => SigningKey | Promise<SigningKey>]>([
    ['PEM', 'RS256', () => pem('rsa')],
    ['PEM from an environment variable', 'ES256', () => pem('ec').replaceAll('\n', '\\n')],
    ['a JWK', 'RS256', () => rsa.export({ format: 'jwk' }) as JWK],
    ['a JWK as text in a Secret', 'ES256', () => new Secret(JSON.stringify(old))],
    ['a CryptoKey', 'ES256', () => crypto.subtle.importKey('jwk', old as JsonWebKey, P256, true, ['sign'])],
    ['a CryptoKey', 'RS256', async () => (await generateKeyPair('RS256', { extractable: true })).privateKey],
  ])('may be %s for %s, and only their public half is published', async (_, alg, key) => {
    const service = start({ keys: [await key()] })
    const { access_token } = await service.login({ resource: API })
    expect((await service.verify(access_token)).protectedHeader.alg).toBe(alg)
    const { headers, body } = await service.send('/.well-known/jwks.json')
    expect(headers.get('content-type')).toMatch('application/json')
    const members = alg === 'RS256' ? ['e', 'n'] : ['crv', 'x', 'y']
    expect(Object.keys(body.keys[0]).sort()).toEqual([...members, 'alg', 'kid', 'kty', 'use'].sort())
  })

  test('change while tokens live: those of a key that stays in the list are accepted, then it goes', async () => {
    const before = start({ refreshTokens: { lifetime: 3600 } })
    const { access_token: first, refresh_token } = await before.login({ resource: API })
    const shared = { store: before.memory, clock: before.clock, refreshTokens: { lifetime: 3600 } }
    const during = start({ ...shared, keys: [next, old] })
    const { access_token: second } = (await during.refresh(refresh_token)).body
    expect(decodeProtectedHeader(second).kid).toBe('next')
    const api = during.api()
    expect([await api(first), await api(second)]).toMatchObject([{ user: '7' }, { user: '7' }])
    const after = start({ ...shared, keys: [next] })
    expect([await after.api()(first), await after.api()(second)]).toMatchObject([401, { user: '7' }])
    expect(await after.lets(first)).toMatchObject({ user: { id: 7 } })
  })

  test.each<[string, TestOptions]>([
    ['keys must not be empty', { keys: [] }],
    ['keys[0] must be a private key', { keys: [{ ...old, d: undefined }] as unknown as JWK[] }],
    ['keys[1] must be a private key', { keys: [old, '-----BEGIN EC PRIVATE KEY-----'] }],
    ['accessToken "jwt" requires keys', { keys: undefined as never, accessToken: 'jwt' }],
    ['verifyToken is for tokens of issueToken', { verifyToken: () => undefined }],
    ['must not be the uri of a resource', { audience: `${API}/` }],
    ['must not be the uri of a resource', { authUrl: API }],
  ])('are refused with "%s"', (message, options) => {
    expect(() => start(options)).toThrow(message)
  })

  test.each<[string, () => SigningKey[]]>([
    ['keys[0] cannot sign', () => [rsaKey(1024).export({ format: 'jwk' }) as JWK]],
    ['keys[1] cannot sign', () => [old, { ...next, crv: 'P-521' }]],
    ['must not contain the same key', () => [old, { ...next, kid: 'old' }]],
  ])('that are read later are reported at once: "%s"', async (message, keys) => {
    const service = start({ keys: keys() })
    expect((await service.send('/.well-known/jwks.json')).status).toBe(503)
    expect(String(service.errors[0])).toContain(message)
  })
})
