import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Secret } from '../../src/secret.ts'
import type { ServiceOptions } from '../../src/service/index.ts'
import { beforeUpdates } from '../support/before-updates.ts'
import { eventually } from '../support/eventually.ts'
import { CLIENT_ID, GRANT_TYPE, type Said, startService, TOKEN_PATH } from '../support/start-service.ts'

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

/** A grant of which two polls issue a token, since the first took longer than its claim. */
async function startTwice() {
  const { service, made, issuing } = startSlowService()
  const { poll } = await service.approved()
  const first = poll()
  await issuing(1)
  service.wait(10)
  const second = poll()
  await issuing(2)
  const [one, other] = made
  return { service, made, poll, first, second, one, other }
}

const errorOf = async (poll: Promise<Said>) => (await poll).body.error
/** The poll may be sent again: nothing has ended. */
async function expectRetry(poll: Promise<Said>): Promise<void> {
  const { status, headers, body } = await poll
  expect([status, headers.get('retry-after'), body.error]).toEqual([503, '5', 'temporarily_unavailable'])
}

const tokenOf = async (poll: Promise<Said>) => (await poll).body.access_token

test('the host issues the token and gets its user, client and scopes', async () => {
  const issueToken = vi.fn<NonNullable<ServiceOptions['issueToken']>>(() => new Secret('made-by-the-host'))
  const service = startService({ issueToken })
  const { poll } = await service.approved()
  expect(await tokenOf(poll())).toBe('made-by-the-host')
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

test('a client that disconnects while its token is issued gets it with its next poll', async () => {
  const { service, made, issuing } = startSlowService()
  const { deviceCode } = await service.approved()
  const { url, drain, close } = await service.listen()
  onTestFinished(close)
  const poll = (signal?: AbortSignal) => {
    const body = { client_id: CLIENT_ID, device_code: deviceCode, grant_type: GRANT_TYPE }
    const init = { method: 'POST', body: new URLSearchParams(body), ...(signal && { signal }) }
    return fetch(url + TOKEN_PATH, init)
  }
  const hangUp = new AbortController()
  const broken = poll(hangUp.signal).catch(() => undefined)
  await issuing(1)
  const received = drain()
  hangUp.abort()
  await received
  made[0]?.resolve('the-token')
  await broken
  // A client that has hung up does not hear when the token is ready.
  await eventually(async () =>
    expect(await (await poll()).json()).toMatchObject({ access_token: 'the-token' }),
  )
  const headers = { authorization: 'Bearer the-token' }
  expect((await fetch(`${url}/user`, { headers })).status).toBe(200)
  expect(service.errors).toEqual([])
})

test('hooks that throw do not fail a login', async () => {
  const fail = () => {
    throw new Error('of the hook')
  }
  const issueToken = vi.fn<() => string>(() => 'second-time')
  issueToken.mockImplementationOnce(fail)
  const onError = vi.fn(fail)
  const service = startService({ issueToken, onError, onResponse: fail })
  const { poll } = await service.approved()
  await expectRetry(poll())
  expect(onError).toHaveBeenCalledWith(new Error('of the hook'))
  expect(await tokenOf(poll())).toBe('second-time')
})

test('tokens that the host verifies are described to the API by the host and not stored', async () => {
  const service = startService({
    limits: { grantsInAll: { max: Number.POSITIVE_INFINITY, window: 1 } },
    issueToken: ({ user, scopes }) => btoa(JSON.stringify({ user, scopes })),
    verifyToken: (token) => {
      const text = token.reveal()
      return text.startsWith('ghp') ? undefined : JSON.parse(atob(text))
    },
  })
  const { poll } = await service.approved()
  const before = service.memory.size
  const token = await tokenOf(poll())
  // The count of delivered tokens, for which the response does not wait.
  await eventually(() => expect(service.memory.size).toBe(before + 1))
  const response = await service.whoIs(token)
  expect(response.body).toEqual({ id: 7, login: 'octocat' })
  expect(response.headers.get('x-oauth-scopes')).toBe('repo, gist')
  expect((await service.whoIs('ghp_unknown')).status).toBe(401)
})

describe('a token that is issued slowly', () => {
  test('is delivered to both polls if the host has one token per user, and stays valid', async () => {
    const { service, first, second, one, other } = await startTwice()
    other?.resolve('the-one')
    expect(await tokenOf(second)).toBe('the-one')
    one?.resolve('the-one')
    expect(await errorOf(first)).toBe('authorization_pending')
    expect((await service.whoIs('the-one')).status).toBe(200)
  })

  test('and never finishes holds its poll only until the claim ends, and leaves the approval to the next one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { service, made, issuing } = startSlowService()
    const { poll } = await service.approved()
    const first = poll()
    await issuing(1)
    service.wait(10)
    await vi.advanceTimersByTimeAsync(10_000)
    await expectRetry(first)
    expect(String(service.errors)).toContain('issueToken took longer')
    const second = poll()
    await issuing(2)
    made[0]?.resolve('token-1')
    made[1]?.resolve('token-2')
    expect(await tokenOf(second)).toBe('token-2')
    expect((await service.whoIs('token-1')).status).toBe(401)
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('a token is not valid if its process dies before the grant is settled, and the next poll after the claim gets another', async () => {
  let updates = 0
  // Writes of the grant: issued, approved, polled, and then settled, which never happens.
  const store = beforeUpdates(
    (key) => key.startsWith('grant:') && ++updates === 4 && new Promise(() => undefined),
  )
  const died = startService({ store, issueToken: () => 'orphan' })
  const { deviceCode, poll } = await died.approved()
  void poll()
  await eventually(() => expect(updates).toBe(4))
  const next = startService({ store: died.memory, clock: died.clock, issueToken: () => 'delivered' })
  died.wait(10)
  expect((await next.whoIs('orphan')).status).toBe(401)
  expect(await tokenOf(next.poll(deviceCode))).toBe('delivered')
  died.wait(364 * 24 * 3600)
  expect((await next.whoIs('delivered')).status).toBe(200)
})

describe('what the host returns with a token', () => {
  test('is sent to the client and applies at the API', async () => {
    const issueToken = () => ({ token: new Secret('short-lived'), expiresIn: 3600, scopes: ['repo'] })
    const service = startService({ issueToken })
    const { poll } = await service.approved()
    expect((await poll()).body).toEqual({
      access_token: 'short-lived',
      token_type: 'bearer',
      scope: 'repo',
      expires_in: 3600,
    })
    expect((await service.whoIs('short-lived')).headers.get('x-oauth-scopes')).toBe('repo')
    service.wait(3599.999)
    expect((await service.whoIs('short-lived')).status).toBe(200)
    service.wait(0.001)
    expect((await service.whoIs('short-lived')).status).toBe(401)
  })

  test('applies from its last issue if the host issues the same token again', async () => {
    const scopes = [['repo'], ['gist']]
    const issueToken = () => ({ token: 'the-one', expiresIn: 60, scopes: scopes.shift() ?? [] })
    const service = startService({ issueToken })
    await (await service.approved()).poll()
    service.wait(30)
    await (await service.approved()).poll()
    service.wait(59.999)
    const { status, headers } = await service.whoIs('the-one')
    expect([status, headers.get('x-oauth-scopes')]).toEqual([200, 'gist'])
    service.wait(0.001)
    expect((await service.whoIs('the-one')).status).toBe(401)
  })

  test.each<[string, unknown]>([
    ['the token of issueToken must be a string or a Secret', undefined],
    ['the token of issueToken must be a string or a Secret', null],
    ['the token of issueToken must be a string or a Secret', { expiresIn: 60 }],
    ['the token of issueToken must be a string or a Secret', { token: 42 }],
    ['unknown field of issueToken "access_token"', { access_token: 'never-delivered' }],
    ['"expires_in": did you mean "expiresIn"?', { token: 'never-delivered', expires_in: 60 }],
    ['expiresIn', { token: 'never-delivered', expiresIn: 0 }],
    ['expiresIn', { token: 'never-delivered', expiresIn: 1.5 }],
    ['expiresIn', { token: 'never-delivered', expiresIn: '60' }],
    ['scopes', { token: 'never-delivered', scopes: 'repo' }],
    ['scopes', { token: 'never-delivered', scopes: ['two words'] }],
    ['cannot be sent in a header', { token: '' }],
    ['cannot be sent in a header', { token: 'never-delivered words' }],
    ['cannot be sent in a header', { token: 'never-delivered\nline' }],
    ['cannot be sent in a header', { token: 'never-delivered-ü' }],
  ])('is an error of the host, which names the field and quotes no token: %s, %j', async (message, made) => {
    const service = startService({ issueToken: () => made as string })
    const { poll } = await service.approved()
    await expectRetry(poll())
    expect(service.errors).toMatchObject([{ message: expect.stringContaining(message) }])
    expect(String(service.errors)).not.toContain('never-delivered')
    expect((await service.whoIs('never-delivered')).status).toBe(401)
  })
})
