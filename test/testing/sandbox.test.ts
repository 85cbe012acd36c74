import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { authorizeDevice, createDeviceAuthorization, refresh, Secret, viewOf } from '../../src/index.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'
import { createSandbox, type Fault, type FaultTarget, type SandboxOptions } from '../../src/testing/index.ts'

const BEGIN = Date.UTC(2026, 0, 1)

/** A login under way, in virtual time. */
function login(options?: SandboxOptions) {
  const sandbox = createSandbox(options)
  const actor = createDeviceAuthorization({ ...sandbox.client, scopes: ['repo', 'gist'], random: () => 0 })
  actor.start()
  const view = () => viewOf(actor.getSnapshot(), sandbox.clock.now())
  return { sandbox, actor, view }
}

describe('a sandbox', () => {
  test('runs a login to its token at once, and logs the requests without secrets', async () => {
    const sandbox = createSandbox()
    const token = await sandbox.run(
      authorizeDevice({ ...sandbox.client, scopes: ['repo', 'gist'], onCodes: () => sandbox.approve() }),
    )
    expect(token).toMatchObject({ tokenType: 'bearer', scopes: ['repo', 'gist'] })
    await sandbox.fetch('http://localhost/login/device?user_code=ABCD-EFGH')
    expect(sandbox.requests).toEqual([
      { method: 'POST', path: '/login/device/code', at: BEGIN, status: 200, outcome: 'codes' },
      { method: 'POST', path: '/login/oauth/access_token', at: BEGIN + 5250, status: 200, outcome: 'token' },
      { method: 'GET', path: '/login/device', at: BEGIN + 5250, status: 200, outcome: '' },
    ])
  })

  test('decides on the code that it is given', async () => {
    const sandbox = createSandbox()
    const codes: string[] = []
    const logins = [0, 1].map(() =>
      authorizeDevice({ ...sandbox.client, onCodes: ({ userCode }) => codes.push(userCode) }),
    )
    await sandbox.advance(0)
    expect(await sandbox.deny(codes[0])).toBe('done')
    expect(await sandbox.approve(codes[1])).toBe('done')
    const [first, second] = await sandbox.run(Promise.allSettled(logins))
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'denied' } })
    expect(second).toMatchObject({ status: 'fulfilled' })
  })

  test('refuses to decide before there is a code', async () => {
    await expect(createSandbox().approve()).rejects.toMatchObject({ code: 'bad_option' })
  })

  test('says that a promise did not settle in virtual time', async () => {
    await expect(createSandbox().run(new Promise(() => {}))).rejects.toThrow('did not settle')
  })

  const derive = () => promisify(pbkdf2)('password', 'salt', 50_000, 32, 'sha256')

  test('waits for other threads, which take real time', async () => {
    expect(await createSandbox().run(derive())).toHaveLength(32)
  })

  test('brings codes with a code challenge while all threads are busy', async () => {
    const busy = Promise.all(Array.from({ length: 8 }, derive))
    const sandbox = createSandbox()
    createDeviceAuthorization({ ...sandbox.client, pkce: true }).start()
    await sandbox.advance(0)
    expect(sandbox.requests).toMatchObject([{ outcome: 'codes' }])
    await busy
  })

  test('accepts the options of a service, and real time', async () => {
    const clients = [{ clientId: new Secret('id'), name: 'App' }]
    const sandbox = createSandbox({ time: 'real', interval: 1, clients })
    const before = Date.now()
    expect(sandbox.clock.now()).toBeGreaterThanOrEqual(before)
    expect(sandbox.clock.now()).toBeLessThanOrEqual(Date.now())
    expect(sandbox.client.clientId).toBe('id')
    await expect(sandbox.advance(1)).rejects.toMatchObject({ code: 'bad_option' })
  })

  test('in real time lives in the time that Vitest fakes', async () => {
    vi.useFakeTimers()
    const sandbox = createSandbox({ time: 'real' })
    vi.stubGlobal('fetch', sandbox.fetch)
    onTestFinished(() => {
      vi.useRealTimers()
      vi.unstubAllGlobals()
    })
    const login = authorizeDevice({ clientId: 'sandbox', onCodes: () => sandbox.approve() })
    await vi.advanceTimersByTimeAsync(6000)
    expect(await login).toMatchObject({ tokenType: 'bearer' })
  })

  test('stops its clock while the service responds', async () => {
    // The ten seconds that `issueToken` may take are real time, and a busy machine can stop a process for that long.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const issueToken = async () => {
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      return 'a-token'
    }
    const { sandbox, view } = login({ issueToken })
    await sandbox.advance(0)
    await sandbox.approve()
    await sandbox.advance(6)
    expect(view()).toMatchObject({ status: 'authorized' })
  })

  test('is not asked what was given up before', async () => {
    const sandbox = createSandbox()
    const signal = AbortSignal.abort(new Error('given up'))
    await expect(sandbox.fetch('http://localhost/', { signal })).rejects.toThrow('given up')
    expect(sandbox.requests).toEqual([])
  })

  test('is not waited for once it was given up', async () => {
    const sandbox = createSandbox()
    sandbox.inject('hang')
    const caller = new AbortController()
    const response = sandbox.fetch('http://localhost/', { signal: caller.signal })
    caller.abort(new Error('given up'))
    await expect(response).rejects.toThrow('given up')
  })
})

const HOUR = 60 * 60

/** A session that is logged in to a sandbox with refresh tokens. */
async function loggedIn(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ refreshTokens: { lifetime: 24 * HOUR }, ...options })
  const { client } = sandbox
  const session = createSession({ ...client, store: memoryStore(), onCodes: () => sandbox.approve() })
  await sandbox.run(session.login())
  const outcomes = () => sandbox.requests.slice(2).map(({ outcome }) => outcome)
  return { sandbox, session, outcomes, token: () => sandbox.run(session.token()) }
}

describe('a sandbox with refresh tokens', () => {
  test('expires access tokens, and rotates refresh tokens until their lifetime is over', async () => {
    const { sandbox, token, outcomes } = await loggedIn()
    const first = await token()
    await sandbox.advance(7 * HOUR)
    expect((await token()).reveal()).toBe(first.reveal())
    for (const times of [1, 2]) {
      await sandbox.advance(8 * HOUR)
      await token()
      expect(outcomes()).toEqual(Array(times).fill('refreshed'))
    }
    await sandbox.advance(24 * HOUR)
    await expect(token()).rejects.toMatchObject({ code: 'login_required' })
  })

  test.each(['lose', 'drop', 'malformed', { status: 503 }] satisfies Fault[])(
    'repeats a refresh after %j',
    async (fault) => {
      const { sandbox, token, outcomes } = await loggedIn()
      await sandbox.advance(8 * HOUR)
      sandbox.inject(fault, { on: 'refresh' })
      await token()
      expect(outcomes()).toEqual([typeof fault === 'string' ? fault : 'status', 'refreshed'])
    },
  )

  test('revokes the logins of its user, or by one token', async () => {
    const { sandbox, token } = await loggedIn()
    expect(await sandbox.revoke({ token: 'unknown' })).toBe(false)
    expect(await sandbox.revoke({ user: 'monalisa' })).toBe(true)
    expect(await sandbox.revoke({ token: await token() })).toBe(true)
    await sandbox.advance(8 * HOUR)
    await expect(token()).rejects.toMatchObject({ code: 'login_required' })

    const other = await loggedIn()
    expect(await other.sandbox.revoke()).toBe(true)
    await other.sandbox.advance(8 * HOUR)
    await expect(other.token()).rejects.toMatchObject({ code: 'login_required' })
  })
})

test('a client revokes its tokens at a logout, where the dialect has an endpoint for it', async () => {
  const { sandbox, session, outcomes } = await loggedIn({ dialect: 'rfc8628' })
  expect(await sandbox.run(session.logout())).toMatchObject({ revoked: true })
  expect(outcomes()).toEqual([''])
})

test('a poll is no refresh, whatever the encoding of both', async () => {
  const sandbox = createSandbox({ refreshTokens: { lifetime: HOUR } })
  const provider = { ...sandbox.client.provider, encoding: 'json' } as const
  const client = { ...sandbox.client, provider }
  sandbox.inject('drop', { on: 'refresh' })
  const token = await sandbox.run(authorizeDevice({ ...client, onCodes: () => sandbox.approve() }))
  sandbox.inject('lose', { on: 'poll' })
  await expect(sandbox.run(refresh(token, client))).rejects.toMatchObject({ code: 'unreachable' })
  await sandbox.run(refresh(token, client))
  expect(sandbox.requests.map(({ outcome }) => outcome)).toEqual(['codes', 'token', 'drop', 'refreshed'])
})

describe('a fault', () => {
  test.each<[string, Fault, object]>([
    ['drop', 'drop', { code: 'unreachable', reason: 'ECONNRESET' }],
    ['hang', 'hang', { code: 'timed_out' }],
    ['html', 'html', { code: 'bad_response' }],
    ['malformed', 'malformed', { code: 'bad_response' }],
    ['status', { status: 429, retryAfter: 30 }, { code: 'refused', status: 429, retryAfter: 30 }],
  ])('%s at the request for codes ends a login', async (name, fault, error) => {
    const sandbox = createSandbox()
    sandbox.inject(fault)
    await expect(
      sandbox.run(authorizeDevice({ ...sandbox.client, onCodes: () => undefined })),
    ).rejects.toMatchObject(error)
    expect(sandbox.requests).toMatchObject([{ outcome: name }])
  })

  test.each<[Fault, FaultTarget]>([
    ['hang', { on: 'poll' }],
    ['html', { on: ({ path }) => path.endsWith('token'), times: 3 }],
  ])('%s at a poll is one that a login outlives', async (fault, target) => {
    const { sandbox, view } = login()
    sandbox.inject(fault, target)
    await sandbox.advance(0)
    await sandbox.approve()
    await sandbox.advance(300)
    expect(view()).toMatchObject({ status: 'authorized' })
    const outcomes = sandbox.requests.map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['codes', ...Array(target.times ?? 1).fill(fault), 'token'])
  })

  test('of slowness takes virtual time', async () => {
    const { sandbox, view } = login()
    sandbox.inject({ slow: 3 })
    await sandbox.advance(2)
    expect(view()).toMatchObject({ activity: 'requesting' })
    await sandbox.advance(2)
    expect(view()).toMatchObject({ activity: 'waiting', secondsLeft: 896 })
  })

  test('of the clock shows in the date that the service tells', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ clockSkew: -3600 })
    const dates = [
      await sandbox.fetch('http://localhost/user'),
      await sandbox.fetch('http://localhost/user'),
    ].map(({ headers }) => Date.parse(headers.get('date') ?? '') - sandbox.clock.now())
    expect(dates).toEqual([-3_600_000, 0])
  })
})

test.each(['github', 'rfc8628'] as const)(
  'an injected error reaches any client at the endpoints, as the dialect %s sends it',
  async (dialect) => {
    const { inject, endpoints, fetch } = createSandbox({ dialect })
    const poll = async () => {
      const response = await fetch(endpoints.token, { method: 'POST' })
      return [response.status, response.headers.get('content-type'), await response.text()]
    }
    const status = dialect === 'github' ? 200 : 400
    inject({ error: 'slow_down', interval: 30 })
    expect(await poll()).toEqual([status, 'application/json', '{"error":"slow_down","interval":30}'])
    inject({ error: 'expired_token' })
    expect(await poll()).toEqual([status, 'application/json', '{"error":"expired_token"}'])
    inject({ body: '<p>Sign in', contentType: 'text/html', status: 511 })
    expect(await poll()).toEqual([511, 'text/html', '<p>Sign in'])
  },
)

test('the endpoints are those that the sandbox publishes, also where it listens', async () => {
  await using sandbox = createSandbox()
  for (const listens of [false, true]) {
    if (listens) await sandbox.listen()
    const { endpoints, client } = sandbox
    const { fetch } = listens ? globalThis : sandbox
    const published = await fetch(`${endpoints.issuer}/.well-known/oauth-authorization-server`)
    expect(await published.json()).toMatchObject({
      issuer: endpoints.issuer,
      device_authorization_endpoint: endpoints.deviceAuthorization,
      token_endpoint: endpoints.token,
      revocation_endpoint: endpoints.revocation,
    })
    const body = new URLSearchParams({ client_id: client.clientId })
    const codes = await fetch(endpoints.deviceAuthorization, { method: 'POST', body })
    expect((await codes.json()).verification_uri).toBe(endpoints.verification)
  }
})

describe('what is no fault', () => {
  test.each([
    'timeout',
    {},
    { status: 99 },
    { status: 503, slow: 3 },
    { status: 429, retryAfter: Number.NaN },
    { slow: -1 },
    { clockSkew: '3600' },
    { error: '' },
    { error: 'slow_down', interval: '10' },
    { error: 'slow_down', slow: 3 },
    { body: {} },
    { body: '', status: 204 },
    null,
  ])('is refused: %j', (fault) => {
    expect(() => createSandbox().inject(fault as Fault)).toThrow('unknown fault')
  })

  test('is refused where its requests have no such name', () => {
    const target = { on: 'polls' } as unknown as FaultTarget
    expect(() => createSandbox().inject('drop', target)).toThrow('unknown target')
  })
})

test.each<[Fault, string, number]>([
  [{ status: 204 }, 'status', 204],
  [{ clockSkew: 5 }, 'clockSkew', 200],
  [{ error: 'server_error' }, 'server_error', 200],
  [{ body: 'Bad gateway', contentType: 'text/plain', status: 502 }, 'body', 502],
])('the fault %j stands in the log as %s, with the status %i', async (fault, outcome, status) => {
  const sandbox = createSandbox()
  sandbox.inject(fault)
  await sandbox.fetch('http://localhost/login/device')
  expect(sandbox.requests).toMatchObject([{ outcome, status }])
})

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('time does not pass by %s seconds', async (seconds) => {
  await expect(createSandbox().advance(seconds)).rejects.toMatchObject({ code: 'bad_option' })
})

describe('a sandbox that listens', () => {
  test('listens for any client, and keeps its state', async () => {
    await using sandbox = createSandbox({ interval: 1 })
    const codes = async () =>
      (
        await fetch(sandbox.client.provider.deviceAuthorizationEndpoint, {
          method: 'POST',
          body: new URLSearchParams({ client_id: 'sandbox' }),
        })
      ).json()
    const url = await sandbox.listen()
    expect(await codes()).toMatchObject({ verification_uri: `${url}/login/device` })
    expect(await sandbox.approve()).toBe('done')
    expect(await (await fetch(`${url}/login/device`)).text()).toContain('Connect a device')
    sandbox.inject('drop')
    await expect(codes()).rejects.toThrow('fetch failed')
    sandbox.inject({ status: 503 })
    const { status } = await fetch(`${url}/user`)
    expect(status).toBe(503)
    expect(sandbox.requests.map(({ outcome }) => outcome)).toEqual(['codes', '', 'drop', 'status'])
  })

  test('ends a request that hangs when it is closed, and can listen again', async () => {
    await using sandbox = createSandbox()
    const url = await sandbox.listen()
    sandbox.inject('hang', { times: 2 })
    const ended = expect(fetch(url)).rejects.toThrow('fetch failed')
    const dropped = expect(sandbox.fetch(url)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    while (sandbox.requests.length < 2) await new Promise((resolve) => setImmediate(resolve))
    await sandbox.close()
    await Promise.all([ended, dropped])
    await expect(fetch(url)).rejects.toThrow('fetch failed')
    expect((await fetch(`${await sandbox.listen()}/login/device`)).status).toBe(200)
  })
})
