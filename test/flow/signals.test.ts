import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createApi } from '../../src/auth/index.ts'
import { authorizeDevice, discover, refresh, rfc8628, Secret } from '../../src/index.ts'
import { verifyIdToken } from '../../src/oidc/index.ts'
import { pause } from '../../src/request/clock.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { oldToken } from '../support/old-token.ts'
import { responses } from '../support/responses.ts'
import { type Scripted, scriptedService } from '../support/scripted-service.ts'

const ISSUER = 'https://login.example'
const metadata = {
  issuer: ISSUER,
  device_authorization_endpoint: `${ISSUER}/device`,
  token_endpoint: `${ISSUER}/token`,
}
const provider = rfc8628({
  deviceAuthorizationEndpoint: metadata.device_authorization_endpoint,
  tokenEndpoint: metadata.token_endpoint,
  baseUrl: 'https://api.example',
})
const old = { ...oldToken, expiresIn: 60, idToken: new Secret('an.id.token') }
const limited = new Response('{}', { status: 429, headers: { 'retry-after': '1' } })

interface Caller {
  readonly signal: AbortSignal
  readonly fetch: typeof globalThis.fetch
  readonly clock: ReturnType<VirtualTime['clock']>
}

/** Calls with a signal: the responses that each gets, and the call. */
const CALLS: Record<string, [Scripted[], (caller: Caller) => Promise<unknown>]> = {
  authorizeDevice: [
    [responses.codes, responses.pending, responses.token],
    (caller) => authorizeDevice({ clientId: 'id', provider, onCodes: () => undefined, ...caller }),
  ],
  discover: [[metadata], (caller) => discover(ISSUER, caller)],
  refresh: [[responses.token], (caller) => refresh(old, { clientId: 'id', provider, ...caller })],
  'a call of an API that is limited at first': [
    [limited, { login: 'octocat' }],
    ({ signal, fetch, clock }) => createApi({ provider, fetch, clock })('/user', { signal }),
  ],
  'the token of a session, which is refreshed': [
    [responses.token],
    async ({ signal, fetch, clock }) => {
      const session = createSession({ clientId: 'id', provider, fetch, clock, store: memoryStore() })
      await session.keep({ ...old, expiresAt: clock.now() })
      await session.token({ signal })
      session.actor.stop()
    },
  ],
  'verifyIdToken, whose keys cannot be had': [
    [new Error('down')],
    (caller) =>
      expect(
        verifyIdToken(old, { issuer: ISSUER, clientId: 'id', jwks: `${ISSUER}/keys`, ...caller }),
      ).rejects.toMatchObject({ code: 'unreachable' }),
  ],
}

/** Without those of a `Request`, which Node removes when it collects the request. */
const listenersOf = (signal: AbortSignal) =>
  getEventListeners(signal, 'abort').filter(({ name }) => name !== 'abort')

test.each(Object.entries(CALLS))(
  'nothing listens to the signal of its caller, and no timer is left, after %s',
  async (_, [script, call]) => {
    const time = new VirtualTime()
    const { signal } = new AbortController()
    const { fetch } = scriptedService(time, ...script)
    const called = call({ signal, fetch, clock: time.clock() })
    await time.settled(called)
    await called
    expect(listenersOf(signal)).toEqual([])
    expect(time.timers).toBe(0)
  },
)

test('a pause that is aborted leaves no listener and no timer', async () => {
  const time = new VirtualTime()
  const caller = new AbortController()
  const paused = pause(time.clock(), 1000, caller.signal)
  caller.abort(new Error('given up'))
  await expect(paused).rejects.toThrow('given up')
  expect([listenersOf(caller.signal), time.timers]).toEqual([[], 0])
})
