import { createHash } from 'node:crypto'
import { decodeJwt, exportJWK, exportPKCS8, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { createVerifier, privateKeyJwt } from '../../src/oidc/index.ts'
import { systemClock } from '../../src/request/clock.ts'
import { ecKey } from '../support/ec-key.ts'
import { CLIENT_ID, HOST, startService, type TestOptions } from '../support/start-service.ts'

const API = 'https://api.example'
const OTHER = 'https://other.example'
const SECRET = 'secret: 100% + more'
const PATH = '/login/oauth/introspect'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const INACTIVE = { active: false }

function start(options: TestOptions = {}) {
  const service = startService({
    resources: [
      { uri: API, name: 'API', secret: SECRET },
      { uri: OTHER, name: 'Other API', secret: 'of the other' },
      { uri: 'https://silent.example', name: 'API that may not ask' },
    ],
    refreshTokens: { lifetime: 3600 },
    ...options,
  })
  return {
    ...service,
    ask: (token: string, fields: Readonly<Record<string, string>> = {}) =>
      service.post(PATH, { client_id: API, client_secret: SECRET, token, ...fields }),
  }
}

describe('the introspection endpoint', () => {
  test('tells an API about a token for it, from a login and from a refresh', async () => {
    const service = start()
    const body = await service.login({ resource: API })
    const iat = service.clock.time / 1000
    const claims = {
      active: true,
      token_type: 'Bearer',
      iss: HOST,
      sub: '7',
      aud: API,
      client_id: CLIENT_ID,
      scope: 'repo gist',
    }
    const { status, headers, body: said } = await service.ask(body.access_token)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(said).toEqual({ ...claims, iat, exp: iat + 3600, jti: sha256(body.access_token) })
    service.wait(10)
    const { access_token } = (await service.refresh(body.refresh_token)).body
    expect((await service.ask(access_token)).body).toEqual({
      ...claims,
      iat: iat + 10,
      exp: iat + 3600,
      jti: sha256(access_token),
    })
  })

  test('tells the jti of a JWT, and the hash of a token that names none', async () => {
    const service = start({ keys: [await ecKey('key')] })
    const { access_token } = await service.login({ resource: API })
    const { jti } = decodeJwt(access_token)
    expect(jti).toMatch(/^[\w-]{36}$/)
    expect((await service.ask(access_token)).body).toMatchObject({ active: true, jti })
    const host = start({ verifyToken: () => ({ user: 'mona', scopes: [], resource: API }) })
    for (const token of ['a.b.c', new UnsecuredJWT({ sub: 'mona' }).encode()])
      expect((await host.ask(token)).body).toMatchObject({ active: true, jti: sha256(token) })
  })

  test.each<[string, (service: ReturnType<typeof start>) => Promise<string>]>([
    ['unknown', async () => 'unknown'],
    ['for another API', async ({ login }) => (await login({ resource: OTHER })).access_token],
    ['for the routes of the service', async ({ login }) => (await login()).access_token],
    ['a refresh token', async ({ login }) => (await login({ resource: API })).refresh_token],
  ])('says only that it is not active about a token that is %s', async (_, tokenOf) => {
    const service = start()
    expect((await service.ask(await tokenOf(service))).body).toEqual(INACTIVE)
  })

  test.each<[string, (service: ReturnType<typeof start>, token: string) => unknown]>([
    ['expired', ({ wait }) => wait(3600)],
    ['revoked', ({ revoke }, token) => revoke({ token })],
  ])('says the same about a token that was %s', async (_, end) => {
    const service = start()
    const { access_token } = await service.login({ resource: API })
    await end(service, access_token)
    expect((await service.ask(access_token)).body).toEqual(INACTIVE)
  })

  test.each([
    ['a wrong secret', { client_secret: 'wrong' }],
    ['no secret', { client_secret: '' }],
    ['the secret of another API', { client_id: OTHER }],
    ['an unknown API', { client_id: 'https://unknown.example' }],
    ['an API that may not ask', { client_id: 'https://silent.example' }],
    ['a client, which is no API', { client_id: CLIENT_ID, client_secret: '' }],
  ])('refuses others, even for a valid token: %s', async (_, fields) => {
    const service = start()
    const { access_token } = await service.login({ resource: API })
    const { status, body, headers } = await service.ask(access_token, fields)
    expect([status, body.error]).toEqual([401, 'invalid_client'])
    expect(headers.get('www-authenticate')).toContain('Basic')
  })

  test('limits wrong secrets, one at a time and many at once; the right one is accepted at any time', async () => {
    const service = start({ limits: { wrongSecrets: { max: 3, window: 300 } } })
    const { access_token } = await service.login({ resource: API })
    const guess = () => service.ask(access_token, { client_secret: 'wrong' })
    const statuses = (await Promise.all([guess(), guess(), guess(), guess(), guess()])).map(
      ({ status }) => status,
    )
    expect(statuses.toSorted()).toEqual([401, 401, 401, 429, 429])
    expect((await service.ask(access_token)).body.active).toBe(true)
    expect(service.events.filter(({ type }) => type === 'limited')).toHaveLength(1)
    service.wait(300)
    expect((await guess()).status).toBe(401)
  })

  test('limits those who ask for no API that is known', async () => {
    const service = start({ limits: { unknownClients: { max: 2, window: 60 } } })
    const fields = { client_id: 'https://unknown.example', client_secret: SECRET, token: 'any' }
    const statuses: number[] = []
    for (let times = 0; times < 3; times += 1)
      statuses.push((await service.post(PATH, fields, { 'x-from': '192.0.2.1' })).status)
    expect(statuses).toEqual([401, 401, 429])
  })

  test('is named by the metadata, and exists only if an API has a secret', async () => {
    const { body } = await start().send('/.well-known/oauth-authorization-server')
    expect(body).toMatchObject({
      introspection_endpoint: HOST + PATH,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    })
    const without = start({ resources: [{ uri: API, name: 'API' }] })
    expect((await without.ask('any')).status).toBe(404)
  })

  test('knows what the host tells of a token that it verifies', async () => {
    const verifyToken = () => ({ user: 'mona', scopes: ['repo'], resource: API })
    const service = start({ verifyToken })
    const claims = { active: true, token_type: 'Bearer', iss: HOST, sub: 'mona', aud: API, scope: 'repo' }
    const token = 'made-by-the-host'
    expect((await service.ask(token)).body).toEqual({ ...claims, jti: sha256(token) })
  })
})

/** `undefined` leaves a claim out. */
type Claims = Readonly<Record<string, string | readonly string[] | number | undefined>>

describe('an API that signs its requests', () => {
  const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

  async function startSigned(options: TestOptions = {}) {
    const [key, foreign] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')])
    const jwks = { keys: [{ ...(await exportJWK(key.publicKey)), kid: 'api' }] }
    const resources = [
      { uri: API, name: 'API', jwks },
      { uri: OTHER, name: 'Other API', secret: 'of the other' },
    ]
    const service = start({ resources, ...options })
    const now = service.clock.time / 1000
    const { access_token } = await service.login({ resource: API })
    const assertion = (claims: Claims = {}, { privateKey } = key) =>
      new SignJWT({ iss: API, sub: API, aud: HOST, jti: 'one', exp: now + 60, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'api' })
        .sign(privateKey)
    return {
      ...service,
      now,
      foreign,
      access_token,
      assertion,
      ask: (
        client_assertion: string,
        fields: Readonly<Record<string, string>> = {},
        headers: Readonly<Record<string, string>> = {},
      ) => {
        const given = { client_assertion_type: TYPE, client_assertion, token: access_token }
        return service.post(PATH, { ...given, ...fields }, headers)
      },
    }
  }

  test('learns about a token for it, with each assertion once', async () => {
    const { ask, assertion, now, wait } = await startSigned()
    const signed = await assertion()
    expect((await ask(signed)).body).toMatchObject({ active: true, sub: '7' })
    expect((await ask(signed)).status).toBe(401)
    expect((await ask(await assertion({ jti: 'two', exp: now + 600 }), { client_id: API })).status).toBe(200)
    // Clocks may differ by a minute.
    expect((await ask(await assertion({ jti: 'three', exp: now - 59 }))).status).toBe(200)
    wait(119)
    expect((await ask(signed)).status).toBe(401)
  })

  test.each<[string, Claims]>([
    ['for another issuer', { aud: 'https://other.example' }],
    ['for another issuer too', { aud: [HOST, 'https://other.example'] }],
    ['of another issuer', { iss: OTHER }],
    ['about another API', { sub: OTHER }],
    ['without jti', { jti: undefined }],
    ['without an end', { exp: undefined }],
    ['expired', { exp: -61 }],
    ['valid for hours', { exp: 7200 }],
  ])('is refused with a wrong assertion: %s', async (_, claims) => {
    const { ask, assertion, now } = await startSigned()
    const exp = typeof claims.exp === 'number' ? { exp: now + claims.exp } : {}
    const { status, body } = await ask(await assertion({ ...claims, ...exp }))
    expect([status, body.error]).toEqual([401, 'invalid_client'])
    expect((await ask(await assertion())).status).toBe(200)
  })

  test('is refused with a foreign key, another type or client ID, no assertion, or no key', async () => {
    const { ask, assertion, foreign, post, access_token } = await startSigned()
    expect((await ask(await assertion({}, foreign))).status).toBe(401)
    expect((await ask('no JWT')).status).toBe(401)
    expect((await ask(await assertion({}), { client_assertion_type: 'other' })).status).toBe(401)
    expect((await ask(await assertion({ jti: 'two' }), { client_id: OTHER })).status).toBe(401)
    expect((await ask('')).status).toBe(401)
    expect((await post(PATH, { client_id: API, token: access_token })).status).toBe(401)
  })

  test('is refused if it authenticates in two ways', async () => {
    const { ask, assertion } = await startSigned()
    const basic = { authorization: `Basic ${btoa('api:secret')}` }
    for (const said of [
      await ask(await assertion(), { client_id: API, client_secret: 'secret' }),
      await ask(await assertion(), {}, basic),
    ])
      expect([said.status, said.body.error]).toEqual([400, 'invalid_request'])
  })

  test('is limited as one with a secret; its right assertions are accepted at any time', async () => {
    const { ask, assertion, foreign } = await startSigned({
      limits: { wrongSecrets: { max: 3, window: 300 } },
    })
    const wrong = await assertion({}, foreign)
    const statuses = new Set<number>()
    for (let time = 0; time < 4; time += 1) statuses.add((await ask(wrong)).status)
    expect([...statuses]).toEqual([401, 429])
    expect((await ask(await assertion())).status).toBe(200)
  })

  test('is served by the metadata, and by createVerifier with privateKeyJwt', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
    const service = start({
      resources: [{ uri: API, name: 'API', jwks: { keys: [await exportJWK(publicKey)] } }],
    })
    const { body } = await service.send('/.well-known/oauth-authorization-server')
    expect(body).toMatchObject({
      introspection_endpoint: HOST + PATH,
      introspection_endpoint_auth_methods_supported: ['private_key_jwt'],
      introspection_endpoint_auth_signing_alg_values_supported: ['ES256', 'PS256', 'RS256'],
    })
    const gate = createVerifier({
      issuer: HOST,
      resource: API,
      clientId: API,
      clientAuthentication: privateKeyJwt({ privateKey: await exportPKCS8(privateKey) }),
      fetch: (input, init) => service.fetch(String(input), init),
      clock: { ...systemClock, now: service.clock.now },
    }).requireToken()
    for (const name of ['repo', 'gist']) {
      const { access_token } = await service.login({ resource: API, scope: name })
      const headers = { authorization: `Bearer ${access_token}` }
      expect(await gate(new Request(API, { headers }))).toMatchObject({ user: '7', scopes: [name] })
    }
  })
})
