import { describe, expect, onTestFinished, test } from 'vitest'
import { discover, github } from '../../src/index.ts'
import type { ServiceOptions } from '../../src/service/index.ts'
import { createSession, memoryStore, type SessionOptions } from '../../src/session/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { CLIENT_ID, HOST, startService } from '../support/start-service.ts'

const HOUR = 3_600_000

/** Our session at our service, in virtual time. Each user approves at once. */
function world(options: Partial<ServiceOptions> = {}) {
  const time = new VirtualTime()
  const clock = time.clock()
  const events: string[] = []
  const service = startService({
    clock,
    dialect: 'rfc8628',
    refreshTokens: { lifetime: 30 * 24 * 3600 },
    onEvent(event) {
      if (event.type === 'token.refreshed' && event.replayed) events.push('replay')
    },
    ...options,
  })
  /** What happens to the responses of the token endpoint, from the next one on. */
  const wire: ('lost' | 'kept')[] = []
  const refreshTokens: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await service.fetch(input as string, init ?? {})
    const spent = new URLSearchParams(String(init?.body)).get('refresh_token')
    if (spent !== null) refreshTokens.push(spent)
    if (spent !== null && wire.shift() === 'lost') throw new TypeError('fetch failed')
    return response
  }

  async function over<Value>(promise: Promise<Value>): Promise<Value> {
    await time.settled(promise)
    return promise
  }

  async function loggedIn(more: Partial<SessionOptions> = {}) {
    const session = createSession({
      clientId: CLIENT_ID,
      scopes: ['repo'],
      provider: await discover(HOST, { fetch }),
      store: memoryStore(),
      fetch,
      clock,
      onCodes: ({ userCode }) => service.approve(userCode, 'octocat'),
      ...more,
    })
    onTestFinished(() => void session.actor.stop())
    await over(session.login())
    return session
  }

  return { time, service, events, wire, refreshTokens, over, loggedIn }
}

describe('a session at our service', () => {
  test('refreshes its token, and logs out: no token is valid any more', async () => {
    const { time, service, over, loggedIn } = world()
    const session = await loggedIn()
    const first = (await over(session.token())).reveal()
    await time.advance(8 * HOUR)
    expect((await service.whoIs(first)).status).toBe(401)
    const second = (await over(session.token())).reveal()
    expect((await service.whoIs(second)).status).toBe(200)
    expect(await over(session.logout())).toEqual({ revoked: true })
    expect((await service.whoIs(second)).status).toBe(401)
  })

  test('survives a lost response: it asks again at once, and gets the same pair', async () => {
    const { time, service, events, wire, refreshTokens, over, loggedIn } = world()
    const session = await loggedIn()
    await time.advance(8 * HOUR)
    wire.push('lost')
    const token = (await over(session.token())).reveal()
    expect(new Set(refreshTokens).size).toBe(1)
    expect(refreshTokens).toHaveLength(2)
    expect(events).toEqual(['replay'])
    expect((await service.whoIs(token)).status).toBe(200)
    await time.advance(8 * HOUR)
    expect((await service.whoIs((await over(session.token())).reveal())).status).toBe(200)
  })

  test('gets a token for the API that it names, at the login and at each refresh', async () => {
    const api = 'https://api.example'
    const resources = [{ uri: api, name: 'API' }]
    const { time, service, over, loggedIn } = world({ resources })
    const session = await loggedIn({ resource: `${api}/` })
    const gate = service.requireToken({ resource: api })
    for (const passed of [0, 8 * HOUR]) {
      await time.advance(passed)
      const headers = new Headers({ authorization: `Bearer ${(await over(session.token())).reveal()}` })
      expect(await gate({ headers })).toMatchObject({ user: 'octocat', resource: api })
    }
    await expect(over(loggedIn({ resource: [api, 'https://other.example'] }))).rejects.toMatchObject({
      code: 'refused',
      error: 'invalid_target',
    })
  })
})

describe('a session at a service like GitHub', () => {
  const clients = [{ clientId: CLIENT_ID, clientSecret: 'the secret: ünicode', name: 'App' }]
  const provider = github({ authUrl: HOST, baseUrl: HOST })

  test('logs out with its client secret', async () => {
    const { service, over, loggedIn } = world({ dialect: 'github', clients })
    const session = await loggedIn({
      provider,
      clientAuthentication: { clientSecret: 'the secret: ünicode' },
    })
    const token = (await over(session.token())).reveal()
    expect(await over(session.logout())).toEqual({ revoked: true })
    expect((await service.whoIs(token)).status).toBe(401)
  })

  test('says that it needs one, and forgets the token', async () => {
    const { service, over, loggedIn } = world({ dialect: 'github' })
    const session = await loggedIn({ provider })
    const token = (await over(session.token())).reveal()
    const why = 'revoking it needs the client secret'
    expect(await over(session.logout())).toEqual({ revoked: false, why })
    expect((await service.whoIs(token)).status).toBe(200)
    await expect(over(session.token())).rejects.toMatchObject({ code: 'login_required' })
  })
})
