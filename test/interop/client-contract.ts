import { describe, expect, onTestFinished, test } from 'vitest'
import type { Dialect, ServiceOptions } from '../../src/service/index.ts'
import { instantTimers } from '../support/instant-timers.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

/** A third-party client. */
export interface ForeignClient {
  /** The dialects whose responses it understands. */
  readonly dialects: readonly Dialect[]
  /** Logs in with its own requests, waits and parsers. */
  login(at: LoginAddress): Promise<{ readonly token: string; readonly scope: string }>
  /** The error code from the wire in the rejection of its login. */
  errorOf(failure: unknown): unknown
}

/** Where a client logs in, its id, and the scopes it requests. */
export interface LoginAddress {
  readonly url: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Real HTTP. */
  readonly fetch: typeof globalThis.fetch
  /** Called with the code that the user enters. */
  onUserCode(userCode: string): void
}

/** The wait of a client that polls in its own loop. */
export function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}

/** What every third-party client must achieve with the service, over real HTTP. Time passes when the client waits. */
export function clientContract(name: string, client: ForeignClient): void {
  describe.each(client.dialects)(`${name}, dialect %s`, (dialect) => {
    const start = (options: Partial<ServiceOptions> = {}) => startLogin(client, { dialect, ...options })

    test('gets a token with the requested scopes and uses it', async () => {
      const { login, received, approveBefore, whoIs } = await start()
      approveBefore(2)
      const { token, scope } = await login()
      expect(received).toEqual(['authorization_pending', 'authorization_pending', 'token'])
      expect(scope.split(/[ ,]/)).toEqual(['repo', 'gist'])
      expect(await whoIs(token)).toEqual({ login: 'octocat' })
    })

    test('stops when the user denies', async () => {
      const { login, received, denyBefore } = await start()
      denyBefore(1)
      expect(client.errorOf(await failure(login()))).toBe('access_denied')
      expect(received).toEqual(['authorization_pending', 'access_denied'])
    })

    test('stops when the codes have expired', async () => {
      const { login, received, clock } = await start({ expiresIn: 12 })
      const begin = clock.time
      expect(client.errorOf(await failure(login()))).toBe('expired_token')
      expect(received.pop()).toBe('expired_token')
      expect(new Set(received)).toEqual(new Set(['authorization_pending']))
      expect(clock.time - begin).toBeLessThan(20_000)
    })

    test('slows down after slow_down and gets its token', async () => {
      const { login, received, approveBefore, pollTwiceAt, whoIs, clock } = await start()
      const begin = clock.time
      pollTwiceAt(0)
      approveBefore(2)
      const { token } = await login()
      expect(received).toEqual(['slow_down', 'authorization_pending', 'token'])
      expect(clock.time - begin).toBeGreaterThanOrEqual(15_000)
      expect(await whoIs(token)).toEqual({ login: 'octocat' })
    })
  })
}

async function startLogin(client: ForeignClient, options: Partial<ServiceOptions>) {
  const service = startService(options)
  const { url, close } = await service.listen()
  onTestFinished(close)
  const withInstantTimers = instantTimers(service.clock)
  const received: string[] = []
  let userCode = ''
  /** What happens before the poll with this number. */
  const before = new Map<number, (send: () => Promise<unknown>) => Promise<unknown>>()

  const listeningFetch: typeof fetch = async (input, init) => {
    if (!String(input).endsWith('/access_token')) return fetch(input, init)
    await before.get(received.length)?.(() => fetch(input, init))
    const response = await fetch(input, init)
    received.push((await response.clone().json()).error ?? 'token')
    return response
  }

  return {
    /** The poll results of the client so far. */
    received,
    clock: service.clock,
    login: () =>
      withInstantTimers(() =>
        client.login({
          url,
          clientId: CLIENT_ID,
          scopes: ['repo', 'gist'],
          fetch: listeningFetch,
          onUserCode: (shown) => {
            userCode = shown
          },
        }),
      ),
    approveBefore: (poll: number) => before.set(poll, () => service.approve(userCode, 'octocat')),
    denyBefore: (poll: number) => before.set(poll, () => service.deny(userCode)),
    /** Sends the same poll twice, as a second process of the same client would. */
    pollTwiceAt: (poll: number) => before.set(poll, (send) => send()),
    whoIs: async (token: string) =>
      (await fetch(`${url}/user`, { headers: { authorization: `Bearer ${token}` } })).json(),
  }
}

async function failure(login: Promise<unknown>): Promise<unknown> {
  return login.then(
    () => expect.unreachable('the login succeeded'),
    (error) => error,
  )
}
