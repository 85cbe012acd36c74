import { describe, expect, test, vi } from 'vitest'
import { app, BadOptionError, withAuth } from '../../src/auth/index.ts'
import { recordingFetch } from '../support/form-contract.ts'
import { rsaKeys } from '../support/rsa-keys.ts'

const { privateKey } = rsaKeys()

const NOW = Date.UTC(2026, 0, 1)

/** An API whose clock is ahead of ours by this many seconds, and which takes a token as Spec 5.5 says. */
function skewed(seconds: number) {
  const times = { ahead: seconds, isRevoked: false }
  const clock = { at: NOW, now: () => clock.at }
  const bodies: string[] = []
  const statuses: number[] = []
  const tokens: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const now = Math.floor(clock.at / 1000) + times.ahead
    const token = tokenOf(request)
    const { iat, exp } = claimsOf(token)
    const status = !times.isRevoked && iat <= now && exp > now && exp <= now + 600 ? 200 : 401
    tokens.push(token)
    statuses.push(status)
    bodies.push(await request.text())
    return Response.json({}, { status, headers: { date: new Date(now * 1000).toUTCString() } })
  }
  const call = withAuth(app({ appId: 1, privateKey, clock }), { fetch })
  return { times, clock, call, statuses, bodies, tokens }
}

/** An API that refuses every request, with the time of a clock that is ahead of ours by this many seconds. */
function refusing(seconds: number, body: ReadableStream | null = null) {
  const sent: Request[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push(new Request(input, init))
    return new Response(body, {
      status: 401,
      headers: { date: new Date(NOW + seconds * 1000).toUTCString() },
    })
  }
  return { sent, call: withAuth(app({ appId: 1, privateKey, clock: { now: () => NOW } }), { fetch }) }
}

function tokenOf(request: Request | undefined): string {
  return request?.headers.get('authorization')?.slice('Bearer '.length) ?? ''
}

function claimsOf(token: string): { iat: number; exp: number } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

describe('the form app', () => {
  test.each([-3600, -120, 600, 3600])('learns once that the clocks differ by %d seconds', async (ahead) => {
    const { call, clock, statuses } = skewed(ahead)
    expect((await call('/app')).status).toBe(200)
    clock.at += 600_000
    expect((await call('/app')).status).toBe(200)
    expect((await call('/app')).status).toBe(200)
    expect(statuses).toEqual([401, 200, 200, 200])
  })

  test('learns the whole difference each time, not what is added to the last one', async () => {
    const { call, clock, statuses, times, tokens } = skewed(1800)
    await call('/app')
    times.ahead = 3000
    await call('/app')
    expect(statuses).toEqual([401, 200, 401, 200])
    expect(claimsOf(tokens.at(-1) ?? '').iat).toBe(clock.at / 1000 + 3000 - 60)
  })

  test.each([
    [-3600, 2],
    [-55, 2],
    [-54, 1],
    [534, 1],
    [535, 2],
    [3600, 2],
  ])('refused where the clocks differ by %d seconds, it sends %d requests', async (seconds, requests) => {
    const { sent, call } = refusing(seconds)
    expect((await call('/app')).status).toBe(401)
    expect(sent).toHaveLength(requests)
  })

  test.each([-3601, 3601, 86_400, 5 * 365 * 86_400])(
    'rejects where the clocks differ by %d seconds, signs nothing for then, and lets the response go',
    async (seconds) => {
      const cancel = vi.fn()
      const { sent, call } = refusing(seconds, new ReadableStream({ cancel }))
      await expect(call('/app')).rejects.toMatchObject({ name: 'JwtError', code: 'clock_skew' })
      expect(cancel).toHaveBeenCalledOnce()
      expect(sent.map((request) => claimsOf(tokenOf(request)).iat)).toEqual([NOW / 1000 - 60])
    },
  )

  test('takes a refusal for another reason as it is, once the difference is known', async () => {
    const { call, statuses, times } = skewed(1800)
    await call('/app')
    times.isRevoked = true
    expect((await call('/app')).status).toBe(401)
    expect(statuses).toEqual([401, 200, 401])
  })

  test('learns nothing from the refusal of a credential of the caller', async () => {
    const { sent, call } = refusing(1800)
    await call('/app', { headers: { authorization: 'Bearer mine' } })
    expect(sent).toHaveLength(1)
  })

  test('sends the body again', async () => {
    const { call, bodies } = skewed(3600)
    await call('/app/installations', { method: 'POST', body: 'once and again' })
    expect(bodies).toEqual(['once and again', 'once and again'])
  })

  test.each([
    ['401 without a date', { status: 401 }],
    ['403 at another time', { status: 403, headers: { date: new Date(NOW + 600_000).toUTCString() } }],
  ])('does not try again after %s', async (_, init) => {
    const { sent, fetch } = recordingFetch(Response.json({}, init))
    await withAuth(app({ appId: 1, privateKey, clock: { now: () => NOW } }), { fetch })('/app')
    expect(sent).toHaveLength(1)
  })

  test('lets the response go that it learnt from', async () => {
    const cancel = vi.fn()
    const { call } = refusing(600, new ReadableStream({ cancel }))
    await call('/app').catch(() => undefined)
    expect(cancel).toHaveBeenCalledOnce()
  })

  test('reports a key that cannot be used as a JwtError, and sends nothing', async () => {
    const { sent, fetch } = recordingFetch()
    const call = withAuth(app({ appId: 1, privateKey: 'garbage' }), { fetch })
    await expect(call('/app')).rejects.toMatchObject({ name: 'JwtError', code: 'key_unreadable' })
    expect(sent).toEqual([])
    expect(() => app({ appId: 0, privateKey })).toThrow(expect.objectContaining({ code: 'bad_app_id' }))
  })

  test('says what it needs where it is made of nothing', () => {
    expect(() => app(undefined as never)).toThrow(BadOptionError)
    expect(() => app({ appId: 1, privateKey, sign: () => new Uint8Array(256) } as never)).toThrow(
      BadOptionError,
    )
  })
})
