import { describe, expect, test } from 'vitest'
import { getInitialSnapshot, transition } from 'xstate'
import {
  type DeviceGrantContext,
  type DeviceGrantEvent,
  type DeviceGrantInput,
  type DeviceGrantState,
  deviceGrant,
  grantState,
  grantValue,
} from '../../machines/device-grant.ts'

const T = Date.UTC(2026, 0, 1)
const LIFETIME = 900_000

const input: DeviceGrantInput = {
  client: 'client',
  scope: 'repo',
  interval: 5,
  leeway: 0,
  issuedAt: T,
  expiresAt: T + LIFETIME,
  firstPoll: 'free',
}

interface Stored extends DeviceGrantContext {
  readonly state: DeviceGrantState
}

function issue(overrides: Partial<DeviceGrantInput> = {}): Stored {
  const { value, context } = getInitialSnapshot(deviceGrant, { ...input, ...overrides })
  return { state: grantState(value), ...context }
}

/** Runs events over what a store would hold, which is JSON between any two of them. */
function run(start: Stored, ...events: DeviceGrantEvent[]): Stored {
  return events.reduce((grant, event) => {
    const { state, ...context } = JSON.parse(JSON.stringify(grant)) as Stored
    const snapshot = deviceGrant.resolveState({ value: grantValue(state), context })
    const [next] = transition(deviceGrant, snapshot, event)
    return { state: grantState(next.value), ...next.context }
  }, start)
}

const poll = (after: number, claim = 'a') => ({ type: 'poll', at: T + after, claim }) as const
const approve = (after: number) => ({ type: 'approve', at: T + after, user: 'octocat' }) as const
const deny = (after: number) => ({ type: 'deny', at: T + after }) as const
const sealed = ['nonce', 'text'] as const
const issued = (after: number, claim = 'a') => ({ type: 'issued', at: T + after, claim, sealed }) as const
const notIssued = (after: number, claim = 'a') => ({ type: 'notIssued', at: T + after, claim }) as const

/** One grant in each state, at most a second after its codes were issued. */
const samples = {
  requested: issue(),
  pending: run(issue(), poll(1)),
  slowed: run(issue(), poll(1), poll(2)),
  approved: run(issue(), approve(1)),
  issuing: run(issue(), approve(1), poll(2)),
  denied: run(issue(), deny(1)),
  authorized: run(issue(), approve(1), poll(2), issued(3)),
  expired: run(issue(), poll(LIFETIME)),
} satisfies Record<DeviceGrantState, Stored>

test.each(Object.entries(samples))('a sample of %s is in that state', (state, grant) => {
  expect(grant.state).toBe(state)
})

test('a free first poll is never early, not even by a clock that began at zero', () => {
  const grant = issue({ issuedAt: 0, expiresAt: LIFETIME })
  expect(run(grant, { type: 'poll', at: 1, claim: 'a' }).state).toBe('pending')
})

const makers = { poll, approve, deny, issued, notIssued }
const ofHost = ['issued', 'notIssued'] as const
const afterDecision = ['approve', 'deny', ...ofHost] as const

/** What a grant does not listen to, whenever it happens. Where all else leads, the paths over the service compare. */
const IGNORED = {
  requested: ofHost,
  pending: ofHost,
  slowed: ofHost,
  approved: afterDecision,
  issuing: ['approve', 'deny'],
  denied: afterDecision,
  authorized: afterDecision,
  expired: ['poll', ...afterDecision],
} satisfies Record<DeviceGrantState, readonly DeviceGrantEvent['type'][]>

test.each(Object.entries(IGNORED) as [DeviceGrantState, readonly DeviceGrantEvent['type'][]][])(
  '%s stays as it was after %j',
  (state, events) => {
    for (const event of events)
      for (const after of [60_000, LIFETIME])
        expect(run(samples[state], makers[event](after)), event).toEqual(samples[state])
  },
)

describe('polling too early', () => {
  test('the first poll is free by default', () => {
    expect(run(issue(), poll(0))).toMatchObject({ state: 'pending', interval: 5, lastPollAt: T })
  })

  test('the first poll counts from the issue where that is asked for', () => {
    const grant = issue({ firstPoll: 'counted' })
    expect(run(grant, poll(4999))).toMatchObject({ state: 'slowed', interval: 10, lastPollAt: T })
    expect(run(grant, poll(5000))).toMatchObject({ state: 'pending', interval: 5, lastPollAt: T + 5000 })
  })

  test('an early poll adds five seconds and does not move the time of the last one', () => {
    const grant = run(issue(), poll(0), poll(4999))
    expect(grant).toMatchObject({ state: 'slowed', interval: 10, lastPollAt: T })
    expect(run(grant, poll(9999))).toMatchObject({ state: 'slowed', interval: 15, lastPollAt: T })
    expect(run(grant, poll(10_000))).toMatchObject({ state: 'pending', interval: 10, lastPollAt: T + 10_000 })
  })

  test('the interval never shrinks again', () => {
    const grant = run(issue(), poll(0), poll(1), poll(10_000), poll(20_000))
    expect(grant).toMatchObject({ state: 'pending', interval: 10 })
    expect(run(grant, poll(29_999))).toMatchObject({ state: 'slowed', interval: 15 })
  })

  test.each([
    { interval: 5, leeway: null, allowed: 4000 },
    { interval: 60, leeway: null, allowed: 59_000 },
    { interval: 1, leeway: null, allowed: 800 },
    { interval: 5, leeway: 0, allowed: 5000 },
    { interval: 5, leeway: 2, allowed: 3000 },
  ])(
    'with interval $interval and leeway $leeway a poll may come after $allowed ms',
    ({ allowed, ...pace }) => {
      const grant = run(issue(pace), poll(0))
      expect(run(grant, poll(allowed - 1)).state).toBe('slowed')
      expect(run(grant, poll(allowed)).state).toBe('pending')
    },
  )
})

describe('issuing', () => {
  test('the poll that finds the approval takes a claim of ten seconds', () => {
    const grant = run(issue(), approve(0), poll(1000, 'a'))
    expect(grant).toMatchObject({ user: 'octocat', claim: { id: 'a', until: T + 11_000 } })
    expect(run(grant, poll(10_999, 'b')).claim).toEqual({ id: 'a', until: T + 11_000 })
    expect(run(grant, poll(11_000, 'b')).claim).toEqual({ id: 'b', until: T + 21_000 })
  })

  test('a claim that another poll has taken over is lost', () => {
    const grant = run(issue(), approve(0), poll(0, 'a'), poll(10_000, 'b'))
    expect(run(grant, issued(10_001, 'a'))).toEqual(grant)
    expect(run(grant, notIssued(10_001, 'a'))).toEqual(grant)
    expect(run(grant, issued(10_001, 'b'))).toMatchObject({ state: 'authorized', claim: null })
  })

  test('an expired claim that no other poll has taken over is still valid', () => {
    expect(run(issue(), approve(0), poll(0), issued(60_000)).state).toBe('authorized')
  })

  test('an approval is kept when the token could not be made', () => {
    const grant = run(issue(), approve(0), poll(0, 'a'), notIssued(1, 'a'))
    expect(grant).toMatchObject({ state: 'approved', user: 'octocat', claim: null })
    expect(run(grant, poll(2, 'b'), issued(3, 'b')).state).toBe('authorized')
  })
})

describe('delivering again', () => {
  test.each([
    { interval: 5, window: 60 },
    { interval: 10, window: 60 },
    { interval: 11, window: 63 },
    { interval: 20, window: 90 },
    { interval: 200, window: 600 },
  ])('with an interval of $interval s, the token is kept for $window s', ({ interval, window }) => {
    const at = 1000
    const grant = run(issue({ interval }), approve(0), poll(1), issued(at))
    expect(grant.delivery).toEqual({ until: T + at + window * 1000, sealed })
    expect(run(grant, poll(at + window * 1000 - 1))).toEqual(grant)
    expect(run(grant, poll(at + window * 1000))).toEqual({ ...grant, delivery: null })
  })

  test('the window counts by the interval that has grown', () => {
    const grant = run(issue(), poll(0), poll(1), poll(2), approve(3), poll(4), issued(5))
    expect(grant).toMatchObject({ interval: 15, delivery: { until: T + 5 + 75_000 } })
  })

  test('the window may last longer than the codes', () => {
    const grant = run(issue(), approve(0), poll(LIFETIME - 1), issued(LIFETIME))
    expect(run(grant, poll(LIFETIME + 59_999))).toEqual(grant)
  })
})

test('every state that a grant is in says whether it is decided', () => {
  for (const { state, ...context } of Object.values(samples))
    expect(deviceGrant.resolveState({ value: grantValue(state), context }).tags.size).toBe(1)
})
