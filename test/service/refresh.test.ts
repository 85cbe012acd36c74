import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Secret } from '../../src/secret.ts'
import {
  type Dialect,
  type Json,
  memoryStore,
  type ServiceOptions,
  type Store,
  StoreUnavailableError,
  type TokenRequest,
} from '../../src/service/index.ts'
import { hash } from '../../src/service/stores/hash.ts'
import { openPair } from '../../src/service/tokens/successors.ts'
import type { SealedText } from '../../src/store/encryption.ts'
import { beforeUpdates } from '../support/before-updates.ts'
import { eventually } from '../support/eventually.ts'
import { CLIENT_ID, HOST, startService, type TestOptions, TOKEN_PATH } from '../support/start-service.ts'

const HOUR = 3600
const DAY = 24 * HOUR

type Service = ReturnType<typeof startService>

/** A service with refresh tokens, and the events of those that come again. */
function start(options: TestOptions = {}, refreshTokens: { readonly reuseWindow?: number } = {}) {
  const service = startService({ refreshTokens: { lifetime: 30 * DAY, ...refreshTokens }, ...options })
  return {
    ...service,
    replays: () => service.events.filter((event) => event.type === 'token.refreshed' && event.replayed),
    reuses: () => service.events.filter(({ type }) => type === 'reuse.detected'),
  }
}

/** The status of the API for each token of a response. */
const statusOf = async (
  service: Pick<Service, 'whoIs'>,
  { access_token }: { readonly access_token: string },
) => (await service.whoIs(access_token)).status

/** A service whose store a thief can copy. */
function startOpen() {
  const keys = new Set<string>()
  const service = start({ store: beforeUpdates((key) => void keys.add(key)) })
  const { update } = service.memory
  return {
    ...service,
    /** Writes a record, or deletes it. */
    put: (key: string, value: NonNullable<Json> | null) => update(key, () => ({ result: undefined, value })),
    /** The records that have not expired. */
    async copy() {
      const read = async (key: string) => [key, await update(key, (value) => ({ result: value }))] as const
      return (await Promise.all([...keys].map(read))).flatMap(([key, value]) =>
        value === undefined ? [] : [{ key, value }],
      )
    },
  }
}

describe.each<[Dialect, { readonly status: number; readonly error: string; readonly separator: string }]>([
  ['github', { status: 200, error: 'bad_refresh_token', separator: ',' }],
  ['rfc8628', { status: 400, error: 'invalid_grant', separator: ' ' }],
])('in the dialect %s', (dialect, { status, error, separator }) => {
  const lifetimeOf = (seconds: number) => (dialect === 'github' ? { refresh_token_expires_in: seconds } : {})

  test('a login and each refresh return a short-lived token and a refresh token, and may not be cached', async () => {
    const service = start({ dialect })
    const pair = {
      access_token: expect.stringMatching(/^gho_\w{40}$/),
      token_type: 'bearer',
      scope: `repo${separator}gist`,
      expires_in: 8 * HOUR,
      refresh_token: expect.stringMatching(/^ghr_\w{116}$/),
    }
    const first = await service.login()
    expect(first).toEqual({ ...pair, ...lifetimeOf(30 * DAY) })
    service.wait(DAY)
    expect(await statusOf(service, first)).toBe(401)
    const response = await service.refresh(first.refresh_token)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('pragma')).toBe('no-cache')
    expect(response.body).toEqual({ ...pair, ...lifetimeOf(29 * DAY) })
    expect(response.body.access_token).not.toBe(first.access_token)
    expect(response.body.refresh_token).not.toBe(first.refresh_token)
    expect((await service.whoIs(response.body.access_token)).body).toEqual({ id: 7, login: 'octocat' })
  })

  test('the lifetime of a login begins when its token is issued, however long that takes', async () => {
    const service: ReturnType<typeof start> = start({
      dialect,
      issueToken: () => {
        service.wait(1.001)
        return 'slow'
      },
    })
    expect(await service.login()).toMatchObject({ expires_in: 8 * HOUR, ...lifetimeOf(30 * DAY) })
  })

  test('the same refresh token inside the window gets the same pair, with the time that is left', async () => {
    const service = start({ dialect })
    const first = await service.login()
    const { body: second } = await service.refresh(first.refresh_token)
    service.wait(29.999)
    const { body: again } = await service.refresh(first.refresh_token)
    expect(again).toEqual({ ...second, expires_in: 8 * HOUR - 30, ...lifetimeOf(30 * DAY - 30) })
    expect(service.replays()).toHaveLength(1)
    expect(service.reuses()).toEqual([])
  })

  test('a refresh token that we did not issue is refused, and ends nothing', async () => {
    const families: string[] = []
    const service = start({ dialect, issueToken: ({ family = '' }) => `token-${families.push(family)}` })
    const { access_token, refresh_token } = await start({ dialect }).login()
    const first = await service.login()
    const { body: second } = await service.refresh(first.refresh_token)
    const { body: third } = await service.refresh(second.refresh_token)
    const [family = ''] = families
    expect(third.refresh_token).toContain(family)
    const digits = '0'.repeat(40)
    const named = [0, 1, 2, 3, 100].flatMap((generation) => {
      const oneOfBefore = `ghr_${family}_${generation}_${digits}`
      return [oneOfBefore, `${oneOfBefore}_${digits}`]
    })
    for (const guess of [family, refresh_token, access_token, 'ghr_guess', ...named])
      expect(await service.refresh(guess)).toMatchObject({ status, body: { error } })
    expect(service.reuses()).toEqual([])
    expect((await service.refresh(third.refresh_token)).status).toBe(200)
  })

  test('a refresh token of another client is refused, and ends nothing', async () => {
    const service = start({ dialect })
    const first = await service.login()
    const stolen = await service.refresh(first.refresh_token, { client_id: 'another' })
    expect(stolen).toMatchObject({ status, body: { error } })
    const { body: second } = await service.refresh(first.refresh_token)
    service.wait(HOUR)
    await service.refresh(first.refresh_token, { client_id: 'another' })
    expect(await statusOf(service, second)).toBe(200)
  })

  test('fewer scopes may be requested, for one access token', async () => {
    const service = start({ dialect })
    const first = await service.login()
    const { body: narrow } = await service.refresh(first.refresh_token, { scope: 'gist' })
    expect(narrow.scope).toBe('gist')
    expect((await service.whoIs(narrow.access_token)).headers.get('x-oauth-scopes')).toBe('gist')
    const more = await service.refresh(narrow.refresh_token, { scope: 'gist admin' })
    const error_uri = expect.stringContaining('rfc6749')
    expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope', error_uri } })
    const { body: all } = await service.refresh(narrow.refresh_token)
    expect(all.scope).toBe(`repo${separator}gist`)
    const { body: none } = await service.refresh(all.refresh_token, { scope: ', ' })
    expect(none.scope).toBe(`repo${separator}gist`)
  })
})

test('a scope that its client may not request any more is not refreshed', async () => {
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
  const store = memoryStore({ clock })
  const first = await start({ clock, store }).login()
  const after = start({ clock, store, clients: [{ clientId: CLIENT_ID, name: 'App', scopes: ['gist'] }] })
  const refused = await after.refresh(first.refresh_token, { scope: 'repo' })
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_scope'])
  const { body: second } = await after.refresh(first.refresh_token)
  expect(second.scope).toBe('gist')
  expect((await after.whoIs(second.access_token)).headers.get('x-oauth-scopes')).toBe('gist')
})

describe('requests', () => {
  test('are refused without a refresh token, and by a service that issues none', async () => {
    expect(await start().refresh('')).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    const service = startService()
    expect(await service.login()).not.toHaveProperty('refresh_token')
    expect((await service.refresh('ghr_any')).body.error).toBe('unsupported_grant_type')
  })

  test('unknown refresh tokens are limited by network, and known ones are not', async () => {
    const service = start({
      limits: { wrongDeviceCodes: { max: 2, window: 60 } },
      clientAddress: () => '192.0.2.1',
    })
    const first = await service.login()
    const said = []
    for (let guess = 0; guess < 3; guess += 1) said.push((await service.refresh('ghr_guess')).status)
    expect(said).toEqual([200, 200, 429])
    expect((await service.refresh(first.refresh_token)).body).toHaveProperty('access_token')
  })

  test('of one login are limited, except those that get a pair again', async () => {
    const limits = { refreshes: { max: 2, window: 25 } }
    const service = start({ limits })
    const [first, other] = [await service.login(), await service.login()]
    const { body: second } = await service.refresh(first.refresh_token)
    for (let times = 0; times < 3; times += 1)
      expect((await service.refresh(first.refresh_token)).body.refresh_token).toBe(second.refresh_token)
    const { body: third } = await service.refresh(second.refresh_token)
    service.wait(20)
    const limited = await service.refresh(third.refresh_token)
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '5'])
    expect((await service.refresh(other.refresh_token)).body).toHaveProperty('access_token')
    // Less than a claim would last.
    service.wait(5)
    expect((await service.refresh(third.refresh_token)).body).toHaveProperty('access_token')
    expect(service.reuses()).toEqual([])
  })

  test('of one login are limited to 30 a minute by default', async () => {
    const service = start()
    let pair = await service.login()
    for (let times = 0; times < 30; times += 1) pair = (await service.refresh(pair.refresh_token)).body
    expect((await service.refresh(pair.refresh_token)).status).toBe(429)
  })
})

describe('simultaneous refreshes of one token', () => {
  test('wait for the pair of another instance, and look for it once for all of them', async () => {
    const { slow, made, other, first, over } = await twoInstances()
    const one = slow.refresh(first.refresh_token)
    await made(1)
    const before = other.updates()
    const held = Promise.all(Array.from({ length: 100 }, () => other.refresh(first.refresh_token)))
    await vi.advanceTimersByTimeAsync(3000)
    slow.deliver('the-one')
    const responses = await over(held)
    const { body } = await one
    expect(body.access_token).toBe('the-one')
    for (const response of responses) expect(response.body).toEqual(body)
    expect([other.replays(), other.reuses()]).toEqual([[], []])
    // Three for each request, to find its login; then one look in 50 ms.
    expect(other.updates() - before).toBeLessThan(3 * 100 + 3000 / 50 + 10)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('get the pair at once from the request that has taken over, if they lost the claim', async () => {
    const { slow, other, made, first } = await twoInstances()
    const one = slow.refresh(first.refresh_token)
    await made(1)
    other.clock.time += 10_000
    const two = slow.refresh(first.refresh_token)
    await made(2)
    slow.deliver('late')
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    slow.deliver('the-one')
    // No timer fires in the meantime.
    expect((await one).body).toEqual((await two).body)
  })

  test('are held no longer than one claim, although each may issue a pair after the one before', async () => {
    const { slow, made, first, over } = await twoInstances()
    const all = Array.from({ length: 6 }, () => slow.refresh(first.refresh_token))
    await made(1)
    const responses = await over(Promise.all(all), 25_000)
    for (const { status, headers } of responses)
      expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(slow.reuses()).toEqual([])
  })
})

/** Two instances over one store. The clock stands still. The first one issues tokens when it is told to. */
async function twoInstances() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
  const store = memoryStore({ clock })
  const waiting: ((token: string) => void)[] = []
  const issueToken = vi.fn(() => new Promise<string>((resolve) => void waiting.push(resolve)))
  const slow = start({ clock, store, issueToken }, { reuseWindow: 0 })
  let updates = 0
  const counted: Store = {
    update(key, change) {
      updates += 1
      return store.update(key, change)
    },
  }
  const other = start({ clock, store: counted }, { reuseWindow: 0 })
  return {
    slow: { ...slow, deliver: (token: string) => waiting.shift()?.(token) },
    other: { ...other, clock, updates: () => updates },
    first: await other.login(),
    /** Lets time pass for requests that are held, at most so many milliseconds. */
    async over<Response>(response: Promise<Response>, most = 1000): Promise<Response> {
      let isOver = false
      const done = () => (isOver = true)
      response.then(done, done)
      for (let passed = 0; !isOver; passed += 50) {
        if (passed < most) await vi.advanceTimersByTimeAsync(50)
        await new Promise((resolve) => setImmediate(resolve))
      }
      return response
    },
    made: (times: number) => eventually(() => expect(issueToken).toHaveBeenCalledTimes(times)),
  }
}

describe('a pair that could not be issued', () => {
  test('because its client has disconnected, leaves the refresh token to the next request', async () => {
    const hangUp = new AbortController()
    const issueToken = vi.fn<() => string>(() => 'a-token')
    const service = start({ issueToken })
    const { refresh_token } = await service.login()
    issueToken.mockImplementationOnce(() => {
      hangUp.abort()
      return 'undelivered'
    })
    const body = new URLSearchParams({ client_id: CLIENT_ID, grant_type: 'refresh_token', refresh_token })
    await service.fetch(HOST + TOKEN_PATH, { method: 'POST', body, signal: hangUp.signal })
    expect((await service.whoIs('undelivered')).status).toBe(401)
    expect((await service.refresh(refresh_token)).body.access_token).toBe('a-token')
    expect(service.replays()).toEqual([])
  })

  test.each(['token:', 'successor:'])(
    'because the store takes no record %s, is asked for again',
    async (prefix) => {
      let away = false
      const store = beforeUpdates((key) => {
        if (away && key.startsWith(prefix)) throw new StoreUnavailableError('full')
      })
      const service = start({ store })
      const { refresh_token } = await service.login()
      away = true
      expect((await service.refresh(refresh_token)).status).toBe(503)
      away = false
      expect((await service.refresh(refresh_token)).body).toHaveProperty('access_token')
      expect(service.reuses()).toEqual([])
    },
  )

  test('as far as the store could say, is delivered if the store has issued it', async () => {
    let lost = 0
    const store = (memory: Store): Store => ({
      async update(key, change) {
        let isRotation = false
        const result = await memory.update(key, (value) => {
          const made = change(value)
          isRotation = JSON.stringify(made.value)?.includes('"generation":1') === true
          return made
        })
        if (!key.startsWith('family:') || !isRotation || lost > 0) return result
        lost += 1
        throw new StoreUnavailableError('the response was lost')
      },
    })
    const service = start({ store })
    const first = await service.login()
    const { body: second } = await service.refresh(first.refresh_token)
    expect([lost, service.errors.length, await statusOf(service, second)]).toEqual([1, 1, 200])
    expect((await service.refresh(second.refresh_token)).body).toHaveProperty('access_token')
  })
})

test('a request within the window whose pair the store has lost is asked to retry', async () => {
  const service = startOpen()
  const first = await service.login()
  const { body: second } = await service.refresh(first.refresh_token)
  for (const { key } of await service.copy()) if (key.startsWith('successor:')) await service.put(key, null)
  const { status, headers } = await service.refresh(first.refresh_token)
  expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  expect([service.replays(), service.reuses(), await statusOf(service, second)]).toEqual([[], [], 200])
})

test('a login whose family is revoked while its first token is issued stays revoked', async () => {
  let updates = 0
  const store = beforeUpdates(async (key) => {
    if (!key.startsWith('family:')) return
    updates += 1
    if (updates === 2) await service.revoke({ family: key.slice('family:'.length) })
  })
  const service = start({ store })
  expect(await statusOf(service, await service.login())).toBe(401)
})

test('a refresh that the store has lost is refused, and ends nothing', async () => {
  const service = startOpen()
  const first = await service.login()
  const { body: second } = await service.refresh(first.refresh_token)
  const before = (await service.copy()).find(({ key }) => key.startsWith('family:'))
  const { body: third } = await service.refresh(second.refresh_token)
  const { body: fourth } = await service.refresh(third.refresh_token)
  await service.put(before?.key ?? '', before?.value ?? null)
  for (const { refresh_token } of [fourth, third])
    expect((await service.refresh(refresh_token)).body.error).toBe('bad_refresh_token')
  expect([await statusOf(service, second), service.reuses()]).toEqual([200, []])
  expect((await service.refresh(second.refresh_token)).body).toHaveProperty('access_token')
})

test('a stolen refresh token is detected when its owner returns, however often the thief has refreshed it', async () => {
  const service = start({ limits: { refreshes: { max: 250, window: 60 } } })
  const owned = await service.login()
  let stolen = owned
  for (let times = 0; times < 250; times += 1) stolen = (await service.refresh(stolen.refresh_token)).body
  expect([await statusOf(service, stolen), service.reuses()]).toEqual([200, []])
  expect((await service.refresh(owned.refresh_token)).body.error).toBe('bad_refresh_token')
  expect(service.reuses()).toEqual([expect.objectContaining({ user: { id: 7, login: 'octocat' } })])
  expect(await statusOf(service, stolen)).toBe(401)
  expect((await service.refresh(stolen.refresh_token)).body.error).toBe('bad_refresh_token')
})

test('a login is one record, however often it is refreshed', async () => {
  const service = startOpen()
  let pair = await service.login()
  for (let times = 0; times < 130; times += 1) {
    service.wait(60)
    pair = (await service.refresh(pair.refresh_token)).body
  }
  service.wait(9 * HOUR)
  const kept = (await service.copy()).filter(({ key }) => key !== 'generation')
  expect(kept.map(({ key }) => key.split(':')[0]).sort()).toEqual(['family', 'logins'])
  expect(JSON.stringify(kept).length).toBeLessThan(860)
})

describe('a copy of the store', () => {
  /** A thief has the first refresh token, which was spent, and a copy of the store. */
  async function theft(after: number) {
    const service = startOpen()
    const first = await service.login()
    const { body: second } = await service.refresh(first.refresh_token)
    service.wait(after)
    const spent = new Secret(first.refresh_token)
    const records = await service.copy()
    const [id = ''] = records.flatMap(({ key }) => /^family:(.*)/.exec(key)?.[1] ?? [])
    const opened = await Promise.all(
      records.map(({ value }) =>
        openPair(spent, value as unknown as SealedText, `${id} 1`).catch(() => undefined),
      ),
    )
    return { first, second, records, opened: opened.filter((pair) => pair !== undefined) }
  }

  test('opens the successor inside the window, which is what the window is for', async () => {
    const { second, opened } = await theft(5)
    expect(opened.map(({ refreshToken }) => refreshToken.reveal())).toEqual([second.refresh_token])
  })

  test('opens nothing 50 minutes later, and holds no token', async () => {
    const { first, second, records, opened } = await theft(50 * 60)
    expect(opened).toEqual([])
    expect(records.map(({ key }) => key.split(':')[0])).toEqual(expect.arrayContaining(['family', 'token']))
    const text = JSON.stringify(records)
    for (const token of [first, second].flatMap(({ access_token, refresh_token }) => [
      access_token,
      refresh_token,
    ])) {
      expect(text).toContain(await hash(token))
      expect(text).not.toContain(token)
    }
  })
})

describe('the host', () => {
  test('issues every access token, with its own lifetime and scopes, and learns the login', async () => {
    const names = ['token-1', 'token-2']
    const issueToken = vi.fn<NonNullable<ServiceOptions['issueToken']>>(({ scopes }) => ({
      token: names.shift() ?? '',
      expiresIn: 60,
      scopes: scopes.slice(0, 1),
    }))
    const service = start({ issueToken })
    const first = await service.login()
    expect(first).toMatchObject({ access_token: 'token-1', expires_in: 60, scope: 'repo' })
    const { body: second } = await service.refresh(first.refresh_token)
    expect(second).toMatchObject({ access_token: 'token-2', expires_in: 60, scope: 'repo' })
    const [[one], [two]] = issueToken.mock.calls as [[TokenRequest], [TokenRequest]]
    expect(two).toEqual({ ...one, scopes: ['repo'] })
    expect(one.family).toMatch(/^[\da-f]{32}$/)
    service.wait(60)
    expect(await statusOf(service, second)).toBe(401)
  })

  test('cannot widen the scopes of a login at a refresh', async () => {
    const scopes = ['repo', 'gist']
    const service = start({ issueToken: () => ({ token: `token-${scopes.length}`, scopes: [...scopes] }) })
    const { refresh_token } = await service.login()
    scopes.push('admin')
    expect((await service.refresh(refresh_token)).status).toBe(503)
    expect(service.errors).toEqual([
      new TypeError('issueToken returned a scope at a refresh that the login does not have'),
    ])
    expect((await service.whoIs('token-3')).status).toBe(401)
    scopes.pop()
    expect((await service.refresh(refresh_token)).body).toHaveProperty('access_token')
  })

  test('may stop issuing refresh tokens, which leaves the access tokens of a login valid', async () => {
    const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
    const store = memoryStore({ clock })
    const first = await start({ clock, store }).login()
    expect(await statusOf(startService({ clock, store }), first)).toBe(200)
  })
})
