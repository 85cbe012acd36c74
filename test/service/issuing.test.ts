import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Secret } from '../../src/secret.ts'
import {
  memoryStore,
  type ServiceOptions,
  type Store,
  StoreUnavailableError,
} from '../../src/service/index.ts'
import { eventually } from '../support/eventually.ts'
import { CLIENT_ID, GRANT_TYPE, HOST, startService } from '../support/start-service.ts'

/** A service whose tokens the test issues. */
function startSlowService() {
  const made: { resolve: (token: string) => void; reject: (error: Error) => void }[] = []
  const issueToken = vi.fn(
    () => new Promise<string>((resolve, reject) => void made.push({ resolve, reject })),
  )
  const service = startService({ issueToken })
  /** Waits until this many tokens are being issued. */
  const issuing = (count: number) => eventually(() => expect(made).toHaveLength(count))
  return { service, made, issueToken, issuing }
}

async function approved(service: ReturnType<typeof startService>) {
  const grant = await service.begin({ scope: 'repo,gist' })
  await service.approve(grant.userCode, { id: 7, login: 'octocat' })
  return grant
}

test('the host issues the token and gets its user, client and scopes', async () => {
  const issueToken = vi.fn<NonNullable<ServiceOptions['issueToken']>>(() => new Secret('made-by-the-host'))
  const service = startService({ issueToken })
  const { poll } = await approved(service)
  expect((await poll()).body.access_token).toBe('made-by-the-host')
  expect(issueToken).toHaveBeenCalledTimes(1)
  const [request] = issueToken.mock.calls[0] ?? []
  expect(request).toMatchObject({
    user: { id: 7, login: 'octocat' },
    client: { name: 'App' },
    scopes: ['repo', 'gist'],
  })
  expect(request?.client.clientId.reveal()).toBe(CLIENT_ID)
  expect((await service.whoIs('made-by-the-host')).body.login).toBe('octocat')
})

describe('a client that disconnects while its token is issued gets it with its next poll', () => {
  /** How a request reaches the service, and when the service notices that it was aborted. */
  const ways: [string, (service: ReturnType<typeof startService>) => Promise<Way>][] = [
    ['in process', async ({ fetch }) => ({ url: HOST, send: fetch, known: async () => undefined })],
    [
      'over HTTP',
      async (service) => {
        const { url, drain, close } = await service.listen()
        onTestFinished(close)
        return { url, send: fetch, known: drain }
      },
    ],
  ]
  interface Way {
    readonly url: string
    readonly send: typeof fetch
    known(): Promise<void>
  }

  test.each(ways)('%s', async (_, reach) => {
    const { service, made, issuing } = startSlowService()
    const { deviceCode } = await approved(service)
    const { url, send, known } = await reach(service)
    const poll = (signal?: AbortSignal) => {
      const body = { client_id: CLIENT_ID, device_code: deviceCode, grant_type: GRANT_TYPE }
      const init = { method: 'POST', body: new URLSearchParams(body), ...(signal && { signal }) }
      return send(`${url}/login/oauth/access_token`, init)
    }
    const hangUp = new AbortController()
    const broken = poll(hangUp.signal).catch(() => undefined)
    await issuing(1)
    const received = known()
    hangUp.abort()
    await received
    made[0]?.resolve('the-token')
    await broken
    // Over HTTP, a client that has hung up does not hear when the token is ready.
    const next = async () => expect(await (await poll()).json()).toMatchObject({ access_token: 'the-token' })
    await eventually(next)
    expect(await service.authenticate(bearer('the-token'))).toMatchObject({ form: 'oauth' })
    expect(service.errors).toEqual([])
  })
})

const bearer = (token: string) => ({ headers: new Headers({ authorization: `Bearer ${token}` }) })

test('hooks that throw do not fail a login', async () => {
  const fail = () => {
    throw new Error('of the hook')
  }
  const issueToken = vi.fn<() => string>(() => 'second-time')
  issueToken.mockImplementationOnce(fail)
  const service = startService({ issueToken, onError: fail, onResponse: fail })
  const { poll } = await approved(service)
  expect((await poll()).body.error).toBe('authorization_pending')
  expect((await poll()).body.access_token).toBe('second-time')
})

describe('tokens that the host verifies', () => {
  test('are described to the API by the host and not stored', async () => {
    const store = memoryStore()
    const service = startService({
      store,
      clock: Date,
      limits: { grantsInAll: { max: Number.POSITIVE_INFINITY, window: 1 } },
      issueToken: ({ user, scopes }) => btoa(JSON.stringify({ user, scopes })),
      verifyToken: (token) => {
        const text = token.reveal()
        return text.startsWith('ghp') ? undefined : JSON.parse(atob(text))
      },
    })
    const { poll } = await approved(service)
    const before = store.size
    const token = (await poll()).body.access_token
    // The count of delivered tokens, for which the response does not wait.
    await eventually(() => expect(store.size).toBe(before + 1))
    const response = await service.whoIs(token)
    expect(response.body).toEqual({ id: 7, login: 'octocat' })
    expect(response.headers.get('x-oauth-scopes')).toBe('repo, gist')
    expect((await service.whoIs('ghp_unknown')).status).toBe(401)
  })
})

describe('a token that could not be issued', () => {
  test('leaves the approval to the next poll', async () => {
    const issueToken = vi.fn<() => string>(() => 'second-time')
    issueToken.mockImplementationOnce(() => {
      throw new Error('the host is down')
    })
    const service = startService({ issueToken })
    const { poll, userCode } = await approved(service)
    expect((await poll()).body.error).toBe('authorization_pending')
    expect(service.errors).toEqual([new Error('the host is down')])
    expect(await service.deny(userCode)).toBe('decided')
    expect((await poll()).body.access_token).toBe('second-time')
  })

  test.each(['', 'two words', 'line\nbreak', 'ümlaut'])('%j cannot be sent in a header', async (token) => {
    const service = startService({ issueToken: () => token })
    const { poll } = await approved(service)
    const { body } = await poll()
    expect(body.error).toBe('authorization_pending')
    expect(service.errors).toHaveLength(1)
    if (token !== '') expect(String(service.errors[0])).not.toContain(token)
  })
})

describe('a token that is issued slowly', () => {
  test('keeps other polls pending, and then each gets it', async () => {
    const { service, made, issueToken, issuing } = startSlowService()
    const { poll } = await approved(service)
    const first = poll()
    await issuing(1)
    service.wait(9.999)
    expect((await poll()).body.error).toBe('authorization_pending')
    made[0]?.resolve('token-1')
    expect((await first).body.access_token).toBe('token-1')
    expect((await poll()).body.access_token).toBe('token-1')
    expect(issueToken).toHaveBeenCalledTimes(1)
  })

  test('is dropped when another poll has taken the lease', async () => {
    const { service, made, issuing } = startSlowService()
    const { poll } = await approved(service)
    const first = poll()
    await issuing(1)
    service.wait(10)
    const second = poll()
    await issuing(2)
    made[0]?.resolve('token-1')
    expect((await first).body.error).toBe('authorization_pending')
    made[1]?.resolve('token-2')
    expect((await second).body.access_token).toBe('token-2')
    expect((await service.whoIs('token-1')).status).toBe(401)
    expect((await service.whoIs('token-2')).status).toBe(200)
  })

  test('does not release the lease when it fails after another poll has taken it', async () => {
    const { service, made, issuing } = startSlowService()
    const { poll } = await approved(service)
    const first = poll()
    await issuing(1)
    service.wait(10)
    const second = poll()
    await issuing(2)
    made[0]?.reject(new Error('late'))
    await first
    expect((await poll()).body.error).toBe('authorization_pending')
    expect(made).toHaveLength(2)
    made[1]?.resolve('token-2')
    expect((await second).body.access_token).toBe('token-2')
  })

  test('is delivered after the lease if there was no other poll', async () => {
    const { service, made, issuing } = startSlowService()
    const { poll } = await approved(service)
    const first = poll()
    await issuing(1)
    service.wait(60)
    made[0]?.resolve('token-1')
    expect((await first).body.access_token).toBe('token-1')
  })

  test('and never finishes holds its poll only until the lease ends, and leaves the approval to the next one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { service, made, issuing } = startSlowService()
    const { poll } = await approved(service)
    const first = poll()
    await issuing(1)
    service.wait(10)
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await first).body.error).toBe('authorization_pending')
    expect(String(service.errors)).toContain('issueToken took longer')
    const second = poll()
    await issuing(2)
    made[0]?.resolve('token-1')
    made[1]?.resolve('token-2')
    expect((await second).body.access_token).toBe('token-2')
    expect((await service.whoIs('token-1')).status).toBe(401)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is delivered to both polls if the host has one token per user, and stays valid', async () => {
    const { service, made, issuing } = startSlowService()
    const { poll } = await approved(service)
    const first = poll()
    await issuing(1)
    service.wait(10)
    const second = poll()
    await issuing(2)
    made[1]?.resolve('the-one')
    expect((await second).body.access_token).toBe('the-one')
    made[0]?.resolve('the-one')
    expect((await first).body.error).toBe('authorization_pending')
    expect((await service.whoIs('the-one')).status).toBe(200)
  })
})

test('two simultaneous polls after the approval get one token', async () => {
  const service = startService()
  const { poll } = await approved(service)
  const received = await Promise.all([poll(), poll(), poll()])
  const tokens = received.flatMap(({ body }) => body.access_token ?? [])
  expect(tokens).not.toEqual([])
  expect(new Set(tokens).size).toBe(1)
})

test('a token is not valid if its process dies before the grant is settled, and the next poll after the lease gets another', async () => {
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
  const memory = memoryStore({ clock })
  let updates = 0
  // Writes of the grant: issued, approved, polled, and then settled, which never happens.
  const store: Store = {
    update: (key, change) =>
      key.startsWith('grant:') && ++updates === 4 ? new Promise(() => undefined) : memory.update(key, change),
  }
  const died = startService({ store, clock, issueToken: () => 'orphan' })
  const { deviceCode, poll } = await approved(died)
  void poll()
  await eventually(() => expect(updates).toBe(4))
  const next = startService({ store: memory, clock, issueToken: () => 'delivered' })
  clock.time += 10_000
  expect((await next.whoIs('orphan')).status).toBe(401)
  expect((await next.poll(deviceCode)).body.access_token).toBe('delivered')
  clock.time += 364 * 24 * 3600 * 1000
  expect((await next.whoIs('delivered')).status).toBe(200)
})

describe('what the host returns with a token', () => {
  test('is sent to the client and applies at the API', async () => {
    const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
    const issueToken = () => ({ token: new Secret('short-lived'), expiresIn: 3600, scopes: ['repo'] })
    const service = startService({ clock, issueToken })
    const { poll } = await approved(service)
    expect((await poll()).body).toEqual({
      access_token: 'short-lived',
      token_type: 'bearer',
      scope: 'repo',
      expires_in: 3600,
    })
    expect((await service.whoIs('short-lived')).headers.get('x-oauth-scopes')).toBe('repo')
    clock.time += 3_599_999
    expect((await service.whoIs('short-lived')).status).toBe(200)
    clock.time += 1
    expect((await service.whoIs('short-lived')).status).toBe(401)
  })

  test('may be the token alone', async () => {
    const { poll } = await approved(startService({ issueToken: async () => ({ token: 'plain' }) }))
    expect((await poll()).body).toEqual({ access_token: 'plain', token_type: 'bearer', scope: 'repo,gist' })
  })

  test('applies from its last issue if the host issues the same token again', async () => {
    const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
    const scopes = [['repo'], ['gist']]
    const issueToken = () => ({ token: 'the-one', expiresIn: 60, scopes: scopes.shift() ?? [] })
    const service = startService({ clock, issueToken })
    await (await approved(service)).poll()
    clock.time += 30_000
    await (await approved(service)).poll()
    clock.time += 59_999
    const { status, headers } = await service.whoIs('the-one')
    expect([status, headers.get('x-oauth-scopes')]).toEqual([200, 'gist'])
    clock.time += 1
    expect((await service.whoIs('the-one')).status).toBe(401)
  })

  test.each<[string, object]>([
    ['expiresIn', { expiresIn: 0 }],
    ['expiresIn', { expiresIn: 1.5 }],
    ['expiresIn', { expiresIn: '60' }],
    ['scopes', { scopes: 'repo' }],
    ['scopes', { scopes: ['two words'] }],
    ['cannot be sent in a header', { token: 'two words' }],
  ])('is an error of the host if %s is invalid: %j', async (name, made) => {
    const issueToken = () => ({ token: 'never-delivered', ...made })
    const service = startService({ issueToken })
    const { poll } = await approved(service)
    expect((await poll()).body.error).toBe('authorization_pending')
    expect(String(service.errors)).toContain(name)
    expect((await service.whoIs('never-delivered')).status).toBe(401)
  })
})

test('a poll whose token cannot be stored is asked to retry, and gets the same token then', async () => {
  const memory = memoryStore({ clock: { now: () => 0 } })
  let away = true
  const store: Store = {
    update: (key, change) =>
      away && key.startsWith('token:')
        ? Promise.reject(new StoreUnavailableError('away'))
        : memory.update(key, change),
  }
  const issueToken = vi.fn(() => 'late')
  const service = startService({ store, issueToken })
  const { poll } = await approved(service)
  expect((await poll()).status).toBe(503)
  away = false
  expect((await poll()).body.access_token).toBe('late')
  expect((await service.whoIs('late')).status).toBe(200)
  expect(issueToken).toHaveBeenCalledTimes(1)
})

test('a grant that the store loses while its token is issued gets no token', async () => {
  const memory = memoryStore({ clock: { now: () => 0 } })
  let lost = false
  const store: Store = {
    update: async (key, change) => (lost ? change(undefined).result : memory.update(key, change)),
  }
  const issueToken = () => {
    lost = true
    return 'orphan'
  }
  const service = startService({ store, issueToken })
  const { poll } = await approved(service)
  expect((await poll()).body.error).toBe('authorization_pending')
  expect(service.errors).toEqual([])
})
