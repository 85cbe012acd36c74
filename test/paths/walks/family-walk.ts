import { getInitialSnapshot, type SnapshotFrom, transition } from 'xstate'
import {
  type RefreshFamilyEvent,
  type RefreshFamilyState,
  refreshFamily,
} from '../../../machines/refresh-family.ts'
import { assertKnownEvents } from '../../../src/testing/paths/event-types.ts'
import type { Walk } from '../../../src/testing/paths/walk.ts'
import { type IssuedStep, type Issuing, issuedSteps, labelOf, passedMoments, waitSteps } from './issuing.ts'

/** A snapshot of the family's machine. */
type FamilySnapshot = SnapshotFrom<typeof refreshFamily>

/** Which refresh token a client presents: the newest one, the one before, or the one before that. */
export type PresentedToken = 'newest' | 'previous' | 'older'

/**
 * The response to a refresh: the pair of a token that is spent now or was spent before, a refusal, or a request to try
 * again.
 */
export type FamilyResult = 'newPair' | 'samePair' | 'refused' | 'busy'

/** A request without a response: it issues a pair under its claim, or is held until another request has done so. */
interface Waiting {
  readonly claim: string
  /** The number of its refresh token. */
  readonly generation: number
  /** The claim of the request that it is held for. */
  readonly heldFor?: string
}

/** The state of one login on the service. `family` is undefined before it begins. */
export interface FamilySituation {
  /** Epoch milliseconds. */
  readonly now: number
  readonly family?: FamilySnapshot
  /** Requests without a response, oldest first. */
  readonly waiting: readonly Waiting[]
  readonly requests: number
  /** Events that the last step sent to the machine. */
  readonly events: readonly RefreshFamilyEvent[]
  /** The responses that the last step led to, sorted. */
  readonly results: readonly FamilyResult[]
}

/** The last millisecond of the reuse window, of a claim or of the lifetime, and the first one after it. */
type Moment = 'windowLast' | 'windowOver' | 'claimed' | 'lapsed' | 'last' | 'over'

/** Everything that can happen to a login: what its client and its user do, and how the host's `issueToken` behaves. */
export type FamilyWalkStep =
  | { readonly type: 'login' | 'revoke' }
  | { readonly type: 'wait'; readonly until: Moment; readonly milliseconds: number }
  | { readonly type: 'refresh'; readonly token: PresentedToken; readonly issuing?: Issuing }
  | IssuedStep

/** Settings of the service. Seconds. */
export interface FamilyWalkOptions {
  readonly lifetime?: number
  readonly reuseWindow?: number
}

/** Most requests without a response at the same time. */
const MAX_WAITING = 2

const ISSUING = ['fails', 'takesLong'] as const

const TOKENS: readonly PresentedToken[] = ['newest', 'previous', 'older']

const PAIRS: readonly (readonly Moment[])[] = [
  ['windowOver', 'windowLast'],
  ['lapsed', 'claimed'],
  ['over', 'last'],
]

/** Moments that are not waited for while requests are without a response: the same happens as without them. */
const BEFORE_END: readonly Moment[] = ['windowLast', 'last']

/** Events that the steps below send to the machine. */
const RECEIVED_EVENTS: readonly string[] = [
  'refresh',
  'issued',
  'notIssued',
  'revoke',
] satisfies RefreshFamilyEvent['type'][]

/** Walks the machine of a refresh family with pure transitions. */
export function familyWalk({
  lifetime = 86_400,
  reuseWindow = 30,
}: FamilyWalkOptions = {}): Walk<FamilySituation, FamilyWalkStep> {
  const now = Date.UTC(2026, 0, 1)
  const start: FamilySituation = { now, waiting: [], requests: 0, events: [], results: [] }
  const expiresAt = now + lifetime * 1000
  const input = { client: 'client', user: 'octocat', scope: '', token: hashOf(0), expiresAt, reuseWindow }

  return {
    start,
    next: (situation) => (situation.family ? stepsFrom(situation, situation.family) : [{ type: 'login' }]),
    take: (before, step) => {
      const situation = { ...before, events: [], results: [] }
      switch (step.type) {
        case 'login':
          return { ...situation, family: getInitialSnapshot(refreshFamily, input) }
        case 'wait':
          return { ...situation, now: situation.now + step.milliseconds }
        case 'revoke':
          return send(situation, { type: 'revoke', at: situation.now })
        case 'refresh':
          return refresh(situation, step)
        case 'issued':
        case 'notIssued':
          return settle(situation, step)
      }
    },
    nameOf,
    stateOf,
    labelOf,
  }
}

function stepsFrom(situation: FamilySituation, family: FamilySnapshot): FamilyWalkStep[] {
  assertKnownEvents(family, RECEIVED_EVENTS)
  const mayBegin = situation.waiting.length < MAX_WAITING
  return [
    ...(mayBegin ? [...waits(situation, family), ...refreshes(situation, family)] : []),
    { type: 'revoke' },
    ...issuedSteps(issuing(situation).length),
  ]
}

function waits({ now, waiting }: FamilySituation, family: FamilySnapshot): FamilyWalkStep[] {
  if (family.status !== 'active' || isNew(family)) return []
  return waitSteps(momentsOf(family), now, family.context.expiresAt).filter(
    ({ until }) => waiting.length === 0 || !BEFORE_END.includes(until),
  )
}

/** Whether not all kinds of refresh tokens exist yet. Until then, nothing takes time. */
function isNew({ context }: FamilySnapshot): boolean {
  return context.generation < TOKENS.length - 1
}

/** The moments of a family in epoch milliseconds. */
function momentsOf({ context }: FamilySnapshot): Map<Moment, number> {
  const { rotatedAt, reuseWindow, claim, expiresAt } = context
  const moments = new Map<Moment, number>()
  if (rotatedAt !== null && reuseWindow > 0) {
    const end = rotatedAt + reuseWindow * 1000
    moments.set('windowLast', end - 1).set('windowOver', end)
  }
  if (claim) moments.set('claimed', claim.until - 1).set('lapsed', claim.until)
  return moments.set('last', expiresAt - 1).set('over', expiresAt)
}

function refreshes({ now, waiting }: FamilySituation, family: FamilySnapshot): FamilyWalkStep[] {
  const { generation, claim, expiresAt } = family.context
  if (family.status !== 'active') return [{ type: 'refresh', token: 'newest' }]
  const tokens = TOKENS.slice(0, waiting.length === 0 ? generation + 1 : 2)
  const isHeld = claim !== null && now < claim.until
  const isAlone = isHeld || now >= expiresAt || isNew(family)
  return [
    ...tokens.map((token) => ({ type: 'refresh', token }) as const),
    ...(isAlone ? [] : ISSUING.map((issuing) => ({ type: 'refresh', token: 'newest', issuing }) as const)),
  ]
}

function refresh(
  situation: FamilySituation,
  { token, issuing }: Extract<FamilyWalkStep, { type: 'refresh' }>,
): FamilySituation {
  const generation = familyOf(situation).context.generation - TOKENS.indexOf(token)
  return present(situation, generation, { held: false, issuing })
}

/** Presents a refresh token, for the first time or after a wait. */
function present(
  before: FamilySituation,
  generation: number,
  { held: isHeld, issuing }: { readonly held: boolean; readonly issuing?: Issuing | undefined },
): FamilySituation {
  const { now: at, requests } = before
  const claim = `request ${requests + 1}`
  const event = { type: 'refresh', at, claim, token: hashOf(generation), generation, held: isHeld } as const
  const situation = send({ ...before, requests: requests + 1 }, event)
  const family = familyOf(situation)
  const { claim: held, generation: newest } = family.context
  if (!family.hasTag('valid')) return respond(situation, 'refused')
  if (held?.id === claim) {
    const mine = { ...situation, waiting: [...situation.waiting, { claim, generation }] }
    return issuing === 'takesLong' ? mine : finish(mine, claim, issuing === undefined)
  }
  if (generation === newest) {
    const waiting = { claim, generation, heldFor: held?.id ?? '' }
    return { ...situation, waiting: [...situation.waiting, waiting] }
  }
  return respond(situation, generation === newest - 1 ? 'samePair' : 'busy')
}

/** Finishes a slow `issueToken`. */
function settle(situation: FamilySituation, { type, of }: IssuedStep): FamilySituation {
  const request = issuing(situation).at(of === 'first' ? 0 : -1)
  if (request === undefined) throw new TypeError('no pair is being issued')
  return finish(situation, request.claim, type === 'issued')
}

/** Ends one `issueToken`, and releases the requests that waited for it. */
function finish(before: FamilySituation, claim: string, isIssued: boolean): FamilySituation {
  const request = before.waiting.find((waiting) => waiting.claim === claim)
  if (request === undefined) throw new TypeError('no such request')
  const held = before.waiting.filter(({ heldFor }) => heldFor === claim)
  const others = before.waiting.filter((waiting) => waiting !== request && waiting.heldFor !== claim)
  const { generation } = request
  const isOurs = familyOf(before).context.claim?.id === claim && familyOf(before).hasTag('valid')
  const at = before.now
  const situation = send(
    { ...before, waiting: others },
    isIssued
      ? { type: 'issued', at, claim, token: hashOf(generation + 1) }
      : { type: 'notIssued', at, claim },
  )
  const isDropped = isIssued && !isOurs
  const responded = isDropped ? situation : respond(situation, isIssued ? 'newPair' : 'busy')
  const again = isDropped ? [request, ...held] : held
  return again.reduce((after, { generation }) => present(after, generation, { held: true }), responded)
}

function respond(situation: FamilySituation, result: FamilyResult): FamilySituation {
  return { ...situation, results: [...situation.results, result].sort() }
}

function send(situation: FamilySituation, event: RefreshFamilyEvent): FamilySituation {
  const [family] = transition(refreshFamily, familyOf(situation), event)
  return { ...situation, family, events: [...situation.events, event] }
}

function issuing({ waiting }: FamilySituation): Waiting[] {
  return waiting.filter(({ heldFor }) => heldFor === undefined)
}

function familyOf({ family }: FamilySituation): FamilySnapshot {
  if (family === undefined) throw new TypeError('there is no login yet')
  return family
}

/** A hash of the refresh token with this number. */
function hashOf(generation: number): string {
  return `token ${generation}`
}

/** Named by state and, for each request without a response, its token and what it waits for. */
function nameOf(situation: FamilySituation): string {
  const { family, waiting } = situation
  if (family === undefined) return stateOf(situation)
  const { generation, claim } = family.context
  const requests = waiting.map((request) => {
    if (family.status !== 'active') return request.heldFor === undefined ? 'issuing' : 'held'
    const token = tokenBefore(generation - request.generation)
    if (request.heldFor !== undefined) return `${token} held`
    return `${token} ${claim?.id === request.claim ? 'may' : 'may not'}`
  })
  return [stateOf(situation), ...requests].join(', ')
}

/** Named by state, the moments that have passed (the later one of each pair), and the oldest kind of token that exists. */
function stateOf({ family, now }: FamilySituation): string {
  if (family === undefined) return 'nothing'
  const state: RefreshFamilyState = family.value
  if (family.status !== 'active') return state
  const moments = momentsOf(family)
  const passed = passedMoments(moments, PAIRS, now)
  return [state, ...passed, `to ${tokenBefore(family.context.generation)}`].join(', ')
}

/** The kind of the token that was replaced so often. */
function tokenBefore(times: number): PresentedToken | undefined {
  return TOKENS[Math.min(times, TOKENS.length - 1)]
}
