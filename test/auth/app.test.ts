import { describe, expect, test } from 'vitest'
import { app, withAuth } from '../../src/auth/index.ts'
import { recordingFetch } from '../support/form-contract.ts'
import { rsaKeys } from '../support/rsa-keys.ts'

const { privateKey } = rsaKeys()

/** An API whose clock is ahead of ours by this many seconds, and which takes a token as Spec 5.5 says. */
function skewed(ahead: number) {
  const clock = { at: Date.UTC(2026, 0, 1), now: () => clock.at }
  const bodies: string[] = []
  const statuses: number[] = []
  const tokens: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const now = Math.floor(clock.at / 1000) + ahead
    const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? ''
    const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const status = iat <= now && exp > now && exp <= now + 600 ? 200 : 401
    tokens.push(token)
    statuses.push(status)
    bodies.push(await request.text())
    return Response.json({}, { status, headers: { date: new Date(now * 1000).toUTCString() } })
  }
  const call = withAuth(app({ appId: 1, privateKey, clock }), { fetch })
  return { clock, call, statuses, bodies, tokens }
}

describe('the form app', () => {
  test('signs afresh for every call', async () => {
    const { call, clock, tokens } = skewed(0)
    await call('/app')
    clock.at += 1000
    await call('/app')
    expect(new Set(tokens).size).toBe(2)
  })

  test.each([-3600, -120, 600, 3600])('learns once that the clocks differ by %d seconds', async (ahead) => {
    const { call, clock, statuses } = skewed(ahead)
    expect((await call('/app')).status).toBe(200)
    clock.at += 600_000
    expect((await call('/app')).status).toBe(200)
    expect((await call('/app')).status).toBe(200)
    expect(statuses).toEqual([401, 200, 200, 200])
  })

  test.each([-50, 0, 500])('needs no second request where they differ by %d seconds', async (ahead) => {
    const { call, statuses } = skewed(ahead)
    await call('/app')
    expect(statuses).toEqual([200])
  })

  test('learns anew when our clock is put right', async () => {
    const { call, clock, statuses } = skewed(3600)
    await call('/app')
    clock.at += 3600_000
    const later = await call('/app')
    expect(later.status).toBe(200)
    expect(statuses).toEqual([401, 200, 200])
  })

  test('sends the body again', async () => {
    const { call, bodies } = skewed(3600)
    await call('/app/installations', { method: 'POST', body: 'once and again' })
    expect(bodies).toEqual(['once and again', 'once and again'])
  })

  test.each([
    ['401 at the right time', { status: 401, headers: { date: new Date().toUTCString() } }],
    ['401 without a date', { status: 401 }],
    ['403 at another time', { status: 403, headers: { date: new Date(0).toUTCString() } }],
  ])('does not try again after %s', async (_, init) => {
    const { sent, fetch } = recordingFetch(Response.json({}, init))
    await withAuth(app({ appId: 1, privateKey }), { fetch })('/app')
    expect(sent).toHaveLength(1)
  })

  test('tries once, not for ever', async () => {
    const { sent, fetch } = recordingFetch(
      Response.json({}, { status: 401, headers: { date: new Date(0).toUTCString() } }),
    )
    expect((await withAuth(app({ appId: 1, privateKey }), { fetch })('/app')).status).toBe(401)
    expect(sent).toHaveLength(2)
  })

  test('follows no redirect of the second try either', async () => {
    const late = Response.json({}, { status: 401, headers: { date: new Date(0).toUTCString() } })
    const { fetch } = recordingFetch(late, new Response(null, { status: 302, headers: { location: '/' } }))
    await expect(withAuth(app({ appId: 1, privateKey }), { fetch })('/app')).rejects.toMatchObject({
      code: 'redirected',
    })
  })

  test('reports a key that cannot be used as a JwtError, and sends nothing', async () => {
    const { sent, fetch } = recordingFetch()
    const call = withAuth(app({ appId: 1, privateKey: 'garbage' }), { fetch })
    await expect(call('/app')).rejects.toMatchObject({ name: 'JwtError', code: 'key_unreadable' })
    expect(sent).toEqual([])
    expect(() => app({ appId: 0, privateKey })).toThrow(expect.objectContaining({ code: 'bad_app_id' }))
  })

  test('may sign with a function', async () => {
    const { sent, fetch } = recordingFetch()
    await withAuth(app({ appId: 'Iv1.client', sign: () => new Uint8Array(256) }), { fetch })('/app')
    expect(sent[0]?.headers.get('authorization')).toMatch(/^Bearer eyJ/)
  })
})
