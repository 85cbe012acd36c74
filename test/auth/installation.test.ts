import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  app,
  createApi,
  github,
  type Installation,
  type InstallationOptions,
  installation,
  type Store,
  withAuth,
} from '../../src/auth/index.ts'
import { StoreUnavailableError } from '../../src/errors.ts'
import { memoryStore } from '../../src/service/index.ts'
import { sealed } from '../../src/session/index.ts'
import { appService, privateKey, steppingClock } from '../support/app-service.ts'
import { eventually } from '../support/eventually.ts'
import { formContract } from '../support/form-contract.ts'
import { watchedStore } from '../support/watched-store.ts'

type Service = ReturnType<typeof appService>

const ourApp = () => app({ appId: 1, privateKey, clock: { now: () => Date.UTC(2026, 0, 1) } })

/** An installation at a service. Its app has the clock of the service too. */
function at(service: Service, options: Partial<InstallationOptions> = {}): Installation {
  const { clock } = service
  const target = options.owner || options.repository ? {} : { installationId: 11 }
  return installation({
    app: app({ appId: 1, privateKey, clock }),
    clock,
    ...target,
    ...options,
  } as InstallationOptions)
}

/** An installation whose app signs in no time, without a thread for which others would wait. */
const signingAtOnce = ({ clock, ...options }: Pick<InstallationOptions, 'store' | 'clock'> = {}) =>
  installation({
    app: app({ appId: 1, sign: () => new Uint8Array(256), clock }),
    installationId: 1,
    clock,
    ...options,
  })

const optionsOf = ({ baseUrl, fetch }: Service) => ({ provider: github({ baseUrl }), fetch })

const call = (service: Service, auth: Installation) =>
  createApi({ auth, ...optionsOf(service) })<{ repositories: { name: string }[] }>(
    '/installation/repositories',
  )

const namesFor = async (service: Service, auth: Installation) =>
  (await call(service, auth)).repositories.map(({ name }) => name)

const revealed = async (service: Service, auth: Installation) =>
  (await auth.token(optionsOf(service))).reveal()

const MINUTE = 60_000

/** The response to a request for a token. */
const minted = (token: string, now: number) =>
  Response.json({ token, expires_at: new Date(now + 60 * MINUTE).toISOString() }, { status: 201 })

/** A response that arrives when the test says so. */
function later<Value = Response>() {
  let resolve: (value: Value) => void = () => undefined
  const promise = new Promise<Value>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

describe('the faults of other packages', () => {
  test('one installation id on two hosts: each host gets its own token', async () => {
    const [one, other] = [appService({ host: 'one.example' }), appService({ host: 'other.example' })]
    const auth = at(one)
    const [first, second] = await Promise.all([revealed(one, auth), revealed(other, auth)])
    expect(first).not.toBe(second)
    expect([one.minted(), other.minted()]).toEqual([1, 1])
    await Promise.all([call(one, auth), call(other, auth)])
    expect([one.minted(), other.minted()]).toEqual([1, 1])
  })

  test('one installation id of two apps: each app gets its own token', async () => {
    const service = appService()
    const own = at(service)
    const foreign = at(service, { app: app({ appId: 2, privateKey, clock: service.clock }) })
    await call(service, own)
    await expect(call(service, foreign)).rejects.toMatchObject({ status: 401 })
  })

  test.each<[string, Partial<InstallationOptions>, Partial<InstallationOptions>]>([
    ['write and admin', { permissions: { contents: 'write' } }, { permissions: { contents: 'admin' } }],
    ['ids and names', { repositoryIds: [11] }, { repositories: ['11'] }],
    ['some and all repositories', { repositories: ['hello'] }, {}],
    ['some and all permissions', { permissions: { issues: 'read' } }, {}],
  ])('%s: two tokens', async (_, one, other) => {
    const service = appService()
    const octoApp = app({ appId: 1, privateKey, clock: service.clock })
    const tokens = await Promise.all(
      [one, other, one].map((options) => revealed(service, at(service, { app: octoApp, ...options }))),
    )
    expect(new Set(tokens).size).toBe(2)
    expect(tokens[2]).toBe(tokens[0])
    expect(service.minted()).toBe(2)
  })

  test('ids and names give access to what was asked for', async () => {
    const service = appService()
    expect(await namesFor(service, at(service, { repositoryIds: [11] }))).toEqual(['hello'])
    expect(await namesFor(service, at(service, { repositories: ['11'] }))).toEqual(['11'])
    // As environment variables have it.
    expect(await namesFor(service, at(service, { installationId: '11' }))).toEqual(['hello', '11'])
  })

  test('lists are copied, and their order does not matter', async () => {
    const service = appService()
    const octoApp = app({ appId: 1, privateKey, clock: service.clock })
    const [repositories, repositoryIds] = [
      ['hello', '11'],
      [12, 11],
    ]
    const auth = at(service, {
      app: octoApp,
      permissions: { contents: 'read', issues: 'read' },
      repositories,
      repositoryIds,
    })
    expect([repositories[0], repositoryIds[0]]).toEqual(['hello', 12])
    repositories.length = 1
    repositoryIds.length = 1
    const same = at(service, {
      app: octoApp,
      permissions: { issues: 'read', contents: 'read' },
      repositories: ['11', 'hello'],
      repositoryIds: [11, 12],
    })
    expect(await revealed(service, same)).toBe(await revealed(service, auth))
    expect(await namesFor(service, auth)).toEqual(['hello', '11'])
  })
})

describe('the form installation', () => {
  test('mints one token for 50 calls at once, and for all later ones until it is due', async () => {
    const service = appService()
    const auth = at(service)
    await Promise.all(Array.from({ length: 50 }, () => call(service, auth)))
    expect(service.minted()).toBe(1)
    service.clock.time += 55 * MINUTE - 1
    await call(service, auth)
    expect(service.minted()).toBe(1)
    service.clock.time += 1
    await call(service, auth)
    expect(service.minted()).toBe(2)
  })

  test('replaces a token with a short lifetime at half of it, by the clock of the API', async () => {
    const clock = { ...appService().clock }
    let minted = 0
    const fetch: typeof globalThis.fetch = async (input) => {
      if (!new Request(input).url.endsWith('access_tokens')) return Response.json({})
      minted += 1
      const body = { token: `ghs_${minted}`, expires_at: '2031-01-01T00:01:00Z' }
      return Response.json(body, { status: 201, headers: { date: 'Wed, 01 Jan 2031 00:00:00 GMT' } })
    }
    const time = { at: clock.now(), ...clock, now: () => time.at }
    const auth = installation({ app: ourApp(), installationId: 1, clock: time })
    const token = async () => (await auth.token({ fetch })).reveal()
    expect(await token()).toBe('ghs_1')
    time.at += 30_000 - 1
    expect(await token()).toBe('ghs_1')
    time.at += 1
    expect(await token()).toBe('ghs_2')
  })

  test.each(['owner', 'repository'])('finds the installation by its %s, once', async (kind) => {
    const service = appService()
    const auth = at(service, kind === 'owner' ? { owner: 'octo-org' } : { repository: 'octo-org/hello' })
    expect(await namesFor(service, auth)).toEqual(['hello', '11'])
    service.clock.time += 59 * MINUTE
    await call(service, auth)
    const path = kind === 'owner' ? '/users/octo-org/installation' : '/repos/octo-org/hello/installation'
    expect(service.requests.filter((request) => request === `GET ${path}`)).toHaveLength(1)
    expect(service.minted()).toBe(2)
  })

  test('looks an owner up once more where the app was installed again', async () => {
    const before = appService()
    const after = appService({ installations: [{ id: 33, owner: 'octo-org' }], clock: before.clock })
    let service = before
    const fetch: typeof globalThis.fetch = (input, init) => service.fetch(input, init)
    const auth = at(before, { owner: 'octo-org' })
    const api = createApi({ auth, provider: github({ baseUrl: before.baseUrl }), fetch })
    await api('/installation/repositories')
    service = after
    before.clock.time += 59 * MINUTE
    await api('/installation/repositories')
    expect(after.requests).toEqual([
      'POST /app/installations/11/access_tokens',
      'GET /users/octo-org/installation',
      'POST /app/installations/33/access_tokens',
      'GET /installation/repositories',
    ])
  })

  test('rejects where the installation is unknown, and asks once', async () => {
    const service = appService()
    await expect(call(service, at(service, { installationId: 99 }))).rejects.toMatchObject({
      status: 404,
      message: expect.stringMatching(
        / \(POST \S+\/99\/access_tokens\) with status 404: .+; the app has no installation with this id$/,
      ),
    })
    await expect(call(service, at(service, { owner: 'nobody' }))).rejects.toMatchObject({
      status: 404,
      message: expect.stringMatching(
        / \(GET \S+\/users\/nobody\/installation\) with status 404: .+; the app is not installed there$/,
      ),
    })
    expect(service.requests).toEqual([
      'POST /app/installations/99/access_tokens',
      'GET /users/nobody/installation',
    ])
  })

  test.each([
    { permissions: { contents: 'read', issues: 'write' } },
    { repositories: ['elsewhere'] },
    { repositoryIds: [13] },
  ] as const)('rejects where the installation does not have %j', async (options) => {
    const service = appService()
    await expect(call(service, at(service, options))).rejects.toMatchObject({ status: 422 })
  })

  test('a failure is not kept: the next call asks again', async () => {
    const service = appService()
    const auth = at(service)
    service.instead = () => Promise.reject(new TypeError('fetch failed'))
    await expect(revealed(service, auth)).rejects.toMatchObject({ code: 'unreachable' })
    service.instead = undefined
    expect(await revealed(service, auth)).toMatch(/^ghs_/)
  })

  test.each<[number, HeadersInit, object]>([
    [500, {}, {}],
    [429, {}, {}],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' }, {}],
    [403, { 'retry-after': '90' }, {}],
    [403, {}, { message: 'You have exceeded a secondary rate limit' }],
  ])(
    'a token that is due but valid is used while minting fails with %d, %j, %j',
    async (status, headers, body) => {
      const service = appService()
      const auth = at(service, { owner: 'octo-org' })
      const token = await revealed(service, auth)
      service.instead = () => Response.json(body, { status, headers })
      service.clock.time += 60 * MINUTE - 1
      expect(await revealed(service, auth)).toBe(token)
      service.clock.time += 1
      await expect(revealed(service, auth)).rejects.toMatchObject({ status })
      expect(service.requests.filter((request) => request.startsWith('GET'))).toHaveLength(1)
    },
  )

  test('a token that is due is not used where the installation is gone', async () => {
    const service = appService()
    const auth = at(service)
    await revealed(service, auth)
    service.instead = () => Response.json({}, { status: 404, headers: { 'x-ratelimit-remaining': '0' } })
    service.clock.time += 56 * MINUTE
    await expect(revealed(service, auth)).rejects.toMatchObject({ status: 404 })
  })

  test.each([
    ['no token', { expires_at: '2026-01-01T01:00:00Z' }, '"token"'],
    ['an empty token', { token: '', expires_at: '2026-01-01T01:00:00Z' }, '"token"'],
    ['no end', { token: 'ghs_1' }, '"expires_at"'],
    ['an end that is no time', { token: 'ghs_1', expires_at: 'soon' }, '"expires_at"'],
    ['an end that is not text', { token: 'ghs_1', expires_at: { toString: null } }, '"expires_at"'],
  ])('rejects a response with %s', async (_, body, field) => {
    const fetch = async () => Response.json(body, { status: 201 })
    await expect(installation({ app: ourApp(), installationId: 1 }).token({ fetch })).rejects.toMatchObject({
      code: 'bad_response',
      message: `the installation token response (POST api.github.com/app/installations/1/access_tokens) has no valid ${field}`,
    })
  })

  test('a rate limit of the look-up is waited for as the call allows', async () => {
    const service = appService()
    let limits = 2
    service.instead = ({ url }) => {
      if (!url.endsWith('/installation') || limits === 0) return undefined
      limits -= 1
      return Response.json({}, { status: 429, headers: { 'retry-after': '7' } })
    }
    const { clock } = service
    const options = { auth: at(service, { owner: 'octo-org' }), ...optionsOf(service), clock }
    const before = clock.now()
    const api = createApi({ ...options, maxWait: 0 })
    await expect(api('/installation/repositories')).rejects.toMatchObject({ status: 429 })
    expect([clock.now() - before, limits]).toEqual([0, 1])
    await createApi(options)('/installation/repositories')
    expect([clock.now() - before, limits]).toEqual([7_000, 0])
  })

  test('rejects an installation without an id', async () => {
    const fetch = async () => Response.json({ id: 'x' })
    const auth = installation({ app: ourApp(), repository: 'o/.github' })
    await expect(auth.token({ fetch })).rejects.toMatchObject({ code: 'bad_response' })
  })

  test.each<[unknown, string]>([
    [undefined, 'app'],
    [{ app: {}, installationId: 1 }, 'app'],
    [{}, '"installationId", "owner" and "repository"'],
    [{ installationId: 1, owner: 'o' }, '"installationId", "owner" and "repository"'],
    [{ installationId: 0 }, 'positive integer'],
    [{ installationId: '1/../2' }, 'positive integer'],
    [{ owner: 'a/b' }, 'owner'],
    [{ owner: '..' }, 'owner'],
    [{ owner: 5 }, 'owner'],
    [{ repository: 'hello' }, 'owner/name'],
    [{ repository: 'a/..' }, 'owner/name'],
    [{ installationId: 1, repositories: [] }, 'repositories must be a non-empty list'],
    [{ installationId: 1, repositoryIds: [] }, 'repositoryIds must be a non-empty list'],
    [{ installationId: 1, repositoryIds: [11, '11'] }, 'repositoryIds must be a non-empty list'],
    [{ installationId: 1, repositories: ['11', 11] }, 'repositories must be a non-empty list'],
  ])('refuses the options %j', (options, words) => {
    const given = options && { app: ourApp(), ...(options as object) }
    expect(() => installation(given as InstallationOptions)).toThrow(
      expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(words) }),
    )
  })
})

describe('a token that the API refuses', () => {
  /** A service that refuses each token until this many milliseconds after minting. */
  function lagging(milliseconds: number, status: number) {
    const service = appService()
    let mintedAt = 0
    service.instead = ({ url }) => {
      if (url.endsWith('/access_tokens')) mintedAt = service.clock.now()
      else if (service.clock.now() < mintedAt + milliseconds) return Response.json({}, { status })
      return undefined
    }
    const send = withAuth(at(service), optionsOf(service))
    const calls = () => service.requests.length - service.minted()
    return { service, calls, send: () => send('/installation/repositories', { method: 'GET' }) }
  }

  test.each([
    ['with 401 just after minting is sent again, for a short while', 401, 1500, 200, 3],
    ['with 401 for longer is sent four times at most', 401, MINUTE, 401, 4],
    ['with 403 is not sent again', 403, MINUTE, 403, 1],
  ])('%s', async (_, refusal, milliseconds, status, times) => {
    const { calls, send, service } = lagging(milliseconds, refusal)
    expect((await send()).status).toBe(status)
    expect([calls(), service.minted()]).toEqual([times, 1])
  })

  test('later is replaced, and the requests that it was in are sent again', async () => {
    const service = appService()
    const auth = at(service)
    const token = await revealed(service, auth)
    service.clock.time += 5_000
    const headers = { authorization: `Bearer ${token}` }
    await service.fetch(`${service.baseUrl}/installation/token`, { method: 'DELETE', headers })
    await Promise.all(Array.from({ length: 5 }, () => call(service, auth)))
    expect(service.minted()).toBe(2)
  })

  test('and the next one too, is an error', async () => {
    const { calls, send, service } = lagging(10 * MINUTE, 401)
    await send()
    service.clock.time += 5_000
    expect((await send()).status).toBe(401)
    expect([calls(), service.minted()]).toEqual([4 + 4, 2])
  })
})

describe('closing', () => {
  test('revokes the token, and the next call gets another one', async () => {
    const service = appService()
    const auth = at(service)
    const token = await revealed(service, auth)
    await auth.close()
    expect(service.requests.at(-1)).toBe('DELETE /installation/token')
    const refused = await service.fetch(`${service.baseUrl}/installation/repositories`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(refused.status).toBe(401)
    expect(await revealed(service, auth)).not.toBe(token)
  })

  test('waits for a token that is on its way', async () => {
    const service = appService()
    const auth = at(service)
    const minting = revealed(service, auth)
    await auth.close()
    await minting
    expect(service.requests.at(-1)).toBe('DELETE /installation/token')
  })

  test('sends nothing without a token, and succeeds once where the token is refused already', async () => {
    const service = appService()
    const auth = at(service)
    await auth.close()
    expect(service.requests).toEqual([])
    await revealed(service, auth)
    service.instead = () => new Response(null, { status: 401 })
    await auth.close()
    await auth.close()
    expect(service.requests.filter((request) => request.startsWith('DELETE'))).toHaveLength(1)
  })

  test('goes through all hosts where one fails, and can be repeated', async () => {
    const [one, other] = [appService({ host: 'one.example' }), appService({ host: 'other.example' })]
    const auth = at(one)
    await revealed(one, auth)
    await revealed(other, auth)
    one.instead = () => new Response(null, { status: 500 })
    await expect(auth.close()).rejects.toMatchObject({ status: 500 })
    expect(other.requests.at(-1)).toBe('DELETE /installation/token')
    const { length } = other.requests
    one.instead = undefined
    await auth.close()
    expect(one.requests.at(-1)).toBe('DELETE /installation/token')
    expect(other.requests).toHaveLength(length)
  })
})

describe('a shared store', () => {
  /** Two processes of a fleet: each has its own objects, and both have one store. */
  const fleet = (service: Service, store: Store) => [at(service, { store }), at(service, { store })] as const

  /** Begins to mint a token, and never gets a response. */
  async function mintsForEver(service: Service, auth: Installation) {
    service.instead = () => new Promise<never>(() => undefined)
    auth.token(optionsOf(service)).catch(() => undefined)
    await eventually(() => expect(service.minted()).toBe(1))
    service.instead = undefined
  }

  test('a fleet mints once, also when the token is due', async () => {
    const clock = steppingClock()
    const store = memoryStore({ clock })
    const fetch = vi.fn(async () => minted(`ghs_${fetch.mock.calls.length}`, clock.now()))
    const processes = Array.from({ length: 20 }, () => signingAtOnce({ store, clock }))
    for (const round of [1, 2]) {
      const tokens = await Promise.all(processes.map(async (auth) => (await auth.token({ fetch })).reveal()))
      expect(new Set(tokens)).toEqual(new Set([`ghs_${round}`]))
      clock.time += 56 * MINUTE
    }
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  test('tokens are encrypted with sealed()', async () => {
    const service = appService()
    const { store, written } = watchedStore(service.clock)
    const key = crypto.getRandomValues(new Uint8Array(32))
    const [one, other] = fleet(service, sealed(store, key))
    const token = await revealed(service, one)
    expect(await revealed(service, other)).toBe(token)
    expect(service.minted()).toBe(1)
    expect(JSON.stringify(written)).toContain('sealed')
    expect(JSON.stringify(written)).not.toContain(token)
  })

  test('different tokens have different records', async () => {
    const service = appService()
    const store = memoryStore({ clock: service.clock })
    await Promise.all([
      call(service, at(service, { store })),
      call(service, at(service, { store, permissions: { issues: 'read' } })),
      call(service, at(service, { store, repositories: ['hello'] })),
    ])
    expect(service.minted()).toBe(3)
  })

  test('a failure lets the next process try', async () => {
    const service = appService()
    const store = memoryStore({ clock: service.clock })
    const [one, other] = fleet(service, store)
    service.instead = () => new Response(null, { status: 500 })
    await expect(revealed(service, one)).rejects.toMatchObject({ status: 500 })
    service.instead = undefined
    const before = service.clock.now()
    await revealed(service, other)
    expect(service.clock.now()).toBe(before)
  })

  test('a process that ends while it mints holds the others up for a while only', async () => {
    const service = appService()
    const store = memoryStore({ clock: service.clock })
    const [ended, other] = fleet(service, store)
    await mintsForEver(service, ended)
    service.clock.time += 30_000
    const before = service.clock.now()
    await revealed(service, other)
    expect(service.minted()).toBe(1 + 1)
    expect(service.clock.now() - before).toBeLessThanOrEqual(11_000)
  })

  test('where it ends while several wait, one of them mints for all', async () => {
    const service = appService()
    const { clock } = service
    const store = memoryStore({ clock })
    const process = () => signingAtOnce({ store, clock })
    const [ended, ...others] = [process(), process(), process()]
    const never = vi.fn(() => new Promise<never>(() => undefined))
    ended.token({ fetch: never }).catch(() => undefined)
    await eventually(() => expect(never).toHaveBeenCalled())
    // Looks of the others, between which the response of the one that mints arrives.
    const fetch = vi.fn(async () => {
      const start = clock.now()
      while (clock.now() < start + 5_000)
        await new Promise((resolve) => clock.setTimeout(() => resolve(0), 500))
      return minted('ghs_1', clock.now())
    })
    await Promise.all(others.map((auth) => auth.token({ fetch })))
    expect(fetch).toHaveBeenCalledOnce()
  })

  test('a claim of a host whose clock is an hour ahead does not block the others', async () => {
    const service = appService()
    const store = memoryStore({ clock: service.clock })
    const ahead = { ...service.clock, now: () => service.clock.now() + 60 * MINUTE }
    await mintsForEver(service, at(service, { store, clock: ahead }))
    const before = service.clock.now()
    await revealed(service, at(service, { store }))
    expect(service.clock.now() - before).toBeLessThanOrEqual(41_000)
  })

  test('a token is used that cannot be written', async () => {
    const service = appService()
    const { update } = memoryStore({ clock: service.clock })
    let updates = 0
    const failing: Store = {
      update: async (key, change) => {
        updates += 1
        if (updates > 1) throw new StoreUnavailableError('full')
        return update(key, change)
      },
    }
    expect(await revealed(service, at(service, { store: failing }))).toMatch(/^ghs_/)
  })

  test('a plain error of the store is reported as one, and not as that of the API', async () => {
    const service = appService()
    const store: Store = { update: async () => Promise.reject(new Error('connection of the pool is closed')) }
    const api = createApi({ auth: at(service, { store }), provider: github({ baseUrl: service.baseUrl }) })
    await expect(api('/installation/repositories')).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'the store of the installation tokens failed',
      cause: { message: 'connection of the pool is closed' },
    })
    expect(service.minted()).toBe(0)
  })

  test('a process that fails late does not release the claim of another', async () => {
    const service = appService()
    const { clock } = service
    const store = memoryStore({ clock })
    const process = () => signingAtOnce({ store, clock })
    const [slow, next, last] = [process(), process(), process()]
    const [failure, response] = [later(), later()]
    const [first, second] = [vi.fn(() => failure.promise), vi.fn(() => response.promise)]
    const failed = slow.token({ fetch: first })
    await eventually(() => expect(first).toHaveBeenCalled())
    clock.time += 50_000
    const minted = next.token({ fetch: second })
    await eventually(() => expect(second).toHaveBeenCalled())
    failure.resolve(new Response(null, { status: 500 }))
    await expect(failed).rejects.toMatchObject({ status: 500 })
    const { setTimeout } = clock
    clock.setTimeout = (callback, delay) => {
      response.resolve(Response.json({ token: 'ghs_1', expires_at: '2026-01-01T02:00:00Z' }, { status: 201 }))
      return setTimeout(callback, delay)
    }
    const waiting = last.token({ fetch: () => Promise.reject(new Error('it must wait')) })
    expect((await waiting).reveal()).toBe((await minted).reveal())
  })

  test.each([
    { v: 1, token: 'ghs_1', mintedAt: 0, expiresAt: '' },
    { v: 1, token: 'ghs_1', mintedAt: null, expiresAt: 9e15 },
    { v: 1, token: 5, mintedAt: 0, expiresAt: 9e15 },
    { v: 1, claim: 5 },
    { v: 2, claim: 'x' },
    'text',
  ])('a damaged record is not used: %j', async (record) => {
    const service = appService()
    const store = memoryStore({ clock: service.clock })
    const damaging: Store = { update: (key, change) => store.update(key, () => change(record)) }
    await expect(revealed(service, at(service, { store: damaging }))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
  })

  test('closing removes the token for all, and a refused token too', async () => {
    const service = appService()
    const store = memoryStore({ clock: service.clock })
    const auth = at(service, { store })
    const token = await revealed(service, auth)
    await auth.close()
    expect(await revealed(service, at(service, { store }))).not.toBe(token)
    expect(service.minted()).toBe(2)
  })

  test('a process that holds an older token does not remove the newer one', async () => {
    const service = appService()
    const store = memoryStore({ clock: service.clock })
    const [one, other] = fleet(service, store)
    await revealed(service, one)
    service.clock.time += 56 * MINUTE
    const newer = await revealed(service, other)
    await one.close()
    expect(await revealed(service, at(service, { store }))).toBe(newer)
  })
})

describe('what does not respond', () => {
  const never = () => new Promise<never>(() => undefined)
  /** Runs all timers of the system clock for a while. */
  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 0, 1) })
    return () => vi.useRealTimers()
  })

  const minting = async () => minted('ghs_1', Date.now())

  test('a signer holds up an installation for 30 seconds, and the next call tries again', async () => {
    const signs = [never, () => new Uint8Array(256)]
    const sign = () => (signs.shift() ?? never)()
    const auth = installation({ app: app({ appId: 1, sign }), installationId: 1 })
    const failure = expect(auth.token({ fetch: minting })).rejects.toMatchObject({ code: 'timed_out' })
    await pass(30_000)
    await failure
    expect((await auth.token({ fetch: minting })).reveal()).toBe('ghs_1')
  })

  test('a store is an error after 30 seconds, and the next call tries again', async () => {
    const inner = memoryStore()
    let isDown = true
    // The name of the record is hashed first, in real time.
    const asked = later<void>()
    const hang = () => {
      asked.resolve()
      return never()
    }
    const store: Store = { update: (key, change) => (isDown ? hang() : inner.update(key, change)) }
    const auth = signingAtOnce({ store })
    const failure = expect(auth.token({ fetch: minting })).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await asked.promise
    await pass(30_000)
    await failure
    isDown = false
    expect((await auth.token({ fetch: minting })).reveal()).toBe('ghs_1')
  })

  test('does not hold up a call that is cancelled or over, and the token goes to the others', async () => {
    const response = later()
    const fetch = vi.fn((input: RequestInfo | URL) =>
      new Request(input).url.endsWith('/access_tokens')
        ? response.promise
        : Promise.resolve(Response.json([])),
    )
    const api = createApi({ auth: signingAtOnce(), fetch })
    const controller = new AbortController()
    const cancelled = expect(api('/user', { signal: controller.signal })).rejects.toThrow('the user left')
    const over = expect(api('/user', { timeout: 5_000 })).rejects.toMatchObject({ code: 'timed_out' })
    const waiting = api('/user')
    await eventually(() => expect(fetch).toHaveBeenCalled())
    controller.abort(new Error('the user left'))
    await cancelled
    await pass(5_000)
    await over
    response.resolve(await minting())
    expect(await waiting).toEqual([])
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  test('does not hold up a call that is cancelled before a refused token is sent again', async () => {
    const controller = new AbortController()
    const fetch = vi.fn(async (input: RequestInfo | URL) => {
      if (new Request(input).url.endsWith('/access_tokens')) return minting()
      controller.abort(new Error('the user left'))
      return new Response(null, { status: 401 })
    })
    const { signal } = controller
    await expect(createApi({ auth: signingAtOnce(), fetch })('/user', { signal })).rejects.toThrow(
      'the user left',
    )
  })
})

const tokenFirst =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    return request.url.endsWith('/access_tokens') ? minted('ghs_secret', Date.now()) : fetch(request)
  }

formContract(
  'installation',
  () => installation({ app: app({ appId: 1, privateKey }), installationId: 1 }),
  /^Bearer ghs_secret$/,
  ['ghs_secret', privateKey],
  tokenFirst,
)
