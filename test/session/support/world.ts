import { onTestFinished } from 'vitest'
import { type OAuthToken, Secret } from '../../../src/index.ts'
import {
  createSession,
  memoryStore,
  type Session,
  type SessionOptions,
  type SessionStore,
} from '../../../src/session/index.ts'
import type { Json } from '../../../src/store/store.ts'
import { VirtualTime } from '../../../src/testing/sandbox/virtual-time.ts'
import { rotatingProvider } from './rotating-provider.ts'

/** Milliseconds for which a token of the provider is good. */
export const HOUR = 3_600_000

/** A provider, a store, and sessions over them, in virtual time. */
export function world(options: { readonly reuseWindow?: number; readonly expiresIn?: number } = {}) {
  const time = new VirtualTime()
  let ahead = 0
  const clock = { ...time.clock(), now: () => time.now + ahead }
  const server = rotatingProvider({ clock: time.clock(), ...options })
  const store = memoryStore()
  function open(more: Partial<SessionOptions> = {}): Session {
    const session = createSession({
      clientId: 'id',
      scopes: ['repo'],
      provider: server.provider,
      fetch: server.fetch,
      store,
      clock,
      random: () => 0,
      onCodes: () => undefined,
      ...more,
    })
    onTestFinished(() => void session.actor.stop())
    return session
  }
  /** Resolves once virtual time has brought the promise to its end. */
  async function over<Value>(promise: Promise<Value>): Promise<Value> {
    await time.settled(promise)
    return promise
  }
  const read = (session: Session) => over(session.token()).then((token) => token.reveal())
  async function loggedIn(more: Partial<SessionOptions> = {}) {
    const session = open(more)
    await over(session.login())
    return session
  }
  const stored = () =>
    store.update('default', (value) => ({ result: value })) as Promise<Record<string, Json>>
  /** Lets the token of a session expire, and starts its refresh, whose response is held until it is released. */
  async function refreshing(session: Session) {
    await time.settle()
    await time.advance(HOUR)
    const release = server.holdRefresh()
    const token = session.token()
    token.catch(() => undefined)
    await time.settle()
    return { token, release }
  }
  /** Sets the clock of the sessions to so many milliseconds ahead of the time, or behind it. */
  const setClock = (milliseconds: number) => {
    ahead = milliseconds
  }
  return { time, clock, setClock, server, store, open, over, read, loggedIn, refreshing, stored }
}

/** A token that was received elsewhere. */
export function foreignToken(accessToken: string, more: Partial<OAuthToken> = {}): OAuthToken {
  return {
    accessToken: new Secret(accessToken),
    tokenType: 'bearer',
    scopes: ['repo'],
    missingScopes: [],
    ...more,
  }
}

/** A store with troubles, which begin when they are set. */
export function troubled(store: SessionStore) {
  let gate = Promise.resolve()
  const trouble = {
    /** Whether nothing can be written or read. */
    isBroken: false,
    /** How many of the next updates are written although the store says that they failed. */
    misreports: 0,
    /** Holds the results of updates back until the returned function is called. */
    hold() {
      let release = () => {}
      gate = new Promise((resolve) => {
        release = resolve
      })
      return () => release()
    },
  }
  const wrapped: SessionStore = {
    async update(key, change) {
      if (trouble.isBroken) throw new Error('disk full')
      const before = gate
      const result = await store.update(key, change)
      await before
      if (trouble.misreports === 0) return result
      trouble.misreports -= 1
      throw new Error('disk full')
    },
  }
  return { trouble, store: wrapped }
}
