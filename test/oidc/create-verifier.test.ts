import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { createVerifier, type VerifierOptions } from '../../src/oidc/index.ts'
import { Secret } from '../../src/secret.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

const ISSUER = 'https://login.example'
const API = 'https://api.example/'
const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const [old, next, foreign] = [pair(), pair(), pair()]
const publish = async (kid: string, { publicKey }: typeof old) => ({ ...(await exportJWK(publicKey)), kid })
const OLD = await publish('old', old)
const NEXT = await publish('next', next)

/** Claims that differ from those of a good token; `undefined` removes one. */
type Changes = Readonly<Record<string, unknown>>

type Answer = (init: RequestInit | undefined) => Response | Promise<Response>

/** An API, and its issuer: documents that a test may change, and the requests for them by path. */
function world(options: Partial<VerifierOptions> = {}) {
  const time = new VirtualTime()
  const requests: string[] = []
  const errors: unknown[] = []
  const documents = {
    metadata: {
      issuer: ISSUER,
      device_authorization_endpoint: `${ISSUER}/device`,
      token_endpoint: `${ISSUER}/token`,
      introspection_endpoint: `${ISSUER}/introspect`,
      jwks_uri: `${ISSUER}/keys`,
    } as object,
    keys: (() => Response.json({ keys: [OLD] })) as Answer,
    introspect: (() => Response.json({ active: false })) as Answer,
  }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    requests.push(pathname)
    if (pathname === '/keys') return documents.keys(init)
    if (pathname === '/introspect') return documents.introspect(init)
    return Response.json(documents.metadata)
  }
  const { requireToken } = createVerifier({
    issuer: ISSUER,
    resource: API,
    fetch,
    clock: time.clock(),
    onError: (error) => errors.push(error),
    ...options,
  })
  const now = () => Math.floor(time.now / 1000)
  const gate = requireToken()
  return {
    errors,
    documents,
    now,
    pass: (seconds: number) => time.advance(seconds * 1000),
    /** How often each path was requested. */
    count: (path: string) => requests.filter((one) => one === path).length,
    requireToken,
    ask: (token: string) => gate({ headers: new Headers({ authorization: `Bearer ${token}` }) }),
    sign: (claims: Changes = {}, { key = old.privateKey as KeyObject, kid = 'old', typ = 'at+jwt' } = {}) =>
      new SignJWT({
        iss: ISSUER,
        sub: 'mona',
        aud: API,
        client_id: 'cli',
        scope: 'read write',
        jti: 'one',
        iat: now(),
        exp: now() + 300,
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', kid, typ })
        .sign(key),
  }
}

const invalid = {
  status: 401,
  headers: { 'www-authenticate': expect.stringContaining('error="invalid_token"') },
}
const unavailable = { status: 503, headers: { 'retry-after': '5' } }

describe('a JWT access token', () => {
  test('says who sends it, to which client it was issued, and for what', async () => {
    const { ask, sign, now } = world()
    expect(await ask(await sign())).toEqual({
      user: 'mona',
      client: { clientId: expect.any(Secret) },
      scopes: ['read', 'write'],
      expiresAt: (now() + 300) * 1000,
      claims: expect.objectContaining({ jti: 'one' }),
    })
  })

  test.each<[string, Changes]>([
    ['several APIs', { aud: ['https://other.example/', API] }],
    ['nothing but its user', { scope: undefined }],
    ['a minute that a clock is behind', { exp: Date.UTC(2026, 0, 1) / 1000 - 50 }],
  ])('for %s is let in', async (_, claims) => {
    const { ask, sign } = world()
    expect(await ask(await sign(claims))).toMatchObject({ user: 'mona' })
  })

  test.each<[string, Changes]>([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another API', { aud: 'https://other.example/' }],
    ['for an API that begins like this one', { aud: `${API}v2` }],
    ['for no API', { aud: undefined }],
    ['that has expired', { exp: Date.UTC(2026, 0, 1) / 1000 - 61 }],
    ['that does not expire', { exp: undefined }],
    ['that is not valid yet', { nbf: Date.UTC(2026, 0, 1) / 1000 + 120 }],
    ['without a user', { sub: undefined }],
    ['of an empty user', { sub: '' }],
    ['without a client', { client_id: undefined }],
    ['that is bound to a key', { cnf: { jkt: 'thumbprint' } }],
  ])('%s is refused', async (_, claims) => {
    const { ask, sign } = world()
    await expect(ask(await sign(claims))).rejects.toMatchObject(invalid)
  })

  test('is refused if signed with another key, or without one, or with the public key as a secret', async () => {
    const { ask, sign } = world()
    const [header, claims] = (await sign()).split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const hs256 = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: 'old' })}.${claims}`
    const mac = createHmac('sha256', JSON.stringify(OLD)).update(hs256).digest('base64url')
    for (const token of [
      await sign({}, { key: foreign.privateKey }),
      `${encode({ alg: 'none', typ: 'at+jwt' })}.${claims}.`,
      `${hs256}.${mac}`,
      `${header}.${encode({ iss: ISSUER, sub: 'eve', aud: API, client_id: 'cli', exp: 1e10 })}.c2ln`,
    ])
      await expect(ask(token)).rejects.toMatchObject(invalid)
  })

  test.each(['JWT', 'dpop+jwt', ''])('of the type "%s" is refused without a request', async (typ) => {
    const { ask, sign, count } = world()
    await expect(ask(await sign({}, { typ }))).rejects.toMatchObject(invalid)
    expect(count('/keys')).toBe(0)
  })

  test('without a scope of the route gets 403', async () => {
    const { requireToken, sign } = world()
    const headers = new Headers({ authorization: `Bearer ${await sign()}` })
    await expect(requireToken({ scopes: ['admin'] })({ headers })).rejects.toMatchObject({ status: 403 })
  })
})

describe('the keys of an issuer', () => {
  test('are fetched once for many tokens, and again after ten minutes', async () => {
    const { ask, sign, count, pass } = world()
    await Promise.all(Array.from({ length: 20 }, async () => ask(await sign())))
    await pass(599)
    await ask(await sign())
    expect(count('/keys')).toBe(1)
    await pass(1)
    await ask(await sign())
    expect(count('/keys')).toBe(2)
  })

  test('are fetched sooner for a new key, which is then used at once beside the old one', async () => {
    const { ask, sign, count, pass, documents } = world()
    const before = await sign()
    await ask(before)
    documents.keys = () => Response.json({ keys: [NEXT, OLD] })
    await pass(60)
    const after = await sign({}, { key: next.privateKey, kid: 'next' })
    await Promise.all([ask(after), ask(after), ask(before)])
    expect(count('/keys')).toBe(2)
  })

  test('are fetched once a minute at most for keys that somebody made up', async () => {
    const { ask, sign, count, pass } = world()
    for (let second = 0; second < 120; second += 1) {
      await expect(ask(await sign({}, { key: foreign.privateKey, kid: `${second}` }))).rejects.toMatchObject(
        invalid,
      )
      await pass(1)
    }
    expect(count('/keys')).toBe(2)
  })

  test('are asked for once a minute at most for keys that somebody made up, also while the issuer is away', async () => {
    const { ask, sign, count, pass, documents } = world()
    await ask(await sign())
    await pass(60)
    documents.keys = () => Promise.reject(new TypeError('fetch failed'))
    for (let second = 0; second < 59; second += 1) {
      const made = await sign({}, { key: foreign.privateKey, kid: `${second}` })
      await expect(ask(made)).rejects.toMatchObject(unavailable)
      expect(await ask(await sign())).toMatchObject({ user: 'mona' })
      await pass(1)
    }
    expect(count('/keys')).toBe(2)
  })

  test('are used for an hour while the issuer is away, and it is asked every five seconds at most', async () => {
    const { ask, sign, pass, documents, count } = world()
    await ask(await sign())
    documents.keys = () => Promise.reject(new TypeError('fetch failed'))
    await pass(600)
    for (let second = 0; second < 10; second += 1) {
      await ask(await sign())
      await pass(1)
    }
    expect(count('/keys')).toBe(3)
    await pass(2990)
    await expect(ask(await sign())).rejects.toMatchObject(unavailable)
    documents.keys = () => Response.json({ keys: [OLD] })
    await pass(5)
    await ask(await sign())
  })

  test.each<[string, Answer]>([
    ['are at a server that does not respond', () => Promise.reject(new TypeError('fetch failed'))],
    ['are 10 MB', () => Response.json({ keys: [OLD], padding: 'x'.repeat(10_000_000) })],
    ['are a page', () => new Response('<html>')],
    ['are gone', () => Response.json({ keys: [OLD] }, { status: 404 })],
    [
      'are somewhere else',
      () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
    ],
  ])('that %s make no token invalid: 503', async (_, keys) => {
    const { ask, sign, documents, errors } = world()
    documents.keys = keys
    await expect(ask(await sign())).rejects.toMatchObject(unavailable)
    expect(errors).toEqual([expect.objectContaining({ code: expect.any(String) })])
  })

  test('that do not come within ten seconds make no token invalid: 503', async () => {
    const { ask, sign, documents, pass } = world()
    documents.keys = (init) =>
      new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    const asked = expect(ask(await sign())).rejects.toMatchObject({
      ...unavailable,
      cause: { code: 'timed_out' },
    })
    await pass(10)
    await asked
  })

  test('are not looked for on this machine because a remote issuer says so', async () => {
    const { ask, sign, documents, count } = world()
    documents.metadata = { ...documents.metadata, jwks_uri: 'http://127.0.0.1/keys' }
    await expect(ask(await sign())).rejects.toMatchObject({ ...unavailable, cause: { code: 'wrong_host' } })
    expect(count('/keys')).toBe(0)
  })
})

describe('a token that is not a JWT', () => {
  const credentials = { clientId: 'api', clientAuthentication: { clientSecret: 'a secret' } }
  const ACTIVE = { active: true, sub: 'mona', client_id: 'cli', scope: 'read', aud: API, exp: 1e10 }

  test('is refused without a request if this API has no client ID', async () => {
    const { ask, count } = world()
    await expect(ask('opaque')).rejects.toMatchObject(invalid)
    expect(count('/introspect')).toBe(0)
  })

  test('is what the issuer says about it', async () => {
    const { ask, documents } = world(credentials)
    let sent: RequestInit | undefined
    documents.introspect = (init) => {
      sent = init
      return Response.json(ACTIVE)
    }
    expect(await ask('opaque')).toEqual({
      user: 'mona',
      client: { clientId: expect.any(Secret) },
      scopes: ['read'],
      expiresAt: 1e13,
      claims: ACTIVE,
    })
    expect(String(sent?.body)).toBe('token=opaque&token_type_hint=access_token')
    expect(new Headers(sent?.headers).get('authorization')).toBe(`Basic ${btoa('api:a+secret')}`)
  })

  test.each<[string, object]>([
    ['is not active', { ...ACTIVE, active: false }],
    ['is for another API', { ...ACTIVE, aud: 'https://other.example/' }],
    ['is for no API', { ...ACTIVE, aud: undefined }],
    ['has expired', { ...ACTIVE, exp: 1 }],
    ['has no user', { ...ACTIVE, sub: undefined }],
    ['is bound to a key', { ...ACTIVE, cnf: { jkt: 'thumbprint' } }],
    ['is bound to a key that is not named', { ...ACTIVE, token_type: 'DPoP' }],
  ])('is refused if it %s', async (_, body) => {
    const { ask, documents } = world(credentials)
    documents.introspect = () => Response.json(body)
    await expect(ask('opaque')).rejects.toMatchObject(invalid)
  })

  test('is asked about every ten seconds, and not after it expired', async () => {
    const { ask, documents, count, pass, now } = world(credentials)
    documents.introspect = () => Response.json({ ...ACTIVE, exp: now() + 5 })
    await Promise.all([ask('opaque'), ask('opaque')])
    await pass(4)
    await ask('opaque')
    expect(count('/introspect')).toBe(1)
    await pass(1)
    await expect(ask('opaque')).rejects.toMatchObject(invalid)
    await pass(5)
    await ask('opaque')
    expect(count('/introspect')).toBe(2)
  })

  test('is asked about again at once after a refusal or a failure', async () => {
    const { ask, documents } = world(credentials)
    await expect(ask('opaque')).rejects.toMatchObject(invalid)
    documents.introspect = () => Promise.reject(new TypeError('fetch failed'))
    await expect(ask('opaque')).rejects.toMatchObject(unavailable)
    documents.introspect = () => Response.json(ACTIVE)
    expect(await ask('opaque')).toMatchObject({ user: 'mona' })
  })

  test('is forgotten when a thousand others came', async () => {
    const { ask, documents, count } = world(credentials)
    documents.introspect = () => Response.json(ACTIVE)
    for (let index = 0; index <= 1000; index += 1) await ask(`token-${index}`)
    await ask('token-1')
    expect(count('/introspect')).toBe(1001)
    await ask('token-0')
    expect(count('/introspect')).toBe(1002)
  })

  test.each<[string, string, Answer]>([
    ['does not know this API', 'refused', () => Response.json({ error: 'invalid_client' }, { status: 401 })],
    ['says nothing', 'bad_response', () => Response.json({})],
  ])('is not invalid if the issuer %s: 503', async (_, code, introspect) => {
    const { ask, documents } = world(credentials)
    documents.introspect = introspect
    await expect(ask('opaque')).rejects.toMatchObject({ ...unavailable, cause: { code } })
  })

  test('cannot be checked at an issuer without introspection: 503', async () => {
    const { ask, documents } = world(credentials)
    documents.metadata = { ...documents.metadata, introspection_endpoint: undefined }
    await expect(ask('opaque')).rejects.toMatchObject(unavailable)
  })
})

test('a gate is not created for another API than that of the verifier', () => {
  const { requireToken } = world()
  expect(() => requireToken({ resource: 'https://other.example/' })).toThrow('must be that of the verifier')
})

test.each<[string, object, string]>([
  ['an issuer over http', { issuer: 'http://login.example' }, 'wrong_host'],
  ['no resource', { resource: undefined }, 'bad_option'],
  ['a resource that is a name', { resource: 'my api' }, 'bad_option'],
  ['a client ID alone', { clientId: 'api' }, 'bad_option'],
  ['a misspelt option', { audience: API }, 'bad_option'],
])('a verifier is not created with %s', (_, options, code) => {
  expect(() => world(options)).toThrow(expect.objectContaining({ code }))
})
