import { expect } from 'vitest'
import type { SnapshotFrom } from 'xstate'
import { holdDuringReads } from '../../docs/break/hold-during-reads.ts'
import type { session as sessionMachine } from '../../machines/session.ts'
import { tokenInUse } from '../../machines/session-selectors.ts'
import { formOf } from '../../src/auth/auth.ts'
import { dpop } from '../../src/dpop/index.ts'
import { type Clock, github, type OAuthToken, type Provider, Secret } from '../../src/index.ts'
import { createSession, memoryStore, type Session, viewOfSession } from '../../src/session/index.ts'
import { keptOf, loginRecord, readSession } from '../../src/session/session-record.ts'
import type { Json } from '../../src/store/store.ts'
import { CODES_RESPONSES } from '../../src/testing/paths/codes-responses.ts'
import { jsonResponse, pageResponse, type WireResponse } from '../../src/testing/paths/wire-response.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { Challenges, KEY, PUBLIC_KEY } from './challenges.ts'
import { HeldRequests } from './held-requests.ts'
import { HeldStore } from './held-store.ts'
import type { Driven } from './prove-walks.ts'
import { tokenOf, tokenResponse } from './walks/refresh-responses.ts'
import type { SessionStep, StepOf } from './walks/session-steps.ts'
import { firstStored, type SessionSituation, STOP, TIMEOUTS } from './walks/session-walk.ts'
import {
  afterwards,
  issues,
  type Meanwhile,
  OTHER_PID,
  OTHERS,
  OURS,
  type Stored,
} from './walks/stored-login.ts'

type Snapshot = SnapshotFrom<typeof sessionMachine>

const textOf = ({ accessToken, refreshToken }: OAuthToken) =>
  `${accessToken.reveal()} ${refreshToken?.reveal() ?? ''}`

/** What is compared of a session: all but the ids of its logins, which are random, and texts of errors. */
function compared({ value, context }: Snapshot) {
  const { flow, kept, result, error, outcome, authorization, revoking, revocation, ...plain } = context
  return {
    ...plain,
    state: value,
    kept: kept && [kept.generation, kept.sentAt, textOf(kept.token)],
    result: result && [result.type, 'token' in result ? [textOf(result.token), result.sentAt] : []],
    error: error?.code,
    outcome: outcome?.status,
    revoking: revoking.map(textOf),
    revoked: revocation?.revoked,
  }
}

/** What a user sees in each state. */
const SHOWN: Readonly<Record<Snapshot['value'], string>> = {
  restoring: 'Looking for a stored login.',
  unavailable: 'The stored login cannot be read.',
  signedOut: 'Not logged in.',
  ended: 'The login has ended. Log in again.',
  authorizing: 'Logging in.',
  signedIn: 'Logged in.',
  claiming: 'Refreshing the login.',
  waiting: 'Another process is refreshing the login.',
  refreshing: 'Refreshing the login.',
  settling: 'Storing the login.',
  unsettled: 'Logged in, but the login is not stored yet.',
  erasing: 'Logging out.',
  revoking: 'Revoking the tokens.',
}

const TOKEN_ENDPOINT = 'https://github.com/login/oauth/access_token'

/** Milliseconds for which a token of the walk that can be refreshed is good. */
const LIFETIME = 600_000

/** The request that each state sends, by the specification (3, 4) and RFC 6749, section 6, and RFC 7009, section 2.1. */
function requestIn(state: string, token: OAuthToken | undefined): { url: string; fields: object } {
  const client_id = 'sample-client-id'
  const refresh_token = token?.refreshToken?.reveal()
  if (state === 'refreshing')
    return { url: TOKEN_ENDPOINT, fields: { client_id, grant_type: 'refresh_token', refresh_token } }
  if (state === 'revoking')
    return {
      url: 'https://github.com/revoke',
      fields: { client_id, token: refresh_token ?? token?.accessToken.reveal() },
    }
  return { url: 'https://github.com/login/device/code', fields: { client_id, scope: 'repo' } }
}

/** With the owner as the walk names it: the session adds a random id. */
function named(stored: Stored): Stored {
  if (typeof stored !== 'object' || stored.owner === undefined || stored.owner === OTHERS) return stored
  return { ...stored, owner: OURS }
}

function comparedStored(stored: Stored) {
  if (typeof stored !== 'object') return stored
  const { kept, owner } = stored
  return [kept.generation, kept.sentAt, textOf(kept.token), owner]
}

const NAME = 'default'

/** GitHub, if it had an endpoint for revocation. */
const PROVIDER: Provider = { ...github(), revocationEndpoint: 'https://github.com/revoke' }

/**
 * The real session, whose store, provider, user and other processes do what the steps of a path say. If its tokens are
 * bound to keys, the provider challenges each request before it takes the step.
 */
export class DrivenSession implements Driven<SessionSituation, SessionStep> {
  readonly #time = new VirtualTime()
  readonly #records = memoryStore()
  readonly #store = new HeldStore(
    { self: 'ours', isGone: () => false, pidOf: () => OTHER_PID },
    this.#records.update,
  )
  readonly #open = new HeldRequests()
  #issued = 0
  #opened: Session | undefined
  #broken: keyof Clock | undefined
  /** The requests of a step, and what they must be. */
  #requests: { readonly sent: object; readonly expected: object }[] = []
  #revoked = 0
  readonly #challenges: Challenges | undefined
  /** The key of each refresh token that this process received: others have that of an earlier process. */
  readonly #keys = new Map<unknown, unknown>()

  constructor(now: number, isBound: boolean) {
    this.#time.now = now
    this.#challenges = isBound ? new Challenges() : undefined
    // WebCrypto takes no virtual time.
    holdDuringReads(this.#time)
  }

  get #session(): Session {
    if (this.#opened === undefined) throw new TypeError('the session was not opened')
    return this.#opened
  }

  get #snapshot(): Snapshot {
    return this.#session.actor.getSnapshot()
  }

  /** One executor for each type of step. */
  readonly executors: { [Type in SessionStep['type']]: (step: StepOf<Type>) => unknown } = {
    open: async ({ stored }) => {
      await this.#write(firstStored(stored, this.#time.now))
      this.#issued = stored === 'nothing' ? 0 : 1
      this.#opened = createSession({
        clientId: 'sample-client-id',
        scopes: ['repo'],
        provider: PROVIDER,
        store: this.#store,
        name: NAME,
        fetch: (input, init) => {
          const challenge = this.#challenge(String(input), init)
          if (challenge) return Promise.resolve(challenge)
          this.#requests.push(this.#readRequest(input, init))
          return this.#open.hold(init?.signal)
        },
        ...(this.#challenges && { dpop: dpop() }),
        clock: this.#breakable(this.#time.clock()),
        random: () => 0,
      })
    },
    need: (step) => this.#session.actor.send(step),
    login: (step) => this.#session.actor.send(step),
    logout: (step) => this.#session.actor.send(step),
    cancel: (step) => this.#session.actor.send(step),
    keep: () => {
      this.#issued += 1
      const token = tokenOf(this.#issued, this.#time.now)
      this.#session.actor.send({ type: 'keep', token: this.#boundIfAsked(token) })
    },
    rejected: ({ token }) => {
      const inUse = token === 'inUse' && tokenInUse(this.#snapshot.context)?.token.accessToken.reveal()
      const refused = new Secret(`Bearer ${inUse || 'another'}`)
      formOf(this.#session).learn?.(new Response(null, { status: 401 }), refused)
    },
    authorize: async ({ result }) => {
      if (result === 'unreachable') return this.#respond(undefined)
      await this.#respond(CODES_RESPONSES.codes.response)
      await this.#time.until(() => this.#open.count > 0)
      if (result === 'denied') return this.#respond(jsonResponse({ error: 'access_denied' }))
      this.#issued += 1
      await this.#respond(tokenResponse(this.#issued))
    },
    store: async ({ meanwhile, fails }) => {
      if (meanwhile) await this.#meanwhile(meanwhile)
      const isErasing = this.#snapshot.value === 'erasing'
      this.#store.end(fails ? 'fail' : 'run')
      await this.#time.settle()
      // A logout that cannot write tries to delete.
      if (fails && isErasing) this.#store.end('fail')
    },
    refresh: async ({ result, response }) => {
      if (result === 'token') this.#issued += 1
      if (result === 'silence') return this.#time.advance(TIMEOUTS.refresh)
      // No timer fires while a process is stopped.
      if (result === 'stopped') this.#time.now += STOP
      await this.#respond(response)
    },
    revoke: async ({ result }) => {
      if (result === 'silence') return this.#time.advance(TIMEOUTS.revoke)
      if (result === 'unreachable') return this.#respond(undefined)
      if (result === 'refused') return this.#respond(pageResponse(503))
      while (this.#open.count > 0) await this.#respond({ status: 200, headers: {}, body: '' })
    },
    wait: async ({ until, milliseconds }) => {
      const end = this.#time.now + milliseconds
      for (;;) {
        await this.#time.settle()
        // The last try of an outage is still running.
        const isTrying = until === 'outage' && this.#store.isHeld
        if (this.#time.now >= end && !isTrying) break
        if (this.#store.isHeld && until === 'outage') this.#store.end('fail')
        else if (this.#store.isHeld && until === 'impatient') this.#store.end('run')
        else if (!this.#time.step(end)) this.#time.now = end
      }
    },
    /** Makes the code throw something other than a request's error, at a response or when the device reads the clock. */
    defect: async () => {
      if (this.#snapshot.matches('refreshing')) {
        this.#broken = 'clearTimeout'
        await this.#respond(undefined)
      } else {
        await this.#respond(CODES_RESPONSES.codes.response)
        this.#broken = 'now'
        this.#snapshot.children.authorize?.send({ type: 'wake' })
        await this.#time.settle()
      }
      this.#broken = undefined
    },
  }

  async take(step: SessionStep, expected: SessionSituation): Promise<SessionSituation> {
    this.#requests = []
    const executor = this.executors[step.type] as (step: SessionStep) => unknown
    await executor(step)
    await this.#time.settle()
    if (expected.session === undefined) throw new Error('the walk has no session')
    const session = this.#snapshot
    const stored = named(await this.#stored())
    const { value } = session
    expect({
      session: compared(session),
      now: this.#time.now,
      stored: comparedStored(stored),
      sent: this.#requests.map(({ sent }) => sent),
      requests: this.#open.count,
      isUpdating: this.#store.isHeld,
    }).toEqual({
      session: compared(expected.session),
      now: expected.now,
      stored: comparedStored(expected.stored),
      sent: this.#requests.map(({ expected }) => expected),
      requests: ['authorizing', 'refreshing', 'revoking'].includes(value) ? 1 : 0,
      isUpdating: ['restoring', 'claiming', 'settling', 'erasing'].includes(value),
    })
    this.#compareView(session)
    return { ...expected, session, stored }
  }

  /** Stops the session, which leaves nothing behind. A session at rest keeps no process alive. */
  end(): void {
    if (['signedIn', 'signedOut', 'ended', 'unavailable'].includes(this.#snapshot.value))
      expect(this.#time.timers).toBe(0)
    this.#session.actor.stop()
  }

  #compareView(snapshot: Snapshot): void {
    const { value, context } = snapshot
    const { now } = this.#time
    const { kept, result } = context
    const pair = result && 'token' in result ? result : undefined
    const { token, sentAt = 0 } = pair ?? kept ?? {}
    const end = token?.expiresIn === undefined ? Number.POSITIVE_INFINITY : sentAt + LIFETIME
    expect(viewOfSession(snapshot, now)).toMatchObject({
      status: value,
      text: SHOWN[value],
      isStored: kept !== undefined && result === undefined,
      isUsable: token !== undefined && now < end && !context.rejected,
      ...(token && { scopes: ['repo'] }),
    })
  }

  /** Reads a request, and what its state must send. The device flow has a walk of its own. */
  #readRequest(input: Parameters<typeof fetch>[0], init: RequestInit | undefined) {
    const { value, context } = this.#snapshot
    const url = String(input)
    const fields = Object.fromEntries(new URLSearchParams(String(init?.body)))
    const token = value === 'revoking' ? context.revoking[this.#revoked++] : context.kept?.token
    const isPoll = value === 'authorizing' && url === TOKEN_ENDPOINT
    const expected = isPoll ? { url, fields } : requestIn(value, token)
    return {
      sent: { url, method: init?.method, redirect: init?.redirect, fields },
      expected: { method: 'POST', redirect: 'manual', ...expected },
    }
  }

  /** The challenge of a request. A refresh must have the key of its token, and a revocation needs no proof. */
  #challenge(url: string, init: RequestInit | undefined): Response | undefined {
    const proof = new Headers(init?.headers).get('dpop')
    if (this.#challenges === undefined || url === PROVIDER.revocationEndpoint) {
      expect(proof).toBe(null)
      return undefined
    }
    const challenge = this.#challenges.respondTo({ url, proof, now: this.#time.now })
    const token = new URLSearchParams(String(init?.body)).get('refresh_token')
    if (token) expect(this.#challenges.jwk).toEqual(this.#keys.get(token) ?? PUBLIC_KEY)
    return challenge
  }

  #boundIfAsked(token: OAuthToken): OAuthToken {
    return this.#challenges ? { ...token, tokenType: 'DPoP', dpopKey: KEY } : token
  }

  async #respond(response: WireResponse | undefined): Promise<void> {
    const body = this.#challenges ? response?.body.replace('"bearer"', '"DPoP"') : response?.body
    const issued = /"refresh_token":"([^"]+)"/.exec(body ?? '')?.[1]
    if (issued) this.#keys.set(issued, this.#challenges?.jwk)
    this.#open.respond(response && { ...response, body: body ?? '' })
    await this.#time.settle()
  }

  #breakable(clock: Clock): Clock {
    const unlessBroken = (name: keyof Clock) => {
      if (this.#broken === name) throw new TypeError('a defect')
    }
    return {
      ...clock,
      now: () => {
        unlessBroken('now')
        return clock.now()
      },
      clearTimeout: (timer) => {
        clock.clearTimeout(timer)
        unlessBroken('clearTimeout')
      },
    }
  }

  async #stored(): Promise<Stored> {
    const record = readSession(await this.#records.update(NAME, (value) => ({ result: value })))
    if (record?.status !== 'signedIn') return record?.status
    return { kept: keptOf(record), ...(record.claim && { owner: record.claim.owner }) }
  }

  async #meanwhile(meanwhile: Meanwhile): Promise<void> {
    if (issues(meanwhile)) this.#issued += 1
    const { now } = this.#time
    await this.#write(afterwards(await this.#stored(), meanwhile, { number: this.#issued, now }))
  }

  async #write(stored: Stored): Promise<void> {
    if (stored === undefined) return
    const value = recordOf(
      typeof stored === 'object'
        ? { ...stored, kept: { ...stored.kept, token: this.#boundIfAsked(stored.kept.token) } }
        : stored,
    )
    await this.#records.update(NAME, () => ({ result: undefined, value }))
  }
}

function recordOf(stored: Exclude<Stored, undefined>): NonNullable<Json> {
  if (typeof stored === 'string') return { v: 1, status: stored }
  const claim = stored.owner === undefined ? {} : { claim: { owner: stored.owner, nonce: 'another' } }
  return { ...loginRecord(stored.kept, PROVIDER), ...claim } as NonNullable<Json>
}
