import {
  type DoneActorEvent,
  type ErrorActorEvent,
  initialTransition,
  type SnapshotFrom,
  transition,
} from 'xstate'
import { session as sessionMachine } from '../../../machines/session.ts'
import type { KeptToken, SessionContext, SessionEvent } from '../../../machines/session-context.ts'
import { isDue, tokenInUse } from '../../../machines/session-selectors.ts'
import { deviceInput } from '../../../src/client/machine-input.ts'
import { StoreUnavailableError, UnreachableError } from '../../../src/errors.ts'
import { Secret } from '../../../src/secret.ts'
import { namesOf } from '../../../src/testing/paths/device-walk.ts'
import { eventTypesOf } from '../../../src/testing/paths/event-types.ts'
import type { Walk } from '../../../src/testing/paths/walk.ts'
import {
  REFRESH_RESPONSES,
  type RefreshCase,
  type RefreshResponseName,
  tokenOf,
} from './refresh-responses.ts'
import { type SessionMoment, type SessionStep, type StepOf, tell } from './session-steps.ts'
import {
  afterwards,
  claimIn,
  eraseIn,
  issues,
  type Meanwhile,
  OTHERS,
  OURS,
  possibleIn,
  readIn,
  type Stored,
  settleIn,
} from './stored-login.ts'

/** A session, its clock, its store, and how many tokens the provider has issued. */
export interface SessionSituation {
  /** Epoch milliseconds. */
  readonly now: number
  /** `undefined` before the session is opened. */
  readonly session?: SnapshotFrom<typeof sessionMachine>
  readonly stored: Stored
  readonly issued: number
}

type SessionMachineEvent =
  | SessionEvent
  | DoneActorEvent
  | ErrorActorEvent
  | { readonly type: `xstate.after.${string}` }

/** Milliseconds after which the client gives up a request. */
export const TIMEOUTS = { refresh: 8000, revoke: 30_000 }

/** Milliseconds for which a process is stopped: then it may no longer send a refresh request under its claim. */
export const STOP = 13_000

/** Milliseconds from the codes to the first poll, which brings the token. */
export const LOGIN_TIME = 5_250

/** Milliseconds of `minValidity`, and of the age at which a token may be refused by an API. */
const MINUTE = 60_000

/** The error of a store that fails. */
export function storeFault(): StoreUnavailableError {
  return new StoreUnavailableError('the store of the path fails')
}

/** Walks the session machine with pure transitions. Its clock shows the time of the situation. */
export function sessionWalk({ now: start = Date.UTC(2026, 0, 1) } = {}): Walk<SessionSituation, SessionStep> {
  let time = start
  const clock = { now: () => time, setTimeout: noTimer, clearTimeout: noTimer }

  function open(stored: Stored): SessionSituation {
    const device = deviceInput({ clientId: 'sample-client-id', scopes: ['repo'], clock, random: () => 0 })
    const [session] = initialTransition(sessionMachine, { device, minValidity: MINUTE, jitter: 0 })
    return { now: time, session, stored, issued: typeof stored === 'object' ? 1 : 0 }
  }

  function send(situation: SessionSituation, event: SessionMachineEvent, now = situation.now) {
    time = now
    // Users of the machine cannot send what only its actors and its timers do.
    const [session] = transition(sessionMachine, opened(situation), event as SessionEvent)
    return { ...situation, now, session }
  }

  function update(situation: SessionSituation, { meanwhile, fails }: StepOf<'store'>): SessionSituation {
    if (fails) return send(situation, failed(actorOf(situation), storeFault()))
    const { now } = situation
    const number = situation.issued + (issues(meanwhile) ? 1 : 0)
    const before = afterwards(situation.stored, meanwhile, { number, now })
    const { result, stored } = updated(before, { ...situation, issued: number })
    return { ...send({ ...situation, issued: number }, done(actorOf(situation), result)), stored }
  }

  /** Lets time pass until the timer of the state fires, once or as often as it takes. */
  function wait(situation: SessionSituation, until: SessionMoment): SessionSituation {
    const next = timerOf(situation)
    if (next === undefined) throw new Error(`${nameOf(situation)} has no timer`)
    const fired = send(situation, { type: next }, situation.now + pauseIn(situation))
    if (until === 'pause' || until === 'retry') return fired
    const isOver = (now: SessionSituation) =>
      until === 'impatient' ? opened(now).matches('signedIn') : isDue(opened(now).context, now.now)
    if (until === 'impatient' && isOver(fired)) return fired
    const tried = update(fired, until === 'impatient' ? { type: 'store' } : { type: 'store', fails: true })
    return until === 'outage' && isOver(tried) ? tried : wait(tried, until)
  }

  const isTimed = ({ until }: StepOf<'wait'>) => !['due', 'rested', 'aged'].includes(until)

  function next(situation: SessionSituation): SessionStep[] {
    if (situation.session === undefined)
      return (['nothing', 'login', 'lastingLogin'] as const).map((stored) => ({ type: 'open', stored }))
    const steps = [...eventTypesOf(situation.session)].flatMap((type) => stepsFor(type, situation))
    const waits = steps.filter((step): step is StepOf<'wait'> => step.type === 'wait' && isTimed(step))
    return [
      ...steps.filter((step) => !waits.includes(step as StepOf<'wait'>)),
      ...waits.map((step) => ({ ...step, milliseconds: wait(situation, step.until).now - situation.now })),
    ]
  }

  /** What each type of step does. */
  const taken: {
    [Type in SessionStep['type']]: (situation: SessionSituation, step: StepOf<Type>) => SessionSituation
  } = {
    open: (_, { stored }) => open(firstStored(stored, time)),
    need: send,
    login: send,
    logout: send,
    cancel: send,
    keep: (situation) => {
      const issued = situation.issued + 1
      return send({ ...situation, issued }, { type: 'keep', token: tokenOf(issued, situation.now) })
    },
    rejected: (situation, { token }) => {
      const inUse = token === 'inUse' && tokenInUse(opened(situation).context)?.token.accessToken
      return send(situation, { type: 'rejected', token: inUse || new Secret('another') })
    },
    authorize: (situation, { result }) => {
      const error = new UnreachableError('the provider')
      if (result === 'unreachable') return send(situation, done('authorize', { status: 'failed', error }))
      const now = situation.now + LOGIN_TIME
      if (result === 'denied') return send(situation, done('authorize', { status: 'denied' }), now)
      const issued = situation.issued + 1
      const token = tokenOf(issued, now)
      return send({ ...situation, issued }, done('authorize', { status: 'authorized', token }), now)
    },
    store: update,
    refresh: (situation, { result }) => {
      const number = situation.issued + 1
      const now = situation.now + ({ silence: TIMEOUTS.refresh, stopped: STOP }[result as string] ?? 0)
      const issued = result === 'token' ? number : situation.issued
      const meant = done('refresh', REFRESH_RESPONSES[result].means(number, now))
      const refreshed = send({ ...situation, issued }, meant, now)
      const isTooLate = result === 'stopped' && opened(refreshed).matches('refreshing')
      return isTooLate ? send(refreshed, done('refresh', { type: 'late', error: storeFault() })) : refreshed
    },
    revoke: (situation, { result }) => {
      if (result === 'revoked') return send(situation, done('revoke', { revoked: true }))
      if (result === 'refused') return send(situation, done('revoke', { revoked: false, why: 'status 503' }))
      const now = situation.now + (result === 'silence' ? TIMEOUTS.revoke : 0)
      return send(situation, failed('revoke', new UnreachableError('the provider')), now)
    },
    defect: (situation) => send(situation, failed(actorOf(situation), new TypeError('a defect'))),
    wait: (situation, step) =>
      isTimed(step) ? wait(situation, step.until) : { ...situation, now: situation.now + step.milliseconds },
  }

  return {
    start: { now: start, stored: undefined, issued: 0 },
    next,
    take: (situation, step) => {
      time = situation.now
      const take = taken[step.type] as (situation: SessionSituation, step: SessionStep) => SessionSituation
      return take(situation, step)
    },
    nameOf,
    stateOf: nameOf,
    labelOf: tell,
  }
}

/** What the store holds when a session is opened. */
export function firstStored(stored: StepOf<'open'>['stored'], now: number): Stored {
  if (stored === 'nothing') return undefined
  const { expiresIn, expiresAt, refreshToken, ...lasting } = tokenOf(1, now)
  const token = stored === 'login' ? tokenOf(1, now) : lasting
  return { kept: { login: 'login 1', generation: 0, token, sentAt: now } }
}

/** The result of the running update, and what is stored after it. */
function updated(before: Stored, situation: SessionSituation): { readonly result: unknown; stored: Stored } {
  const { context } = opened(situation)
  switch (actorOf(situation)) {
    case 'read':
      return readIn(before)
    case 'claim':
      return claimIn(before, context)
    case 'settle':
      return settleIn(before, { ...context, number: situation.issued })
    default:
      return eraseIn(before)
  }
}

/** What runs in each state. */
const ACTORS: Readonly<Record<string, string>> = {
  restoring: 'read',
  authorizing: 'authorize',
  claiming: 'claim',
  refreshing: 'refresh',
  settling: 'settle',
  erasing: 'erase',
  revoking: 'revoke',
}

function actorOf(situation: SessionSituation): string {
  return ACTORS[opened(situation).value] ?? ''
}

/** The steps that cause an event. Throws for an unknown event type: otherwise paths would be missing silently. */
function stepsFor(eventType: string, situation: SessionSituation): SessionStep[] {
  const { context } = opened(situation)
  switch (withoutState(eventType)) {
    case 'xstate.done.actor.read':
    case 'xstate.done.actor.claim':
    case 'xstate.done.actor.settle':
    case 'xstate.done.actor.erase':
      return [
        { type: 'store' },
        ...possibleIn(situation.stored)
          .filter((meanwhile) => isSeen(meanwhile, situation))
          .map((meanwhile) => ({ type: 'store', meanwhile }) as const),
      ]
    case 'xstate.error.actor.read':
    case 'xstate.error.actor.claim':
    case 'xstate.error.actor.settle':
    case 'xstate.error.actor.erase':
      return [{ type: 'store', fails: true }]
    case 'xstate.done.actor.authorize':
      return (['authorized', 'denied', 'unreachable'] as const).map((result) => ({
        type: 'authorize',
        result,
      }))
    case 'xstate.done.actor.refresh':
      return namesOf(REFRESH_RESPONSES)
        .filter((result) => isFirstRequest(context) || TYPICAL.includes(result))
        .map((result) => refreshStep(result, situation.issued + 1))
    case 'xstate.done.actor.revoke':
      return (['revoked', 'refused'] as const).map((result) => ({ type: 'revoke', result }))
    case 'xstate.error.actor.revoke':
      return (['unreachable', 'silence'] as const).map((result) => ({ type: 'revoke', result }))
    case 'xstate.error.actor.authorize':
    case 'xstate.error.actor.refresh':
      return [{ type: 'defect' }]
    case 'xstate.after.claimPause':
      return [
        { type: 'wait', until: 'pause', milliseconds: 0 },
        { type: 'wait', until: 'impatient', milliseconds: 0 },
      ]
    case 'xstate.after.untilRetry':
      return [
        { type: 'wait', until: 'retry', milliseconds: 0 },
        ...(canBecomeDue(situation) ? [{ type: 'wait', until: 'outage', milliseconds: 0 } as const] : []),
      ]
    case 'need':
      return [...(isDue(context, situation.now) ? [{ type: 'need' } as const] : []), ...waits(situation)]
    case 'rejected':
      return [
        { type: 'rejected', token: 'inUse' },
        { type: 'rejected', token: 'another' },
      ]
    case 'xstate.snapshot.authorize':
      // The device authorization has paths of its own: here it is one step.
      return []
    case 'login':
    case 'logout':
    case 'cancel':
    case 'keep':
      return [{ type: eventType as 'login' | 'logout' | 'cancel' | 'keep' }]
    default:
      throw new Error(`the paths have no case for the event ${eventType}`)
  }
}

/** Whether the running update can see what another process did. */
function isSeen(meanwhile: Meanwhile, situation: SessionSituation): boolean {
  switch (actorOf(situation)) {
    case 'read':
      return meanwhile === 'loggedIn' || meanwhile === 'ended' || meanwhile === 'signedOut'
    case 'erase':
      return meanwhile === 'signedOut'
    case 'settle':
      return opened(situation).context.kept !== undefined
    default:
      return true
  }
}

/** The outcomes of a refresh request that a session tells apart: the first request of a refresh has all outcomes. */
const TYPICAL: readonly RefreshResponseName[] = ['token', 'badRefreshToken', 'busy', 'unreachable', 'stopped']

function isFirstRequest({ repeated, leaving, result }: SessionContext): boolean {
  return !repeated && !leaving && result === undefined
}

/** XState appends the state to the event type of its timers. */
function withoutState(eventType: string): string {
  return eventType.startsWith('xstate.after.') ? eventType.split('.', 3).join('.') : eventType
}

function refreshStep(result: RefreshResponseName, number: number): SessionStep {
  const { response }: RefreshCase = REFRESH_RESPONSES[result]
  return { type: 'refresh', result, ...(response && { response: response(number) }) }
}

/** What a session at rest can wait for. */
function waits({ session, now }: SessionSituation): SessionStep[] {
  if (!session?.matches('signedIn')) return []
  const { context } = session
  const moments = { due: dueAt(context), rested: context.restsUntil, aged: agedAt(context) }
  return namesOf(moments)
    .filter((until) => now < moments[until] && Number.isFinite(moments[until]))
    .filter((until) => until !== 'due' || !isDue(context, now))
    .map((until) => ({ type: 'wait', until, milliseconds: moments[until] - now }))
}

/** When a token is due that no API has refused. Epoch milliseconds. */
function dueAt(context: SessionContext): number {
  const { token, sentAt = 0 } = tokenInUse(context) ?? {}
  if (token?.expiresIn === undefined) return Number.POSITIVE_INFINITY
  return sentAt + token.expiresIn * 1000 - MINUTE
}

/** When a token that was refreshed may be refreshed again because an API refuses it. Epoch milliseconds. */
function agedAt({ kept }: SessionContext): number {
  return kept && kept.generation > 0 ? kept.sentAt + MINUTE : 0
}

/** Whether a token that is only in memory becomes due while the store keeps failing. */
function canBecomeDue(situation: SessionSituation): boolean {
  const { context } = opened(situation)
  const type = context.result?.type
  return (type === 'token' || type === 'login') && !isDue(context, situation.now)
}

/** The event of the timer that runs. */
function timerOf(situation: SessionSituation): `xstate.after.${string}` | undefined {
  const types = [...eventTypesOf(opened(situation))]
  return types.find((type): type is `xstate.after.${string}` => type.startsWith('xstate.after.'))
}

/** Milliseconds of the running timer, by the specification: half a second, or one that doubles up to a minute. */
function pauseIn(situation: SessionSituation): number {
  const { value, context } = opened(situation)
  return value === 'waiting' ? 500 : Math.min(MINUTE, 1000 * 2 ** (context.tries - 1))
}

function done(actorId: string, output: unknown): SessionMachineEvent {
  return { type: `xstate.done.actor.${actorId}`, actorId, output }
}

function failed(actorId: string, error: unknown): SessionMachineEvent {
  return { type: `xstate.error.actor.${actorId}`, actorId, error }
}

/** Named by state, by what guards read, and by how what is stored relates to what the session has. */
function nameOf({ session, stored, now }: SessionSituation): string {
  if (session === undefined) return 'closed'
  const { value, context } = session
  const { kept, result, leaving, repeated, restsUntil } = context
  const isResting = value === 'signedIn' && now < restsUntil
  return [
    value,
    ...resultIn(value, result),
    ...(kept && kept.token.refreshToken === undefined ? ['lasting'] : []),
    ...(tokenInUse(context) && isDue(context, now) ? ['due'] : []),
    ...(isResting ? ['resting'] : []),
    ...(value === 'signedIn' && now < agedAt(context) ? ['new'] : []),
    ...(value === 'refreshing' && repeated ? ['repeated'] : []),
    ...(leaving ? ['leaving'] : []),
    relationOf(stored, kept),
    ...ownerOf(stored),
  ].join(', ')
}

/** A pair that is not stored is used and revoked in any state; other results are only written. */
function resultIn(state: string, result: SessionContext['result']): string[] {
  if (result?.type === 'token' || result?.type === 'login') return ['pair in memory']
  if (result === undefined || !['settling', 'unsettled'].includes(state)) return []
  return [result.type === 'ended' ? 'end' : 'fault']
}

function relationOf(stored: Stored, kept: KeptToken | undefined): string {
  if (stored === undefined || stored === 'signedOut') return 'nothing stored'
  if (stored === 'ended') return 'end stored'
  if (kept === undefined)
    return stored.kept.token.refreshToken === undefined ? 'lasting login stored' : 'login stored'
  if (stored.kept.login !== kept.login) return 'other login stored'
  return stored.kept.generation > kept.generation ? 'newer stored' : 'stored'
}

function ownerOf(stored: Stored): string[] {
  if (typeof stored !== 'object' || stored.owner === undefined) return []
  return [stored.owner === OURS ? 'claimed' : stored.owner === OTHERS ? 'claimed by another' : stored.owner]
}

function opened({ session }: SessionSituation) {
  if (session === undefined) throw new TypeError('the session was not opened')
  return session
}

/** Pure transitions set no timer. */
function noTimer(): void {}
