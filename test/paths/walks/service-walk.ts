import { getInitialSnapshot, type SnapshotFrom, transition } from 'xstate'
import {
  type DeviceGrantEvent,
  type DeviceGrantState,
  deviceGrant,
  grantState,
} from '../../../machines/device-grant.ts'
import type { Decision } from '../../../src/service/grants/grants.ts'
import { assertKnownEvents } from '../../../src/testing/paths/event-types.ts'
import type { Walk } from '../../../src/testing/paths/walk.ts'
import { type IssuedStep, type Issuing, issuedSteps, labelOf, passedMoments, waitSteps } from './issuing.ts'

/** A snapshot of the grant's machine. */
export type GrantSnapshot = SnapshotFrom<typeof deviceGrant>

/** The state of one authorization on the service. `grant` is undefined before the device code request. */
export interface ServiceSituation {
  /** Epoch milliseconds. */
  readonly now: number
  readonly grant?: GrantSnapshot
  /** Claims of the polls that still wait for their token, oldest first. */
  readonly withoutResponse: readonly string[]
  readonly polls: number
  /** Events that the last step sent to the machine. */
  readonly events: readonly DeviceGrantEvent[]
  /** Result of the last step's poll or, after `issued` and `notIssued`, of the poll that was waiting. */
  readonly result?: PollResult
  /** Outcome of the last step's decision. */
  readonly decision?: Decision
}

/**
 * A boundary in time, to the millisecond: the last millisecond of a wait, a claim, the lifetime of the codes or the
 * delivery window, and the first one after it.
 */
type Moment = 'early' | 'due' | 'claimed' | 'lapsed' | 'last' | 'over' | 'windowLast' | 'windowOver'

/** How the service must respond to a poll. `unknownCode` is `incorrect_device_code`, or `invalid_grant` in RFC 6749. */
export type PollResult = 'pending' | 'slowDown' | 'token' | 'denied' | 'expired' | 'unknownCode' | 'busy'

/** What a device and a user do, and what the host does: `issueToken` fails, or is slow and finishes later. */
export type ServiceWalkStep =
  | { readonly type: 'codes' | 'approve' | 'deny' }
  | { readonly type: 'wait'; readonly until: Moment; readonly milliseconds: number }
  | { readonly type: 'poll'; readonly issuing?: Issuing }
  | IssuedStep

/** Settings of the service. Seconds. */
export interface ServiceWalkOptions {
  readonly interval?: number
  readonly expiresIn?: number
  /** How early a poll may be. */
  readonly leeway?: number
  readonly firstPoll?: 'free' | 'counted'
}

/** Stands for the token that the service stores. */
const SEALED = ['nonce', 'text'] as const

/** Most polls that wait for a token at the same time: one that lost its claim, and the one that holds it. */
const MAX_WITHOUT_RESPONSE = 2

const PAIRS: readonly (readonly Moment[])[] = [
  ['due', 'early'],
  ['lapsed', 'claimed'],
  ['over', 'last'],
  ['windowOver', 'windowLast'],
]

/** Events that the steps below send to the machine. */
const RECEIVED_EVENTS: readonly string[] = [
  'poll',
  'approve',
  'deny',
  'issued',
  'notIssued',
] satisfies DeviceGrantEvent['type'][]

/** Result of a poll that gets no token, by the state after it. */
const RESPONSES = {
  requested: 'pending',
  pending: 'pending',
  slowed: 'slowDown',
  approved: 'pending',
  issuing: 'pending',
  denied: 'denied',
  authorized: 'unknownCode',
  expired: 'expired',
} satisfies Record<DeviceGrantState, PollResult>

/** Walks the service machine with pure transitions. */
export function serviceWalk({
  interval = 5,
  expiresIn = 900,
  leeway = 0,
  firstPoll = 'free',
}: ServiceWalkOptions = {}): Walk<ServiceSituation, ServiceWalkStep> {
  const start = { now: Date.UTC(2026, 0, 1), withoutResponse: [], polls: 0, events: [] }
  const pace = { interval, leeway, firstPoll }

  function issue({ now }: ServiceSituation): ServiceSituation {
    const times = { issuedAt: now, expiresAt: now + expiresIn * 1000 }
    const grant = getInitialSnapshot(deviceGrant, { client: 'client', scope: '', ...pace, ...times })
    return { ...start, now, grant }
  }

  return {
    start,
    next: (situation) => (situation.grant ? stepsFrom(situation, situation.grant) : [{ type: 'codes' }]),
    take: ({ result, decision, ...before }, step) => {
      const situation = { ...before, events: [] }
      switch (step.type) {
        case 'codes':
          return issue(situation)
        case 'wait':
          return { ...situation, now: situation.now + step.milliseconds }
        case 'poll':
          return poll(situation, step.issuing)
        case 'approve':
        case 'deny':
          return decide(situation, step.type)
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

function stepsFrom(situation: ServiceSituation, grant: GrantSnapshot): ServiceWalkStep[] {
  assertKnownEvents(grant, RECEIVED_EVENTS)
  return [
    ...waits(situation, grant),
    ...polls(situation, grant),
    // Also in states that ignore them: a second decision, or a poll after the end, must change nothing.
    { type: 'approve' },
    { type: 'deny' },
    ...issuedSteps(situation.withoutResponse.length),
  ]
}

function waits({ now }: ServiceSituation, grant: GrantSnapshot): ServiceWalkStep[] {
  if (grant.status !== 'active') return []
  const { expiresAt, delivery } = grant.context
  return waitSteps(momentsOf(grant), now, delivery?.until ?? expiresAt)
}

/** The moments of a grant in epoch milliseconds. Once its token is issued, the lifetime of the codes no longer matters. */
function momentsOf(grant: GrantSnapshot): Map<Moment, number> {
  const { lastPollAt, interval, leeway, claim, expiresAt, delivery } = grant.context
  const moments = new Map<Moment, number>()
  if (delivery) return moments.set('windowLast', delivery.until - 1).set('windowOver', delivery.until)
  if (grant.value === 'authorized') return moments
  if (lastPollAt !== null && grant.hasTag('undecided')) {
    const due = lastPollAt + (interval - (leeway ?? 0)) * 1000
    moments.set('early', due - 1).set('due', due)
  }
  if (claim) moments.set('claimed', claim.until - 1).set('lapsed', claim.until)
  return moments.set('last', expiresAt - 1).set('over', expiresAt)
}

/** A poll that triggers `issueToken` may find that it fails or is slow. */
function polls(
  { now, withoutResponse }: ServiceSituation,
  { value, context }: GrantSnapshot,
): ServiceWalkStep[] {
  const { claim, expiresAt } = context
  const isFree = value === 'approved' || (value === 'issuing' && claim !== null && now >= claim.until)
  if (!isFree || now >= expiresAt) return [{ type: 'poll' }]
  return [
    { type: 'poll' },
    { type: 'poll', issuing: 'fails' },
    ...(withoutResponse.length < MAX_WITHOUT_RESPONSE
      ? ([{ type: 'poll', issuing: 'takesLong' }] as const)
      : []),
  ]
}

function poll(situation: ServiceSituation, issuing: Issuing | undefined): ServiceSituation {
  const { now: at, polls, withoutResponse } = situation
  const claim = `poll ${polls + 1}`
  const polled = send({ ...situation, polls: polls + 1 }, { type: 'poll', at, claim })
  const { value, context } = grantOf(polled)
  if (context.delivery) return { ...polled, result: 'token' }
  if (value !== 'issuing' || context.claim?.id !== claim)
    return { ...polled, result: RESPONSES[grantState(value)] }
  if (issuing === 'takesLong') return { ...polled, withoutResponse: [...withoutResponse, claim] }
  return issuing === 'fails'
    ? { ...send(polled, { type: 'notIssued', at, claim }), result: 'busy' }
    : { ...send(polled, { type: 'issued', at, claim, sealed: SEALED }), result: 'token' }
}

function decide(situation: ServiceSituation, type: 'approve' | 'deny'): ServiceSituation {
  const { now: at } = situation
  const decided = send(situation, type === 'approve' ? { type, at, user: 'octocat' } : { type, at })
  const isFirst = grantOf(situation).hasTag('undecided')
  const inTime = isFirst ? 'done' : 'decided'
  return { ...decided, decision: grantOf(decided).value === 'expired' ? 'expired' : inTime }
}

/** Finishes a slow `issueToken`. A token for a poll that has lost its claim is dropped. */
function settle(situation: ServiceSituation, { type, of }: IssuedStep): ServiceSituation {
  const claim = situation.withoutResponse.at(of === 'first' ? 0 : -1) ?? ''
  const made = { at: situation.now, claim }
  const settled = send(situation, type === 'issued' ? { type, ...made, sealed: SEALED } : { type, ...made })
  const delivered = grantOf(situation).value === 'issuing' && grantOf(settled).value === 'authorized'
  return {
    ...settled,
    withoutResponse: situation.withoutResponse.filter((other) => other !== claim),
    result: delivered ? 'token' : type === 'notIssued' ? 'busy' : 'pending',
  }
}

function send(situation: ServiceSituation, event: DeviceGrantEvent): ServiceSituation {
  const [grant] = transition(deviceGrant, grantOf(situation), event)
  return { ...situation, grant, events: [...situation.events, event] }
}

function grantOf({ grant }: ServiceSituation): GrantSnapshot {
  if (grant === undefined) throw new TypeError('there are no codes yet')
  return grant
}

/** Named by state, the moments that have passed, and whether the polls that wait for a token may get it. */
function nameOf(situation: ServiceSituation): string {
  const { grant, withoutResponse } = situation
  const claims = withoutResponse.map((claim) => (grant?.context.claim?.id === claim ? 'may' : 'may not'))
  return [stateOf(situation), ...claims].join(', ')
}

/** Named by state and the moments that have passed: the later one of each pair. */
function stateOf({ grant, now }: ServiceSituation): string {
  if (grant === undefined) return 'nothing'
  const moments = grant.status === 'active' ? momentsOf(grant) : new Map<Moment, number>()
  return [grantState(grant.value), ...passedMoments(moments, PAIRS, now)].join(', ')
}
