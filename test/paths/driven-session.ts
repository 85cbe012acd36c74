import { expect } from 'vitest'
import type { SnapshotFrom } from 'xstate'
import type { session as sessionMachine } from '../../machines/session.ts'
import type { Clock, OAuthToken } from '../../src/index.ts'
import { createSession, viewOfSession } from '../../src/session/index.ts'
import { CODES_RESPONSES } from '../../src/testing/paths/codes-responses.ts'
import type { Driven } from './prove-walks.ts'
import { SessionEnvironment } from './walks/session-environment.ts'
import type { SessionSituation, SessionWalkStep } from './walks/session-walk.ts'
import { OTHERS, OURS, type Stored } from './walks/stored-login.ts'

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

/** The real session, whose store, provider, user and other processes do what the steps of a path say. */
export class DrivenSession implements Driven<SessionSituation, SessionWalkStep> {
  readonly #environment: SessionEnvironment
  #broken: keyof Clock | undefined
  /** The requests of a step, and what they must be. */
  #requests: { readonly sent: object; readonly expected: object }[] = []
  #revoked = 0

  constructor(now: number) {
    this.#environment = new SessionEnvironment(now)
  }

  async take(step: SessionWalkStep, expected: SessionSituation): Promise<SessionSituation> {
    this.#requests = []
    await this.#act(step)
    if (expected.session === undefined) throw new Error('the walk has no session')
    const session = this.#environment.session.actor.getSnapshot()
    const stored = named(await this.#environment.stored())
    expect(compared(session)).toEqual(compared(expected.session))
    expect(this.#environment.time.now).toBe(expected.now)
    expect(comparedStored(stored)).toEqual(comparedStored(expected.stored))
    this.#compareView(session)
    for (const { sent, expected } of this.#requests) expect(sent).toEqual(expected)
    const isAsking = ['authorizing', 'refreshing', 'revoking'].includes(session.value)
    const isUpdating = ['restoring', 'claiming', 'settling', 'erasing'].includes(session.value)
    expect(this.#environment.pending).toEqual({ requests: isAsking ? 1 : 0, updates: isUpdating ? 1 : 0 })
    return { ...expected, session, stored }
  }

  #compareView({ value, context }: Snapshot): void {
    const { now } = this.#environment.time
    const { kept, result } = context
    const pair = result && 'token' in result ? result : undefined
    const { token, sentAt = 0 } = pair ?? kept ?? {}
    const end = token?.expiresIn === undefined ? Number.POSITIVE_INFINITY : sentAt + LIFETIME
    expect(viewOfSession(this.#environment.session.actor.getSnapshot(), now)).toMatchObject({
      status: value,
      text: SHOWN[value],
      isStored: kept !== undefined && result === undefined,
      isUsable: token !== undefined && now < end && !context.rejected,
      ...(token && { scopes: ['repo'] }),
    })
  }

  /** Reads a request, and what its state must send. The device flow has a walk of its own. */
  #readRequest(input: Parameters<typeof fetch>[0], init: RequestInit | undefined) {
    const { value, context } = this.#environment.session.actor.getSnapshot()
    const url = String(input)
    const fields = Object.fromEntries(new URLSearchParams(String(init?.body)))
    const token = value === 'revoking' ? context.revoking[this.#revoked++] : context.kept?.token
    const expected = requestIn(value, token)
    return {
      sent: { url, method: init?.method, redirect: init?.redirect, fields },
      expected:
        value === 'authorizing' && url === TOKEN_ENDPOINT
          ? { url, method: 'POST', redirect: 'manual', fields }
          : { method: 'POST', redirect: 'manual', ...expected },
    }
  }

  /** Stops the session, which leaves nothing behind. A session at rest keeps no process alive. */
  end(): void {
    const { session } = this.#environment
    if (['signedIn', 'signedOut', 'ended', 'unavailable'].includes(session.actor.getSnapshot().value))
      expect(this.#environment.time.timers).toBe(0)
    session.actor.stop()
  }

  async #act(step: SessionWalkStep): Promise<void> {
    const environment = this.#environment
    switch (step.type) {
      case 'open':
        await environment.open(step, ({ clock, fetch: send = fetch, ...options }) => {
          return createSession({
            ...options,
            fetch: (input, init) => {
              this.#requests.push(this.#readRequest(input, init))
              return send(input, init)
            },
            ...(clock && { clock: this.#breakable(clock) }),
          })
        })
        return
      case 'keep':
        return environment.keep()
      case 'rejected':
        return environment.reject(step)
      case 'authorize':
        return environment.authorize(step)
      case 'store':
        return environment.update(step)
      case 'refresh':
        return environment.refresh(step)
      case 'revoke':
        return environment.revoke(step)
      case 'wait':
        return environment.wait(step)
      case 'defect':
        return this.#break()
      default:
        return environment.send(step.type)
    }
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

  /** Makes the code throw something other than a request's error, at a response or when the device reads the clock. */
  async #break(): Promise<void> {
    const { session } = this.#environment
    if (session.actor.getSnapshot().matches('refreshing')) {
      this.#broken = 'clearTimeout'
      await this.#environment.respond(undefined)
    } else {
      await this.#environment.respond(CODES_RESPONSES.codes.response)
      this.#broken = 'now'
      session.actor.getSnapshot().children.authorize?.send({ type: 'wake' })
      await this.#environment.time.settle()
    }
    this.#broken = undefined
  }
}
