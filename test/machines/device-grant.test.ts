import { expect, test } from 'vitest'
import { getInitialSnapshot, transition } from 'xstate'
import {
  type DeviceGrantContext,
  type DeviceGrantEvent,
  type DeviceGrantInput,
  deviceGrant,
  grantState,
  grantValue,
} from '../../machines/device-grant.ts'

// Where each event leads is compared by the paths over the service. These are the times that they take from the machine.

const T = Date.UTC(2026, 0, 1)

const input: DeviceGrantInput = {
  client: 'client',
  scope: 'repo',
  interval: 5,
  leeway: 0,
  issuedAt: T,
  expiresAt: T + 900_000,
  firstPoll: 'free',
}

/** Runs events over what a store would hold, which is JSON between any two of them. */
function run(
  changes: Partial<DeviceGrantInput>,
  ...events: DeviceGrantEvent[]
): DeviceGrantContext & { readonly state: string } {
  let snapshot = getInitialSnapshot(deviceGrant, { ...input, ...changes })
  for (const event of events) {
    const { state, context } = JSON.parse(
      JSON.stringify({ state: grantState(snapshot.value), context: snapshot.context }),
    )
    snapshot = transition(
      deviceGrant,
      deviceGrant.resolveState({ value: grantValue(state), context }),
      event,
    )[0]
  }
  return { state: grantState(snapshot.value), ...snapshot.context }
}

const poll = (after: number, claim = 'a') => ({ type: 'poll', at: T + after, claim }) as const
const approve = { type: 'approve', at: T, user: 'octocat' } as const
const sealed = ['nonce', 'text'] as const
const issued = (after: number, claim = 'a') => ({ type: 'issued', at: T + after, claim, sealed }) as const

test('a free first poll is never early, not even by a clock that began at zero', () => {
  const grant = run({ issuedAt: 0, expiresAt: 900_000 }, { type: 'poll', at: 1, claim: 'a' })
  expect(grant.state).toBe('pending')
})

test.each([
  { interval: 5, leeway: null, allowed: 4000 },
  { interval: 60, leeway: null, allowed: 59_000 },
  { interval: 1, leeway: null, allowed: 800 },
  { interval: 5, leeway: 0, allowed: 5000 },
  { interval: 5, leeway: 2, allowed: 3000 },
])('with interval $interval and leeway $leeway a poll may come after $allowed ms', ({ allowed, ...pace }) => {
  expect(run(pace, poll(0), poll(allowed - 1)).state).toBe('slowed')
  expect(run(pace, poll(0), poll(allowed)).state).toBe('pending')
})

test('the poll that finds the approval takes a claim of ten seconds, which ends with its result', () => {
  const claimOf = (...polls: DeviceGrantEvent[]) => run({}, approve, poll(1000), ...polls).claim
  expect(claimOf(poll(10_999, 'b'))).toEqual({ id: 'a', until: T + 11_000 })
  expect(claimOf(poll(11_000, 'b'))).toEqual({ id: 'b', until: T + 21_000 })
  expect(claimOf({ type: 'notIssued', at: T + 2000, claim: 'a' })).toBeNull()
  expect(claimOf(issued(2000))).toBeNull()
})

test.each([
  { interval: 5, window: 60 },
  { interval: 10, window: 60 },
  { interval: 11, window: 63 },
  { interval: 20, window: 90 },
  { interval: 200, window: 600 },
])('with an interval of $interval s, the token is kept for $window s', ({ interval, window }) => {
  const grant = run({ interval }, approve, poll(1), issued(1000))
  expect(grant.delivery).toEqual({ until: T + 1000 + window * 1000, sealed })
})
