import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createApi, oauth } from '../../src/auth/index.ts'
import { dpop } from '../../src/dpop/index.ts'
import {
  createDeviceAuthorization,
  exportResume,
  exportToken,
  importToken,
  refresh,
  Secret,
  startDeviceLogin,
  stepDeviceLogin,
} from '../../src/index.ts'
import { privateKeyJwt } from '../../src/oidc/index.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'
import { errorWith } from '../support/error-with.ts'
import { responses } from '../support/responses.ts'
import { rsaKeys } from '../support/rsa-keys.ts'

const bound = { ...responses.token, token_type: 'DPoP' }
let origins = 0

/** What a scripted server sends, and the headers with it. */
type Reply = readonly [body: object, headers?: Record<string, string>, status?: number]

/** A server of its own origin, which keeps what was sent to it. */
function serverOf(...script: readonly Reply[]) {
  const origin = `https://server-${origins++}.example.com`
  const sent: { proof: string; url: string; headers: Headers; body: string }[] = []
  const left = [...script]
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const [body = {}, headers = {}, status = 'error' in body ? 400 : 200] = left.shift() ?? []
    const proof = request.headers.get('dpop') ?? ''
    sent.push({ proof, url: request.url, headers: request.headers, body: await request.text() })
    return Response.json(body, { status, headers })
  }
  const provider = {
    deviceAuthorizationEndpoint: `${origin}/codes?tenant=1`,
    tokenEndpoint: `${origin}/token`,
    baseUrl: `${origin}/api`,
    scopeSeparator: ' ',
    encoding: 'form',
  } as const
  return { origin, sent, fetch, provider, claims: () => sent.map(({ proof }) => decodeJwt(proof)) }
}

function challenge(nonce: string): Reply {
  return [{ error: 'use_dpop_nonce' }, { 'dpop-nonce': nonce }]
}

/** A token that is bound to a new key. */
async function boundToken() {
  return importToken({
    v: 1,
    accessToken: 'access',
    tokenType: 'DPoP',
    scopes: [],
    missingScopes: [],
    refreshToken: 'refresh',
    dpopKey: (await dpop().createKey()).reveal(),
  })
}

describe('a login with a key', () => {
  test('proves each request with the same key, for its own method and address', async () => {
    const { sent, fetch, provider, claims } = serverOf([responses.codes], [responses.pending], [bound])
    const options = { provider, fetch, dpop: dpop() }
    const begun = await startDeviceLogin({ clientId: 'id', ...options })
    const record = JSON.parse(JSON.stringify({ ...begun.record, nextPollAt: 0 }))
    const pending = await stepDeviceLogin(record, options)
    if (!('record' in pending)) return expect.unreachable()
    const done = await stepDeviceLogin({ ...pending.record, nextPollAt: 0 }, options)
    if (done.status !== 'authorized') return expect.unreachable()
    expect(done.token).toMatchObject({ tokenType: 'DPoP' })
    expect(done.token.warning).toBeUndefined()
    for (const { proof } of sent) {
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt' })
      expect(Object.keys(protectedHeader.jwk ?? {}).sort()).toEqual(['crv', 'kty', 'x', 'y'])
      expect([payload.htm, payload.ath]).toEqual(['POST', undefined])
    }
    const { origin } = new URL(provider.tokenEndpoint)
    expect(claims().map(({ htu }) => htu)).toEqual([`${origin}/codes`, `${origin}/token`, `${origin}/token`])
    expect(new Set(claims().map(({ jti }) => jti)).size).toBe(3)
    const thumbprints = sent.map(({ proof }) =>
      calculateJwkThumbprint(decodeProtectedHeader(proof).jwk ?? {}),
    )
    expect(new Set(await Promise.all(thumbprints)).size).toBe(1)
  })

  test('is resumed only with its option, and shows its key to nobody', async () => {
    const { fetch, provider } = serverOf([responses.codes])
    const { record } = await startDeviceLogin({ clientId: 'id', provider, fetch, dpop: dpop() })
    const { d } = JSON.parse(record.dpopKey ?? '')
    await expect(async () => stepDeviceLogin(record, { provider })).rejects.toMatchObject({
      code: 'bad_option',
    })
    const actor = createDeviceAuthorization({ clientId: 'id', provider, fetch, dpop: dpop() })
    const token = importToken({ ...exportToken(await boundToken()), dpopKey: record.dpopKey })
    for (const shown of [
      inspect(token, { depth: 9, showHidden: true }),
      JSON.stringify(token),
      inspect(actor),
    ])
      expect(shown).not.toContain(d)
    expect(exportResume(actor.getSnapshot(), 0)).toBeUndefined()
  })

  test('warns of a server that ignores the key, and refuses it if binding is required', async () => {
    const login = async (required: boolean) => {
      const { fetch, provider } = serverOf([responses.codes], [responses.token])
      const options = { provider, fetch, dpop: required ? dpop({ required }) : dpop() }
      const { record } = await startDeviceLogin({ clientId: 'id', ...options })
      return stepDeviceLogin({ ...record, nextPollAt: 0 }, options)
    }
    expect(await login(false)).toMatchObject({ status: 'authorized', token: { warning: 'not_bound' } })
    expect(await login(true)).toMatchObject({ status: 'failed', error: { code: 'bad_response' } })
  })
})

describe('a server that asks for a nonce', () => {
  test('gets the request once more, with a new proof and a new client assertion', async () => {
    const server = serverOf(challenge('one'), [responses.codes])
    const { fetch, provider, sent, claims } = server
    const clientAuthentication = privateKeyJwt({ privateKey: rsaKeys().privateKey })
    await startDeviceLogin({ clientId: 'id', clientAuthentication, provider, fetch, dpop: dpop() })
    expect(claims().map(({ nonce }) => nonce)).toEqual([undefined, 'one'])
    const assertions = sent.map(({ body }) => new URLSearchParams(body).get('client_assertion') ?? '')
    for (const jtis of [claims(), assertions.map((text) => decodeJwt(text))])
      expect(new Set(jtis.map(({ jti }) => jti)).size).toBe(2)
  })

  test('on every poll keeps the pace, and each poll starts with the newest nonce', async () => {
    const { fetch, provider, claims } = serverOf(
      [responses.codes, { 'dpop-nonce': 'one' }],
      challenge('two'),
      [responses.pending, { 'dpop-nonce': 'three' }],
      challenge('four'),
      [bound],
    )
    const options = { provider, fetch, dpop: dpop() }
    const begun = await startDeviceLogin({ clientId: 'id', ...options })
    const pending = await stepDeviceLogin({ ...begun.record, nextPollAt: 0 }, options)
    if (!('record' in pending)) return expect.unreachable()
    expect([pending.status, pending.record.interval]).toEqual(['pending', begun.record.interval])
    expect([pending.record.faults, pending.view.polls]).toEqual([0, 1])
    const done = await stepDeviceLogin({ ...pending.record, nextPollAt: 0 }, options)
    expect(done.status).toBe('authorized')
    expect(claims().map(({ nonce }) => nonce)).toEqual([undefined, 'one', 'two', 'three', 'four'])
  })

  test('but sends none gets no second request', async () => {
    const { fetch, provider, sent } = serverOf([{ error: 'use_dpop_nonce' }])
    const options = { provider, fetch, dpop: dpop() }
    await expect(startDeviceLogin({ clientId: 'id', ...options })).rejects.toMatchObject({ code: 'refused' })
    expect(sent).toHaveLength(1)
  })

  test('twice for one poll has only failed: the login goes on', async () => {
    const { fetch, provider, sent } = serverOf([responses.codes], challenge('one'), challenge('two'))
    const options = { provider, fetch, dpop: dpop() }
    const { record } = await startDeviceLogin({ clientId: 'id', ...options })
    const step = await stepDeviceLogin({ ...record, nextPollAt: 0 }, options)
    expect(step).toMatchObject({ status: 'requested', record: { faults: 1 } })
    expect(sent).toHaveLength(3)
  })
})

test('a clock that is 5 minutes off costs one round trip, by the clock of the server', async () => {
  const date = new Date('2026-01-01T12:05:00Z')
  const { fetch, provider, claims } = serverOf(
    [{ error: 'invalid_dpop_proof' }, { date: date.toUTCString() }],
    // The time of a response that refuses nothing does not count.
    [responses.codes, { 'dpop-nonce': 'one', date: new Date(date.getTime() + 9e5).toUTCString() }],
    [responses.pending],
  )
  const now = date.getTime() - 300_000
  const options = { provider, fetch, dpop: dpop(), clock: { now: () => now, setTimeout, clearTimeout } }
  const { record } = await startDeviceLogin({ clientId: 'id', ...options })
  await stepDeviceLogin({ ...record, nextPollAt: 0, writtenAt: now }, options)
  const late = claims().map(({ iat = 0 }) => date.getTime() / 1000 - iat)
  expect(late).toEqual([300, 0, 0])
})

test.each<[string, Record<string, string>, number]>([
  ['its time', { date: new Date().toUTCString() }, 2],
  ['a nonce', { 'dpop-nonce': 'one' }, 2],
  ['neither', {}, 1],
])(
  'a server that refuses a proof and sends %s gets as many requests as can help',
  async (_, headers, requests) => {
    const { fetch, provider, claims } = serverOf(
      [{ error: 'invalid_dpop_proof' }, headers],
      [responses.codes],
    )
    await startDeviceLogin({ clientId: 'id', provider, fetch, dpop: dpop() }).catch(() => undefined)
    expect(claims().map(({ iat }) => typeof iat)).toEqual(Array(requests).fill('number'))
  },
)

describe('a refresh', () => {
  test('is proved with the key of the token, which the new one keeps', async () => {
    const token = await boundToken()
    const { fetch, provider, sent } = serverOf([bound])
    const fresh = await refresh(token, { clientId: 'id', provider, fetch, dpop: dpop() })
    expect(exportToken(fresh).dpopKey).toBe(token.dpopKey?.reveal())
    const { x } = JSON.parse(token.dpopKey?.reveal() ?? '')
    expect(decodeProtectedHeader(sent[0]?.proof ?? '').jwk?.x).toBe(x)
  })

  test.each([
    ['without the option', (token: object) => token, undefined],
    ['whose key was lost', ({ dpopKey: _, ...token }: { dpopKey?: unknown }) => token, dpop()],
    ['whose key is damaged', (token: object) => ({ ...token, dpopKey: new Secret('{}') }), dpop()],
  ] as const)('%s sends nothing, and does not end the login of a session', async (_, change, option) => {
    const token = {
      ...(change(await boundToken()) as Awaited<ReturnType<typeof boundToken>>),
      expiresIn: 0,
      expiresAt: 0,
    }
    const { fetch, provider, sent } = serverOf()
    const session = createSession({ clientId: 'id', provider, fetch, store: memoryStore(), dpop: option })
    onTestFinished(() => void session.actor.stop())
    await session.keep(token)
    await session.token().catch(() => undefined)
    await expect(session.token()).rejects.toMatchObject({ code: 'bad_option' })
    expect(sent).toEqual([])
  })

  test.each(['invalid_dpop_proof', 'use_dpop_nonce'])(
    'that is refused with %s does not end a login',
    async (error) => {
      const { fetch, provider } = serverOf([{ error }], [{ error }])
      const session = createSession({ clientId: 'id', provider, fetch, store: memoryStore(), dpop: dpop() })
      onTestFinished(() => void session.actor.stop())
      await session.keep({ ...(await boundToken()), expiresIn: 0, expiresAt: 0 })
      await session.token().catch(() => undefined)
      await expect(session.token()).rejects.toMatchObject({ code: 'refused', error })
      expect(session.actor.getSnapshot().value).toBe('signedIn')
    },
  )
})

describe('a call of an API', () => {
  test.each(['a session', 'oauth()'])(
    'by %s carries the token with its own proof, and repeats it with a nonce',
    async (by) => {
      const refusal = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'one' }
      const { origin, fetch, provider, sent, claims } = serverOf([{}, refusal, 401], [{ id: 1 }])
      const token = await boundToken()
      const session = createSession({ clientId: 'id', provider, fetch, store: memoryStore(), dpop: dpop() })
      onTestFinished(() => void session.actor.stop())
      await session.keep(token)
      const auth = by === 'oauth()' ? oauth(token, { dpop: dpop() }) : session
      expect(await createApi({ auth, provider, fetch })('/items?page=2', { method: 'PUT' })).toEqual({
        id: 1,
      })
      expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['DPoP access', 'DPoP access'])
      const ath = createHash('sha256').update('access').digest('base64url')
      const claimed = { htm: 'PUT', htu: `${origin}/api/items`, ath }
      expect(claims()).toMatchObject([claimed, { ...claimed, nonce: 'one' }])
      expect(session.actor.getSnapshot().context.rejected).toBe(false)
    },
  )

  test('that is refused because another process refreshed meanwhile is repeated with the new token and the same key', async () => {
    const refused: Reply = [{}, { 'www-authenticate': 'DPoP error="invalid_token"' }, 401]
    const second = { ...bound, access_token: 'second', refresh_token: 'next' }
    const { fetch, provider, sent, claims } = serverOf(refused, [second], [{ id: 1 }], refused, [{ id: 2 }])
    const store = memoryStore()
    const open = () => {
      const session = createSession({ clientId: 'id', provider, fetch, store, dpop: dpop() })
      onTestFinished(() => void session.actor.stop())
      return session
    }
    const [ours, other] = [open(), open()]
    await ours.keep(await boundToken())
    const theirs = createApi({ auth: other, provider, fetch })
    let isSigned = false
    // The request of this process is on its way while the other one refreshes.
    const slow: typeof fetch = async (...request) => {
      if (!isSigned) {
        isSigned = true
        expect(await theirs('/items')).toEqual({ id: 1 })
      }
      return fetch(...request)
    }
    expect(await createApi({ auth: ours, provider, fetch: slow })('/items')).toEqual({ id: 2 })
    const tokens = ['access', undefined, 'second', 'access', 'second']
    expect(sent.map(({ headers }) => headers.get('authorization') ?? undefined)).toEqual(
      tokens.map((token) => token && `DPoP ${token}`),
    )
    const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')
    expect(claims().map(({ ath }) => ath)).toEqual(tokens.map((token) => token && hashOf(token)))
    expect(new Set(sent.map(({ proof }) => decodeProtectedHeader(proof).jwk?.x)).size).toBe(1)
  })

  test('that had its effect is not repeated, whatever its challenge says', async () => {
    const challenged = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'one' }
    const { fetch, provider, sent } = serverOf([{ id: 1 }, challenged])
    const api = createApi({ auth: oauth(await boundToken(), { dpop: dpop() }), provider, fetch })
    await api('/items', { method: 'POST' })
    expect(sent).toHaveLength(1)
  })

  test('never carries a bound token as a bearer token', async () => {
    const { dpopKey: _, ...without } = await boundToken()
    const attempts = [() => oauth(without), () => oauth(without, { dpop: dpop() })]
    for (const attempt of attempts) expect(attempt).toThrow(errorWith('bad_option'))
    const token = await boundToken()
    expect(() => oauth(token)).toThrow('authgraph/dpop')
  })

  test('does not carry a bearer token where binding is required', async () => {
    const token = { ...(await boundToken()), tokenType: 'Bearer' }
    expect(() => oauth(token, { dpop: dpop({ required: true }) })).toThrow('not bound')
  })
})

test('needs WebCrypto, and refuses another option', () => {
  expect(() => createDeviceAuthorization({ clientId: 'id', dpop: dpop as never })).toThrow('dpop()')
  expect(() => dpop({ require: true } as never)).toThrow('did you mean "required"')
  vi.stubGlobal('crypto', {})
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(() => dpop()).toThrow('WebCrypto')
})
