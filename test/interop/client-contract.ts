import { describe, expect, onTestFinished, test } from 'vitest'
import type { Dialect, ServiceOptions } from '../../src/service/index.ts'
import { instantTimers } from '../support/instant-timers.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

/** A client that somebody else wrote. */
export interface ForeignClient {
  /** The dialects whose answers it understands. */
  readonly dialects: readonly Dialect[]
  /** Logs in with its own requests, waits and readers. */
  login(at: LoginAddress): Promise<{ readonly token: string; readonly scope: string }>
  /** The code of the wire in what its login rejects with. */
  errorOf(failure: unknown): unknown
}

/** Where a client logs in, as whom, and what it asks for. */
export interface LoginAddress {
  readonly url: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Real HTTP. */
  readonly fetch: typeof globalThis.fetch
  /** The user reads the code. */
  onUserCode(userCode: string): void
}

/** Waits as a client does whose polls are written by hand. */
export function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}

/** What every client that exists must get out of the service, over real HTTP. Time passes as the client waits. */
export function clientContract(name: string, client: ForeignClient): void {
  describe.each(client.dialects)(`${name}, dialect %s`, (dialect) => {
    const start = (options: Partial<ServiceOptions> = {}) => startLogin(client, { dialect, ...options })

    test('obtains a token with the scopes that it asked for, and uses it', async () => {
      const { login, received, approveBefore, whoIs } = await start()
      approveBefore(2)
      const { token, scope } = await login()
      expect(received).toEqual(['authorization_pending', 'authorization_pending', 'token'])
      expect(scope.split(/[ ,]/)).toEqual(['repo', 'gist'])
      expect(await whoIs(token)).toEqual({ login: 'octocat' })
    })

    test('hears that the user denied, and stops', async () => {
      const { login, received, denyBefore } = await start()
      denyBefore(1)
      expect(client.errorOf(await failure(login()))).toBe('access_denied')
      expect(received).toEqual(['authorization_pending', 'access_denied'])
    })

    test('hears that the codes have expired, and stops', async () => {
      const { login, received, clock } = await start({ expiresIn: 12 })
      const begin = clock.time
      expect(client.errorOf(await failure(login()))).toBe('expired_token')
      expect(received.pop()).toBe('expired_token')
      expect(new Set(received)).toEqual(new Set(['authorization_pending']))
      expect(clock.time - begin).toBeLessThan(20_000)
    })

    test('hears that it is too fast, slows down, and obtains its token', async () => {
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
  instantTimers(service.clock)
  const received: string[] = []
  let userCode = ''
  /** What happens before the poll of this number is sent. */
  const before = new Map<number, (send: () => Promise<unknown>) => Promise<unknown>>()

  const listeningFetch: typeof fetch = async (input, init) => {
    if (!String(input).endsWith('/access_token')) return fetch(input, init)
    await before.get(received.length)?.(() => fetch(input, init))
    const response = await fetch(input, init)
    received.push((await response.clone().json()).error ?? 'token')
    return response
  }

  return {
    /** The answers to the polls of the client, so far. */
    received,
    clock: service.clock,
    login: () =>
      client.login({
        url,
        clientId: CLIENT_ID,
        scopes: ['repo', 'gist'],
        fetch: listeningFetch,
        onUserCode: (shown) => {
          userCode = shown
        },
      }),
    approveBefore: (poll: number) => before.set(poll, () => service.approve(userCode, 'octocat')),
    denyBefore: (poll: number) => before.set(poll, () => service.deny(userCode)),
    /** The same poll is sent a moment earlier, as by a second process of the same client. */
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
