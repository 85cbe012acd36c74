import { decodeJwt, importJWK, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { createVerifier } from '../../src/oidc/index.ts'
import { systemClock } from '../../src/request/clock.ts'
import { AccessError } from '../../src/service/index.ts'
import { ecKey } from '../support/ec-key.ts'
import { type Prover, prover } from '../support/prover.ts'
import {
  CLIENT_ID,
  CODES_PATH,
  HOST,
  startService,
  type TestOptions,
  TOKEN_PATH,
} from '../support/start-service.ts'
import { watchedStore } from '../support/watched-store.ts'

const [CODES, TOKENS] = [HOST + CODES_PATH, HOST + TOKEN_PATH]
const API = 'https://api.example'
const USER = { id: 7, login: 'octocat' }

/** A service that binds tokens, a device with a key, and a thief with another one. */
async function start({ binds = true, ...options }: TestOptions & { readonly binds?: boolean } = {}) {
  let watched = watchedStore()
  const service = startService({
    dialect: 'rfc8628',
    ...(binds && { dpop: {} }),
    refreshTokens: { lifetime: 3600 },
    resources: [{ uri: API, name: 'API', secret: 'secret-of-the-api' }],
    limits: { loginsOfUser: Number.POSITIVE_INFINITY },
    store: (memory) => {
      watched = watchedStore(undefined, memory)
      return watched.store
    },
    ...options,
  })
  const [own, thief] = [await prover(service.clock), await prover(service.clock)]

  const headersOf = async (proof: Prover | string | undefined): Promise<Record<string, string>> => {
    if (proof === undefined) return {}
    return { dpop: typeof proof === 'string' ? proof : await proof.prove(TOKENS) }
  }
  const codes = async (who?: Prover, fields = {}) => {
    const headers: Record<string, string> = who ? { dpop: await who.prove(CODES) } : {}
    return (await service.askForCodes({ scope: 'repo gist', ...fields }, headers)).body
  }
  /** Polls with a proof, or with that of a key. */
  const poll = async (device_code: string, proof?: Prover | string, fields = {}) =>
    service.poll(device_code, fields, await headersOf(proof))

  return {
    ...service,
    own,
    thief,
    codes,
    poll,
    newest: (kind: string) => watched.newest(kind),
    /** The token response of a login that is bound at the code request. */
    async bound(fields = {}) {
      const { device_code, user_code } = await codes(own, fields)
      await service.approve(user_code, USER)
      return (await poll(device_code, own)).body
    },
    renew: async (refresh_token: string, proof?: Prover | string, fields = {}) =>
      service.post(
        TOKEN_PATH,
        { client_id: CLIENT_ID, grant_type: 'refresh_token', refresh_token, ...fields },
        await headersOf(proof),
      ),
    /** The kinds of records that were written since the last call. */
    wrote: () =>
      watched.written
        .splice(0)
        .filter(({ value }) => value !== undefined)
        .map(({ key }) => key.split(':')[0]),
    /** The kinds of records that were looked at, or written. */
    reads: () => watched.written.splice(0).map(({ key }) => key.split(':')[0]),
  }
}

const outcome = ({ status, body }: { status: number; body: { error?: string; token_type?: string } }) => [
  status,
  body.error ?? body.token_type,
]
const PENDING = [400, 'authorization_pending']

describe('a proof', () => {
  const cases: Record<string, (own: Prover, other: Prover) => Promise<string>> = {
    'that is no JWT': async () => 'proof',
    'that comes twice': async (own) => `${await own.prove(TOKENS)}, ${await own.prove(TOKENS)}`,
    'of another type': (own) => own.prove(TOKENS, { header: { typ: 'JWT' } }),
    'with a private key in it': (own) => own.prove(TOKENS, { header: { jwk: own.secretJwk } }),
    'without a key': (own) => own.prove(TOKENS, { header: { jwk: undefined } }),
    'with the key of somebody else': (own, { jwk }) => own.prove(TOKENS, { header: { jwk } }),
    'signed with a shared secret': (own) =>
      new SignJWT({ jti: 'one', htm: 'POST', htu: TOKENS, iat: 0 })
        .setProtectedHeader({ typ: 'dpop+jwt', alg: 'HS256', jwk: own.jwk })
        .sign(new TextEncoder().encode(own.jwk.x)),
    'without a signature': async (own) => {
      const [, claims] = (await own.prove(TOKENS)).split('.')
      const header = { typ: 'dpop+jwt', alg: 'none', jwk: own.jwk }
      return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${claims}.`
    },
    'for another method': (own) => own.prove(TOKENS, { method: 'GET' }),
    'for another path': (own) => own.prove(CODES),
    'for another host': (own) => own.prove(`https://other.example${TOKEN_PATH}`),
    'for another port': (own) => own.prove(`http://localhost:81${TOKEN_PATH}`),
    'without a jti': (own) => own.prove(TOKENS, { claims: { jti: undefined } }),
    'with an empty jti': (own) => own.prove(TOKENS, { claims: { jti: '' } }),
    'without a time': (own) => own.prove(TOKENS, { claims: { iat: undefined } }),
    'of 5000 characters': (own) => own.prove(TOKENS, { claims: { more: 'x'.repeat(4000) } }),
  }

  test.each(Object.entries(cases))(
    'with a fault is refused, changes nothing and is not remembered: %s',
    async (_, make) => {
      const service = await start()
      const { device_code } = await service.codes(service.own)
      service.wrote()
      const said = await service.poll(device_code, await make(service.own, service.thief))
      expect(outcome(said)).toEqual([400, 'invalid_dpop_proof'])
      expect(said.body.error_uri).toBe('https://www.rfc-editor.org/rfc/rfc9449.html#section-5')
      expect([service.wrote(), service.errors]).toEqual([[], []])
    },
  )

  test.each(['ES256', 'RS256', 'PS256', 'Ed25519'])('may be signed with %s', async (alg) => {
    const service = await start()
    const device = await prover(service.clock, alg)
    const { device_code } = await service.codes(device)
    expect(outcome(await service.poll(device_code, device))).toEqual(PENDING)
  })

  test('may not be signed with an algorithm that the metadata does not list', async () => {
    const service = await start()
    const { device_code } = await service.codes()
    const device = await prover(service.clock, 'ES512')
    expect(outcome(await service.poll(device_code, device))).toEqual([400, 'invalid_dpop_proof'])
  })

  test.each([
    ['with a query and a fragment', `${TOKENS}?a=1#b`],
    ['in another spelling', `HTTP://LOCALHOST:80${TOKEN_PATH.replace('oauth', '%6fauth')}`],
    ['with another name of loopback', `http://127.0.0.1${TOKEN_PATH}`],
  ])('may name its URL %s', async (_, htu) => {
    const service = await start()
    const { device_code } = await service.codes(service.own)
    expect(outcome(await service.poll(device_code, await service.own.prove(htu)))).toEqual(PENDING)
  })

  test('is for the URL that clients see, which a proxy hides from the service', async () => {
    const service = await start({ authUrl: 'https://login.example' })
    const at = async (htu: string) => {
      const headers = { host: 'login.example', dpop: await service.own.prove(htu) }
      const body = new URLSearchParams({ client_id: CLIENT_ID })
      const response = await service.fetch(`http://login.example${CODES_PATH}`, {
        method: 'POST',
        headers,
        body,
      })
      return (await response.json()).error ?? 'codes'
    }
    expect(await at(`https://login.example${CODES_PATH}`)).toBe('codes')
    expect(await at(`http://login.example${CODES_PATH}`)).toBe('invalid_dpop_proof')
  })

  test('is accepted once by two instances with one store, and what strangers send is not remembered', async () => {
    const one = await start()
    const two = await start({ store: one.memory })
    const { device_code } = await one.codes(one.own)
    const header = await one.own.prove(TOKENS)
    expect(outcome(await two.poll(device_code, header))).toEqual(PENDING)
    expect(outcome(await one.poll(device_code, header))).toEqual([400, 'invalid_dpop_proof'])
    const other = await start()
    await other.codes(other.own)
    const { refresh_token } = await other.bound()
    other.wrote()
    await other.renew(refresh_token, other.thief)
    await other.poll('unknown', other.thief)
    await other.poll(device_code, other.thief)
    await other.renew('unknown', other.thief)
    expect(other.wrote()).not.toContain('proof')
  })

  test('is remembered with its key: nobody can use up the jti of another device', async () => {
    const { codes, poll, own, thief } = await start()
    const jti = { claims: { jti: 'one' } }
    for (const device of [thief, own]) {
      const { device_code } = await codes(device)
      expect(outcome(await poll(device_code, await device.prove(TOKENS, jti)))).toEqual(PENDING)
    }
  })

  test('is remembered for as long as it would be accepted', async () => {
    const service = await start({ interval: 1 })
    const { device_code } = await service.codes(service.own)
    const iat = service.clock.time / 1000 + 59
    const header = await service.own.prove(TOKENS, { claims: { iat } })
    expect(outcome(await service.poll(device_code, header))).toEqual(PENDING)
    service.wait(118)
    expect(outcome(await service.poll(device_code, header))).toEqual([400, 'invalid_dpop_proof'])
    service.wait(2)
    expect(outcome(await service.poll(device_code, header))).toEqual([400, 'use_dpop_nonce'])
  })
})

describe('a nonce', () => {
  test.each([
    ['behind', -300],
    ['ahead', 300],
  ])('makes up for a clock that is 5 minutes %s, and the error names the skew', async (direction, skew) => {
    const service = await start()
    const late = (nonce?: string) => ({ claims: { iat: service.clock.time / 1000 + skew, nonce } })
    const { device_code } = await service.codes(service.own)
    const challenged = await service.poll(device_code, await service.own.prove(TOKENS, late()))
    expect(outcome(challenged)).toEqual([400, 'use_dpop_nonce'])
    expect(challenged.body.error_description).toContain(`the clock of the client is 300 seconds ${direction}`)
    const nonce = challenged.headers.get('dpop-nonce') ?? ''
    expect(outcome(await service.poll(device_code, await service.own.prove(TOKENS, late(nonce))))).toEqual(
      PENDING,
    )
  })

  test('costs one look at the store in ten seconds, however many polls there are', async () => {
    const service = await start({ dpop: { nonce: true }, interval: 1 })
    const { device_code } = await service.codes()
    service.reads()
    const poll = async () => {
      const refused = await service.poll(device_code, service.own)
      const nonce = refused.headers.get('dpop-nonce') ?? ''
      const proof = await service.own.prove(TOKENS, { claims: { nonce } })
      const polled = await service.poll(device_code, proof)
      expect([outcome(polled), polled.headers.get('dpop-nonce')]).toEqual([PENDING, nonce])
    }
    for (let second = 0; second < 20; second += 1) {
      await poll()
      service.wait(1)
    }
    expect(service.reads().filter((kind) => kind === 'form-secret')).toHaveLength(2)
  })

  test('is accepted for a minute at least and two at most, and that of another service is not', async () => {
    const service = await start({ dpop: { nonce: true } })
    const { headers } = await service.askForCodes({}, { dpop: await service.own.prove(CODES) })
    const send = async (nonce: string) => {
      const dpop = await service.own.prove(CODES, { claims: { nonce } })
      const { body, headers } = await service.askForCodes({}, { dpop })
      expect(headers.get('dpop-nonce')).toMatch(/^[0-9a-f]{64}$/)
      return body.error ?? 'codes'
    }
    const nonce = headers.get('dpop-nonce') ?? ''
    expect(await send('0'.repeat(64))).toBe('use_dpop_nonce')
    service.wait(60)
    expect(await send(nonce)).toBe('codes')
    service.wait(60)
    expect(await send(nonce)).toBe('use_dpop_nonce')
  })
})

describe('a device code', () => {
  test.each([
    ['the code request', true],
    ['the first poll that has a proof', false],
  ])('is bound by %s: a poll with another key or none changes nothing', async (_, atCodes) => {
    const service = await start()
    const { own, thief, poll } = service
    const { device_code, user_code } = await service.codes(atCodes ? own : undefined)
    if (!atCodes) {
      expect(outcome(await poll(device_code))).toEqual(PENDING)
      service.wait(5)
      expect(outcome(await poll(device_code, own))).toEqual(PENDING)
    }
    await service.approve(user_code, USER)
    const before = service.newest('grant:')
    for (const proof of [undefined, thief])
      expect(outcome(await poll(device_code, proof))).toEqual([400, 'invalid_grant'])
    expect(service.newest('grant:')).toBe(before)
    expect(outcome(await poll(device_code, own))).toEqual([200, 'DPoP'])
  })

  test('that was approved before its first poll is bound by it: nobody else gets the token again', async () => {
    const { codes, approve, poll, own, thief } = await start()
    const { device_code, user_code } = await codes()
    await approve(user_code, USER)
    const { body } = await poll(device_code, own)
    expect(body.token_type).toBe('DPoP')
    for (const proof of [undefined, thief])
      expect(outcome(await poll(device_code, proof))).toEqual([400, 'invalid_grant'])
    expect((await poll(device_code, own)).body.access_token).toBe(body.access_token)
  })

  test('whose token was issued without a key is not bound by a later poll', async () => {
    const service = await start()
    const { deviceCode, poll } = await service.approved({ scope: 'repo' })
    const { body } = await poll()
    for (const proof of [service.own, undefined]) {
      const again = await service.poll(deviceCode, proof)
      expect(outcome(again)).toEqual([200, 'bearer'])
      expect(again.body.access_token).toBe(body.access_token)
    }
  })
})

describe('a refresh', () => {
  test('with another key or none is refused, and ends nothing', async () => {
    const service = await start()
    const { refresh_token } = await service.bound()
    for (const proof of [undefined, service.thief])
      expect(outcome(await service.renew(refresh_token, proof))).toEqual([400, 'invalid_dpop_proof'])
    expect(outcome(await service.renew(refresh_token, service.own))).toEqual([200, 'DPoP'])
  })

  test('with a copied proof is refused, and spends nothing', async () => {
    const service = await start()
    const { refresh_token } = await service.bound()
    const proof = await service.own.prove(TOKENS)
    const { body } = await service.renew(refresh_token, proof)
    expect(outcome(await service.renew(refresh_token, proof))).toEqual([400, 'invalid_dpop_proof'])
    expect(outcome(await service.renew(body.refresh_token, proof))).toEqual([400, 'invalid_dpop_proof'])
    expect(outcome(await service.renew(body.refresh_token, service.own))).toEqual([200, 'DPoP'])
  })

  test('of a login without a key binds it from then on, if it has a proof', async () => {
    const service = await start()
    const { refresh_token } = await service.login()
    const { body } = await service.renew(refresh_token, service.own)
    expect(body.token_type).toBe('DPoP')
    expect(outcome(await service.renew(body.refresh_token))).toEqual([400, 'invalid_dpop_proof'])
  })

  test('by a thief who binds the login ends it when its owner returns', async () => {
    const service = await start()
    const { refresh_token } = await service.login()
    const { body } = await service.renew(refresh_token, service.thief)
    // As in any reuse window, nothing ends yet.
    expect(outcome(await service.renew(refresh_token))).toEqual([400, 'invalid_dpop_proof'])
    service.wait(30)
    expect(outcome(await service.renew(refresh_token))).toEqual([400, 'invalid_grant'])
    expect(outcome(await service.renew(body.refresh_token, service.thief))).toEqual([400, 'invalid_grant'])
    expect(service.events.map(({ type }) => type)).toContain('reuse.detected')
  })

  test('of a client with a secret may come with a new key: only its access tokens are bound', async () => {
    const client_secret = 'secret-of-the-client'
    const clients = [{ clientId: CLIENT_ID, clientSecret: client_secret, name: 'App' }]
    const service = await start({ clients })
    const { device_code, user_code } = await service.codes(service.own, { client_secret })
    await service.approve(user_code, USER)
    const { body } = await service.poll(device_code, service.own, { client_secret })
    const renewed = await service.renew(body.refresh_token, service.thief, { client_secret })
    expect([body.token_type, renewed.body.token_type]).toEqual(['DPoP', 'DPoP'])
    expect(service.newest('token:')).toMatchObject({ jkt: service.thief.jkt })
    // The response is repeated to the key that its token is bound to, and to no other.
    const repeated = await service.renew(body.refresh_token, service.own, { client_secret })
    expect(outcome(repeated)).toEqual([400, 'invalid_dpop_proof'])
    const again = await service.renew(body.refresh_token, service.thief, { client_secret })
    expect(again.body).toEqual(renewed.body)
  })
})

describe('a bound token', () => {
  const clients = [
    { clientId: CLIENT_ID, name: 'App' },
    { clientId: 'off', name: 'App', dpop: 'off' },
    { clientId: 'required', name: 'App', dpop: 'required' },
  ] as const

  /** How a gate responds to a token with this scheme and proof, and by what header. */
  async function at(
    gate: (request: Request) => Promise<unknown>,
    scheme: string,
    token: string,
    dpop?: string,
  ) {
    const headers = { authorization: `${scheme} ${token}`, ...(dpop && { dpop }) }
    const error: unknown = await gate(new Request(`${API}/items?page=2`, { method: 'PUT', headers })).catch(
      (error: unknown) => error,
    )
    if (!(error instanceof AccessError)) return 'in'
    const challenge = error.headers['www-authenticate'] ?? ''
    return `${error.status} ${/^\w+/.exec(challenge)} ${/error="(\w+)"/.exec(challenge)?.[1]}`
  }

  /** A service with keys, a token for an API, and the gates of this API: here, and elsewhere. */
  async function withGates(options: TestOptions = {}) {
    const service = await start({ keys: [await ecKey('own')], ...options })
    const clock = { ...systemClock, now: service.clock.now }
    const fetch = (input: unknown, init?: RequestInit) => service.fetch(String(input), init)
    const verifier = createVerifier({ issuer: HOST, resource: API, fetch, clock })
    const gates = [
      service.requireToken({ resource: API }),
      async (request: Request) => service.authenticate(request, { resource: API }),
      verifier.requireToken(),
    ]
    const { access_token } = await service.bound({ resource: API })
    const proofOf = (who: Prover, more = {}) =>
      who.prove(`${API}/items`, { method: 'PUT', token: access_token, ...more })
    return { ...service, gates, access_token, proofOf }
  }

  test('opens a route with a proof for this request and token, and never as a bearer token', async () => {
    const { gates, access_token, own, thief, proofOf, clock } = await withGates()
    const [header, claims] = [`${API}/items`, { method: 'PUT', token: access_token }]
    const late = { claims: { iat: clock.time / 1000 - 61 } }
    for (const [index, gate] of gates.entries()) {
      const send = async (scheme: string, proof?: string) => at(gate, scheme, access_token, proof)
      expect(await send('DPoP', await proofOf(own))).toBe('in')
      expect(await send('Bearer')).toBe('401 DPoP invalid_token')
      expect(await send('Bearer', await proofOf(own))).toBe('401 DPoP invalid_token')
      expect(await send('token', await proofOf(own))).toBe('401 DPoP invalid_token')
      expect(await send('DPoP')).toBe('401 DPoP invalid_dpop_proof')
      expect(await send('DPoP', await proofOf(thief))).toBe('401 DPoP invalid_token')
      for (const wrong of [{ token: 'another' }, { token: '' }, { method: 'GET' }])
        expect(await send('DPoP', await own.prove(header, { ...claims, ...wrong }))).toBe(
          '401 DPoP invalid_dpop_proof',
        )
      expect(await send('DPoP', await own.prove(`${API}/others`, claims))).toBe('401 DPoP invalid_dpop_proof')
      const stale = index < 2 ? 'use_dpop_nonce' : 'invalid_dpop_proof'
      expect(await send('DPoP', await proofOf(own, late))).toBe(`401 DPoP ${stale}`)
    }
  })

  test('says so in its claims, at introspection and to the route', async () => {
    const { gates, access_token, own, post, proofOf, newest } = await withGates()
    expect(decodeJwt(access_token).cnf).toEqual({ jkt: own.jkt })
    const asked = { client_id: API, client_secret: 'secret-of-the-api', token: access_token }
    const { body } = await post('/login/oauth/introspect', asked)
    expect(body).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: own.jkt } })
    const headers = { authorization: `DPoP ${access_token}`, dpop: await proofOf(own) }
    for (const gate of gates)
      expect(await gate(new Request(`${API}/items`, { method: 'PUT', headers }))).toMatchObject({
        jkt: own.jkt,
      })
    expect(newest('token:')).toMatchObject({ jkt: own.jkt })
  })

  test('of another kind of binding opens nothing elsewhere', async () => {
    const key = await ecKey('own')
    const service = await start({ keys: [key] })
    const clock = { ...systemClock, now: service.clock.now }
    const fetch = (input: unknown, init?: RequestInit) => service.fetch(String(input), init)
    const gate = createVerifier({ issuer: HOST, resource: API, fetch, clock }).requireToken()
    const { iat, exp, jti, ...claims } = decodeJwt((await service.login({ resource: API })).access_token)
    const { own } = service
    const withProof = async (cnf: object) => {
      const token = await new SignJWT({ ...claims, exp: exp ?? 0, cnf })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'own' })
        .sign(await importJWK(key, 'ES256'))
      return at(gate, 'DPoP', token, await own.prove(`${API}/items`, { method: 'PUT', token }))
    }
    expect(await withProof({ jkt: own.jkt })).toBe('in')
    for (const cnf of [{ 'x5t#S256': 'x' }, { jkt: own.jkt, 'x5t#S256': 'x' }])
      expect(await withProof(cnf)).toBe('401 Bearer invalid_token')
  })

  test.each([
    [true, ['in', '401 DPoP invalid_dpop_proof']],
    [false, ['in', 'in']],
  ])('opens a route once per proof with singleUse: %s', async (singleUse, expected) => {
    const { gates, access_token, own, thief, proofOf, wrote } = await withGates({ dpop: { singleUse } })
    const [gate] = gates
    wrote()
    await at(gate as never, 'DPoP', access_token, await proofOf(thief))
    expect(wrote()).not.toContain('proof')
    const proof = await proofOf(own)
    const twice = [
      await at(gate as never, 'DPoP', access_token, proof),
      await at(gate as never, 'DPoP', access_token, proof),
    ]
    expect(twice).toEqual(expected)
  })

  test('may be used behind a proxy that removes a part of the path', async () => {
    const { requireToken, access_token, own } = await withGates()
    const gate = requireToken({ resource: API, baseUrl: 'https://example.com/api/' })
    const proof = { method: 'PUT', token: access_token }
    expect(
      await at(gate, 'DPoP', access_token, await own.prove(`https://example.com/api/items`, proof)),
    ).toBe('in')
    expect(await at(gate, 'DPoP', access_token, await own.prove(`${API}/items`, proof))).toBe(
      '401 DPoP invalid_dpop_proof',
    )
  })

  test('is proved for the URL that the client sent to a router that is mounted below it', async () => {
    const { gates, access_token, own } = await withGates()
    const claims = { method: 'GET', token: access_token }
    const dpop = await own.prove(`${API}/v1/items`, claims)
    const rawHeaders = ['Authorization', `DPoP ${access_token}`, 'DPoP', dpop]
    const request = { method: 'GET', url: '/items', originalUrl: '/v1/items?page=2', rawHeaders }
    const incoming = { ...request, socket: { remoteAddress: '127.0.0.1' } }
    for (const gate of gates) expect(await gate(incoming as never)).toMatchObject({ jkt: own.jkt })
  })

  test('that is a bearer token opens nothing: the challenge says which proofs are accepted', async () => {
    const service = await start()
    const { access_token } = await service.login()
    const gate = service.requireToken()
    const dpop = await service.own.prove(`${HOST}/items`, { method: 'PUT', token: access_token })
    expect(await at(gate, 'DPoP', access_token, dpop)).toBe('401 DPoP invalid_token')
    const request = new Request(API, { headers: { authorization: `DPoP ${access_token}`, dpop } })
    const { headers } = (await gate(request).catch((error: AccessError) => error)) as AccessError
    expect(headers['www-authenticate']).toBe(
      'DPoP realm="authgraph", error="invalid_token", algs="ES256 Ed25519 EdDSA PS256 RS256"',
    )
  })

  test('stays bound if the service no longer binds tokens', async () => {
    const service = await start()
    const { access_token, refresh_token } = await service.bound()
    const later = await start({ store: service.memory, binds: false })
    expect((await later.whoIs(access_token)).status).toBe(401)
    expect(outcome(await later.renew(refresh_token, service.own))).toEqual([400, 'invalid_dpop_proof'])
  })

  test('follows the setting of its client: off, allowed or required', async () => {
    const service = await start({ clients })
    const { own } = service
    const typeFor = async (client_id: string, who?: Prover) => {
      const { device_code, user_code } = await service.codes(who, { client_id })
      await service.approve(user_code, USER)
      return outcome(await service.poll(device_code, who, { client_id }))[1]
    }
    expect([await typeFor('off', own), await typeFor(CLIENT_ID), await typeFor('required', own)]).toEqual([
      'bearer',
      'bearer',
      'DPoP',
    ])
    expect(await typeFor('required')).toBe('invalid_dpop_proof')
    const { refresh_token } = await service.login()
    const strict = await start({
      store: service.memory,
      clients: [{ clientId: CLIENT_ID, name: 'App', dpop: 'required' }],
    })
    expect(outcome(await strict.renew(refresh_token))).toEqual([400, 'invalid_dpop_proof'])
    expect(outcome(await strict.renew(refresh_token, strict.own))).toEqual([200, 'DPoP'])
  })

  test('is signed by a host that verifies it: the host gets the key, and returns it', async () => {
    const issued: unknown[] = []
    const service = await start({
      issueToken: ({ jkt }) => {
        issued.push(jkt)
        return `for-${jkt}`
      },
      verifyToken: (token) => ({ user: 'mona', scopes: [], jkt: token.reveal().slice(4) }),
    })
    const { access_token, refresh_token } = await service.bound()
    await service.renew(refresh_token, service.own)
    expect(issued).toEqual([service.own.jkt, service.own.jkt])
    const dpop = await service.own.prove(`${HOST}/items`, { method: 'PUT', token: access_token })
    expect(await at(service.requireToken(), 'DPoP', access_token, dpop)).toBe('in')
    expect(await at(service.requireToken(), 'Bearer', access_token)).toBe('401 DPoP invalid_token')
  })
})

test('a host whose function returns a client that needs proofs is told which option is missing', async () => {
  const service = await start({
    binds: false,
    clients: (clientId) => ({ clientId, name: 'App', dpop: 'required' }),
  })
  const { device_code } = await service.codes()
  const { status, body } = await service.poll(device_code)
  expect([status, body.error, body.access_token]).toEqual([500, 'server_error', undefined])
  expect(String(service.errors.at(-1))).toContain('set the option dpop of the service')
})

test('a service that does not bind tokens ignores proofs, and says nothing of them', async () => {
  const service = await start({ binds: false })
  const { device_code } = await service.codes(service.own)
  expect(outcome(await service.poll(device_code, 'proof'))).toEqual(PENDING)
  const { body } = await service.send('/.well-known/oauth-authorization-server')
  expect(body).not.toHaveProperty('dpop_signing_alg_values_supported')
  const binding = await (await start()).send('/.well-known/oauth-authorization-server')
  expect(binding.body.dpop_signing_alg_values_supported).toContain('ES256')
})

const needing = (dpop: unknown) => ({ clients: [{ clientId: 'a', name: 'A', dpop }] })

test.each<[string, object, string]>([
  ['an unknown rule', { dpop: { nonces: true } }, 'did you mean "nonce"'],
  ['a rule that is no boolean', { dpop: { nonce: 'yes' } }, 'dpop.nonce must be a boolean'],
  [
    'a client that must send proofs, which are ignored',
    { binds: false, ...needing('required') },
    'set the option dpop',
  ],
  ['another setting of a client', needing(true), 'clients[0].dpop must be'],
])('refuses %s', async (_, options, message) => {
  await expect(start(options)).rejects.toThrow(message)
})
