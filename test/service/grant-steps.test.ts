import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assign, getInitialSnapshot, setup, transition } from 'xstate'
import { deviceAuthorization } from '../../machines/device-authorization.ts'
import { type DeviceGrantEvent, deviceGrant, grantState, grantValue } from '../../machines/device-grant.ts'
import { createGrantSteps, type Grant } from '../../src/service/grants/grant-steps.ts'
import { createSteps } from '../../src/service/grants/machine-steps.ts'

const input = {
  client: 'client',
  scope: 'repo',
  interval: 5,
  leeway: null,
  issuedAt: 0,
  expiresAt: 60_000,
  firstPoll: 'counted',
} as const

/** Any event at any time, including unexpected ones. */
const anyEvent = fc.record({
  type: fc.constantFrom('poll', 'approve', 'deny', 'issued', 'notIssued'),
  at: fc.nat(70_000),
  claim: fc.constantFrom('a', 'b'),
  user: fc.constant('mona'),
  sealed: fc.constant(['nonce', 'text']),
}) as fc.Arbitrary<DeviceGrantEvent>

test('a grant changes exactly as in XState', () => {
  const { begin, step } = createGrantSteps()
  const first = getInitialSnapshot(deviceGrant, input)
  expect(begin(input)).toEqual({ state: grantState(first.value), ...first.context })
  const seen = new Set<string>()
  fc.assert(
    fc.property(fc.array(anyEvent), (events) => {
      let grant = begin(input)
      for (const event of events) {
        const { state, ...context } = grant
        const [next] = transition(
          deviceGrant,
          deviceGrant.resolveState({ value: grantValue(state), context }),
          event,
        )
        const expected: Grant = { state: grantState(next.value), ...next.context }
        const after = step(grant, event)
        expect(after).toEqual(expected)
        seen.add(after.state)
        grant = after
      }
    }),
    { seed: 1, numRuns: 200 },
  )
  expect(seen).toEqual(
    new Set(['requested', 'slowed', 'pending', 'approved', 'issuing', 'denied', 'authorized', 'expired']),
  )
})

test('a grant that an event does not change is returned unchanged', () => {
  const { begin, step } = createGrantSteps()
  const denied = step(begin(input), { type: 'deny', at: 1 })
  expect(step(denied, { type: 'poll', at: 2, claim: 'a' })).toBe(denied)
  expect(step(denied, { type: 'approve', at: 2, user: 'mona' })).toBe(denied)
})

test('a state comes before the states around it, and assignments follow each other', () => {
  const machine = setup({
    types: {} as { context: { count: number }; events: { type: 'go' }; input: undefined },
    guards: { unused: ({ context }) => context.count === 0 },
    actions: {
      add: assign(({ context }) => ({ count: context.count + 1 })),
      double: assign({ count: ({ context }) => context.count * 2 }),
    },
  }).createMachine({
    context: () => ({ count: 0 }),
    initial: 'inner',
    on: { go: { actions: 'add' } },
    states: { inner: { on: { go: { guard: 'unused', actions: ['add', 'double'] } } } },
  })
  const { begin, step } = createSteps<typeof machine, 'inner'>(machine)
  const once = step(begin(undefined), { type: 'go' })
  expect([once, step(once, { type: 'go' })]).toEqual([
    { state: 'inner', count: 2 },
    { state: 'inner', count: 3 },
  ])
})

test('a machine that needs an actor is refused', () => {
  expect(() => createSteps(deviceAuthorization)).toThrow('run it as an actor')
})
