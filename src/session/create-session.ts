import { type Actor, createActor, fromPromise, type SnapshotFrom, waitFor } from 'xstate'
import { session as sessionMachine } from '../../machines/session.ts'
import type {
  ClaimInput,
  ClaimResult,
  RefreshInput,
  RefreshResult,
  Revocation,
  SessionContext,
  SessionEvent,
  SessionInput,
  SettleInput,
  SettleResult,
} from '../../machines/session-context.ts'
import { isDue, isUsable, tokenInUse } from '../../machines/session-selectors.ts'
import { assertKnown, type Names } from '../assert-known.ts'
import { type Auth, FORM, type HasForm } from '../auth/auth.ts'
import { tokenHeaders } from '../auth/token-headers.ts'
import { onCodesMissing, reasonOf } from '../client/authorize-device.ts'
import { announce } from '../client/create-device-authorization.ts'
import { deviceMachine } from '../client/device-machine.ts'
import type { DeviceAuthorizationActor, DeviceInputOptions, ShownCodes } from '../client/options.ts'
import { newInput, OF_A_NEW_FLOW } from '../client/read-options.ts'
import {
  BadOptionError,
  BusyError,
  CancelledError,
  LoginRequiredError,
  NotKeptError,
  WrongHostError,
} from '../errors.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import type { Provider } from '../protocol/provider.ts'
import { secureAddress } from '../protocol/syntax.ts'
import { assertToken } from '../protocol/token-record.ts'
import { Secret } from '../secret.ts'
import { revoke } from './revoke.ts'
import {
  claim,
  erase,
  type ModuleCopy,
  read,
  type SessionParts,
  settle,
  spendRefreshToken,
} from './session-actors.ts'
import { MIN_VALIDITY } from './session-record.ts'
import type { SessionData, SessionStore } from './session-store.ts'

/** Milliseconds for which a program waits until a new token is stored. */
const STORE_PATIENCE = 10_000

const NO_DATA: SessionData = {}

/** Counts the sessions of this copy of the module. A number, since ten thousand random IDs would take a megabyte. */
let sessions = 0

/** This copy of the module. Its ID is set later: some runtimes have no random numbers at load time. */
const copy = { id: '', running: new Set<number>() }

type DeviceInput = ReturnType<typeof newInput>

/**
 * The input of the machine, which is also what its actors need, and what observes the end of the session. One object,
 * because ten thousand sessions may be open at once.
 */
class SessionFlow implements SessionInput, SessionParts {
  readonly device: DeviceInput
  readonly minValidity: number
  readonly store: SessionStore
  readonly name: string
  readonly data: SessionData
  readonly number = sessions++
  /** The last work of its actors, while it runs. */
  work: Promise<unknown> | undefined = undefined

  constructor(
    device: DeviceInput,
    { store, name = 'default', data = NO_DATA }: SessionOptions,
    minValidity: number,
  ) {
    this.device = device
    this.minValidity = minValidity
    this.store = store
    this.name = name
    this.data = data
  }

  get jitter(): number {
    return this.device.jitter
  }

  get sender(): DeviceInput {
    return this.device
  }

  get copy(): ModuleCopy {
    return copy
  }

  async complete(): Promise<void> {
    await Promise.allSettled([this.work])
    copy.running.delete(this.number)
  }

  error(): void {
    void this.complete()
  }
}

/** Shared by all sessions: one machine for each would take ten times the memory. */
const machine = sessionMachine.provide({
  actors: {
    authorize: deviceMachine,
    read: actorOf(read),
    claim: actorOf(claimOrRelease),
    refresh: actorOf(refreshAndKeep),
    settle: actorOf<SettleResult, SettleInput>(settle),
    erase: actorOf(erase),
    revoke: actorOf<Revocation, Pick<SessionContext, 'flow' | 'revoking'>>(revoke),
  },
})

/** Runs work to its end, even if the session is stopped: its claim must not lapse before. */
function actorOf<Result, Input extends { readonly flow: SessionInput }>(
  run: (parts: SessionParts, input: Input, signal: AbortSignal) => Promise<Result>,
) {
  return fromPromise<Result, Input>(({ input, signal }) => {
    const flow = input.flow as SessionFlow
    const work = run(flow, input, signal).finally(() => {
      if (flow.work === work) flow.work = undefined
    })
    flow.work = work
    return work
  })
}

/** Claims the refresh token. If the session is stopped meanwhile, nobody uses the claim. */
async function claimOrRelease(
  parts: SessionParts,
  input: ClaimInput,
  signal: AbortSignal,
): Promise<ClaimResult> {
  try {
    return await claim(parts, input)
  } finally {
    if (signal.aborted) await settle(parts, { ...input, result: undefined, logins: 0 })
  }
}

/** Uses the refresh token. If the session is stopped meanwhile, stores the result. */
async function refreshAndKeep(
  parts: SessionParts,
  input: RefreshInput,
  signal: AbortSignal,
): Promise<RefreshResult> {
  const refreshed = await spendRefreshToken(parts, input)
  if (signal.aborted) {
    const result = refreshed.type === 'late' ? undefined : refreshed
    const { type } = await settle(parts, { ...input, result })
    if (type === 'gone' && result?.type === 'token') await revoke(parts, { revoking: [result.token] })
  }
  return refreshed
}

/** Options of `createSession`: those of a login, and where it is stored. */
export interface SessionOptions extends DeviceInputOptions {
  /** Stores the login. All processes with the same store and name share it. */
  readonly store: SessionStore
  /** The name of the login in the store. Default: `default`. */
  readonly name?: string
  /** Your own data that is stored with a new login, and stays there until the logout. Default: none. */
  readonly data?: SessionData
  /**
   * Called with the codes of each login: show them to the user. Default: none, for a user interface that watches
   * `actor`.
   */
  readonly onCodes?: (codes: ShownCodes) => unknown
  /** Seconds for which a returned token must remain valid, at most half of its lifetime. Default: 60. */
  readonly minValidity?: number
}

const KNOWN: Names<SessionOptions> = {
  ...OF_A_NEW_FLOW,
  store: true,
  name: true,
  data: true,
  minValidity: true,
  onCodes: true,
}

/** The XState actor of a session. */
export interface SessionActor extends Actor<typeof sessionMachine> {}

/** A snapshot of a session. */
export type SessionSnapshot = SnapshotFrom<typeof sessionMachine>

/**
 * A login that is stored, refreshed and shared. It authenticates API calls: `createApi({ auth: session })`. Requests to any
 * origin other than those of the `baseUrl` and the `userinfoEndpoint` of its provider reject with a {@link WrongHostError},
 * and those with a token of a type other than `bearer`, or `DPoP` with its key, with a {@link BadOptionError}.
 */
export interface Session extends HasForm {
  /**
   * Resolves to a valid access token, which is refreshed first if necessary. A token that was requested since the call
   * began is returned even if it is due already, such as one with `expires_in: 0`: the next call refreshes it.
   *
   * @param options.signal Cancels this call, but not the refresh, which other calls may be waiting for.
   * @throws {@link LoginRequiredError} if there is no login; {@link BusyError} if another process is refreshing it and
   * does not finish; {@link CancelledError}; or the error of the last refresh, until the next one is allowed.
   */
  token(options?: { readonly signal?: AbortSignal | undefined }): Promise<Secret>
  /**
   * Runs a device authorization, and stores its token. If one is already running, waits for it.
   *
   * @throws {@link BadOptionError} if nobody can show the codes: there is no `onCodes`, and `actor` has not been used.
   * @throws {@link DeniedError}, {@link ExpiredError}, {@link CancelledError} as `authorizeDevice` does;
   * {@link NotKeptError}, which contains the token, if the store cannot be written.
   */
  login(): Promise<void>
  /**
   * Stores a token that was received elsewhere, such as from `authorizeDevice` or `importToken`, as a new login. It
   * replaces the stored one.
   *
   * @throws {@link BadOptionError} if it is not a token; {@link NotKeptError}, which contains the token, if the store
   * cannot be written.
   */
  keep(token: OAuthToken): Promise<void>
  /**
   * Removes the login from the store, then revokes its tokens if the provider has a revocation endpoint (RFC 7009). A full
   * disk does not prevent that; a store that can neither write nor delete does, and the login remains.
   *
   * @throws The error of the store.
   */
  logout(): Promise<Revocation>
  /**
   * The XState actor, for user interfaces: {@link viewOfSession} reads its snapshots. Do not create one with `useMachine` or
   * from a saved snapshot, which could use a refresh token twice: the store has all that a session needs to continue.
   */
  readonly actor: SessionActor
}

/**
 * Creates a session: a login in a store, which any number of processes can share without logging each other out. It
 * sends nothing until a token is needed. Stop it with `session.actor.stop()`: the result of a refresh in progress is still
 * stored.
 *
 * @example
 * ```ts
 * import { createApi } from 'authgraph/auth'
 * import { createSession } from 'authgraph/session'
 * import { fileStore } from 'authgraph/session/node'
 *
 * const session = createSession({
 *   clientId: 'YOUR_CLIENT_ID',
 *   store: fileStore('my-cli'),
 *   onCodes: ({ userCode, verificationUri }) => show(userCode, verificationUri),
 * })
 * await session.login()
 * const api = createApi({ auth: session })
 * ```
 *
 * @throws {@link BadOptionError} if an option is missing or invalid.
 */
export function createSession(options: SessionOptions): Session {
  assertKnown(options, KNOWN)
  const given = Object(options) as SessionOptions
  const { store, name = 'default', data, minValidity = MIN_VALIDITY, onCodes, ...login } = given
  const device = newInput(login)
  if (typeof store?.update !== 'function')
    throw new BadOptionError('store must have a method "update": pass memoryStore(), or fileStore() on Node')
  if (typeof name !== 'string' || name === '') throw new BadOptionError('name must be a non-empty string')
  if (!(minValidity >= 0)) throw new BadOptionError('minValidity must be a number of seconds, 0 or more')
  const flow = new SessionFlow(device, given, minValidity * 1000)
  const actor: SessionActor = createActor(machine, { input: flow, clock: device.clock })
  if (onCodes) showCodes(actor, onCodes)
  copy.id ||= crypto.randomUUID()
  copy.running.add(flow.number)
  actor.subscribe(flow)
  actor.start()
  return new StoredSession(actor, onCodes !== undefined)
}

/** A session. What its methods do is in functions that all sessions share: ten thousand may be open at once. */
class StoredSession implements Session {
  readonly #actor: SessionActor
  /** Whether the codes of a login are shown, at least by a user interface that watches the actor. */
  #showsCodes: boolean

  constructor(actor: SessionActor, showsCodes: boolean) {
    this.#actor = actor
    this.#showsCodes = showsCodes
  }

  get actor(): SessionActor {
    this.#showsCodes = true
    return this.#actor
  }

  get [FORM](): Auth {
    return createForm(this.#actor)
  }

  readonly token: Session['token'] = async ({ signal } = {}) =>
    (await current(this.#actor, signal)).accessToken

  readonly login = async () => {
    // The login would wait until the codes expire.
    if (!this.#showsCodes) throw onCodesMissing()
    await begin(this.#actor, { type: 'login' })
    await waitUntilStored(this.#actor)
  }

  readonly keep = async (token: OAuthToken) => {
    assertToken(token)
    await begin(this.#actor, { type: 'keep', token })
    await waitUntilStored(this.#actor)
  }

  readonly logout = async () => {
    this.#actor.send({ type: 'logout' })
    const { context, value } = await settledOf(this.#actor)
    if (value !== 'signedOut') throw context.error ?? new LoginRequiredError()
    return context.revocation ?? { revoked: false, why: 'there was no login' }
  }
}

function createForm(actor: SessionActor): Auth {
  const { device } = actor.getSnapshot().context.flow
  const headers = tokenHeaders(device, device.clock)
  return {
    form: 'session',
    async authorization({ baseUrl }) {
      assertOwnApi(device.provider, baseUrl)
      const token = await current(actor)
      // One without a type is sent: no type forbids it.
      return headers.authorization({ ...token, tokenType: token.tokenType || 'bearer' })
    },
    prove: headers.prove,
    learn(response, sent, request) {
      const { status } = response
      // A refused proof says nothing about the token.
      const mayRepeat = request && headers.learn(response, request)
      if (mayRepeat !== undefined) return mayRepeat
      const refused = sent?.reveal().replace(/^(Bearer|DPoP) /i, '')
      if (status !== 401 || refused === undefined) return false
      const inUse = tokenInUse(actor.getSnapshot().context)?.token.accessToken.reveal()
      if (inUse !== refused) return inUse !== undefined
      actor.send({ type: 'rejected', token: new Secret(refused) })
      return actor.getSnapshot().hasTag('busy')
    },
  }
}

async function current(actor: SessionActor, signal?: AbortSignal): Promise<OAuthToken> {
  const { clock } = actor.getSnapshot().context.flow.device
  let began = clock.now()
  const seen = new Set<string>()
  for (;;) {
    const snapshot = await settledOf(actor, signal)
    const { context } = snapshot
    const now = clock.now()
    // The clock may be set back meanwhile.
    began = Math.min(began, now)
    const { token, sentAt = 0 } = tokenInUse(context) ?? {}
    // A token that is due on arrival is refreshed by the next call: refreshing it here would have no end.
    const isNew = began <= sentAt && sentAt <= now && !context.rejected
    if (token && (isNew || !isDue(context, now))) return token
    const place = placeOf(snapshot)
    if (seen.has(place)) {
      if (token && isUsable(context, now)) return token
      throw reasonWhy(snapshot)
    }
    seen.add(place)
    actor.send({ type: 'need' })
  }
}

/** Sends an event that begins a login as soon as the session accepts it: after a wait, it may be busy again. */
async function begin(actor: SessionActor, event: SessionEvent): Promise<void> {
  while (!actor.getSnapshot().can(event)) {
    const { value } = actor.getSnapshot()
    // A login that runs is waited for, and one that is not stored yet is reported.
    if (event.type === 'login' && (value === 'authorizing' || value === 'unsettled')) return
    await settledOf(actor)
  }
  if (actor.getSnapshot().status === 'stopped') throw new CancelledError()
  actor.send(event)
}

async function waitUntilStored(actor: SessionActor): Promise<void> {
  const { context, value } = await settledOf(actor)
  if (context.outcome && context.outcome.status !== 'authorized') throw reasonOf(context.outcome)
  if (value === 'unsettled')
    throw new NotKeptError(tokenInUse(context)?.token ?? {}, { cause: context.error })
  if (value !== 'signedIn') throw reasonWhy(actor.getSnapshot())
}

/** Throws WrongHostError if the token is for another API. A provider without a `baseUrl` does not name its API. */
function assertOwnApi({ baseUrl: own, userinfoEndpoint = own }: Provider, asked: string): void {
  if (own === undefined || userinfoEndpoint === undefined) return
  const { host } = secureAddress(own)
  const { origin } = secureAddress(asked)
  if (![own, userinfoEndpoint].some((url) => new URL(url).origin === origin))
    throw new WrongHostError(
      `the token of the session is for ${host} only: nothing was sent to the other host`,
    )
}

/** Where a session is: one that returns there has got no further. */
function placeOf({ value, context: { kept } }: SessionSnapshot): string {
  return [value, kept?.login, kept?.generation].join()
}

/** Waits until nothing is in flight. Rejects if the session was stopped before. */
export async function settledOf(actor: SessionActor, signal?: AbortSignal): Promise<SessionSnapshot> {
  const isOver = (snapshot: SessionSnapshot) => snapshot.hasTag('settled') || snapshot.status === 'stopped'
  const snapshot = await waitFor(actor, isOver, signal && { signal }).catch((error) => {
    const isBroken = !signal?.aborted && actor.getSnapshot().status === 'error'
    throw isBroken ? error : new CancelledError(signal?.reason)
  })
  if (!snapshot.hasTag('settled')) throw new CancelledError()
  return snapshot
}

/** Waits for a while until a new token is stored, since it is lost with the process. Returns whether it is. */
export async function isStoredInTime({ actor }: Session): Promise<boolean> {
  const isAtRest = (snapshot: SessionSnapshot) => snapshot.hasTag('settled') && !hasUnstoredToken(snapshot)
  await waitFor(actor, isAtRest, { timeout: STORE_PATIENCE }).catch(() => undefined)
  return !hasUnstoredToken(actor.getSnapshot())
}

/** A fault that could not be written loses nothing. */
function hasUnstoredToken({ context: { result } }: SessionSnapshot): boolean {
  return result !== undefined && 'token' in result
}

function reasonWhy({ context, value }: SessionSnapshot): Error {
  if (value === 'ended') return new LoginRequiredError('the login has ended')
  if (value === 'signedOut') return new LoginRequiredError()
  if (context.busy) return new BusyError(context.busy.pid)
  return context.error ?? new LoginRequiredError('the token has expired and cannot be refreshed')
}

function showCodes(actor: SessionActor, onCodes: (codes: ShownCodes) => unknown): void {
  let shown: DeviceAuthorizationActor | undefined
  actor.subscribe(({ children: { authorize } }) => {
    if (authorize === undefined || authorize === shown) return
    shown = authorize as DeviceAuthorizationActor
    announce(shown, onCodes)
  })
}
