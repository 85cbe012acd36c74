import { expect, test } from 'vitest'
import { getInitialSnapshot, transition } from 'xstate'
import {
  type RefreshFamilyContext,
  type RefreshFamilyEvent,
  refreshFamily,
} from '../../machines/refresh-family.ts'

// Where each event leads, to the millisecond, is compared by the paths over the service. They do not tell how long a
// claim lasts, and have no store that loses a refresh.

const T = Date.UTC(2026, 0, 1)
const INPUT = { client: 'client', user: 'octocat', scope: '', token: 'token-0', expiresAt: T + 86_400_000 }

/** Runs events over what a store would hold, which is JSON between any two of them. */
function run(...events: RefreshFamilyEvent[]): RefreshFamilyContext & { readonly state: string } {
  let snapshot = getInitialSnapshot(refreshFamily, { ...INPUT, reuseWindow: 30 })
  for (const event of events) {
    const { value, context } = JSON.parse(JSON.stringify(snapshot))
    snapshot = transition(refreshFamily, refreshFamily.resolveState({ value, context }), event)[0]
  }
  return { state: snapshot.value, ...snapshot.context }
}

const refresh = (generation: number, after: number, { claim = 'a', token = `token-${generation}` } = {}) =>
  ({ type: 'refresh', at: T + after, claim, token, generation, held: false }) as const
const issued = (generation: number, after: number) =>
  ({ type: 'issued', at: T + after, claim: 'a', token: `token-${generation}` }) as const

const ROTATED = [refresh(0, 1000), issued(1, 2000), refresh(1, 3000), issued(2, 4000)]

test('a refresh claims the family for ten seconds, and replaces its token', () => {
  expect(run(refresh(0, 1000))).toMatchObject({ state: 'issuing', claim: { id: 'a', until: T + 11_000 } })
  const held = run(refresh(0, 1000), refresh(0, 10_999, { claim: 'b' }))
  expect(held.claim).toEqual({ id: 'a', until: T + 11_000 })
  const takenOver = run(refresh(0, 1000), refresh(0, 11_000, { claim: 'b' }))
  expect(takenOver.claim).toEqual({ id: 'b', until: T + 21_000 })
  expect(run(refresh(0, 1000), { type: 'notIssued', at: T + 2000, claim: 'a' })).toEqual(run())
  const { token, ...kept } = INPUT
  const family = { ...kept, reuseWindow: 30, state: 'active', claim: null }
  expect(run()).toEqual({ ...family, generation: 0, newest: token, previous: null, rotatedAt: null })
  const [newest, previous] = ['token-2', 'token-1']
  expect(run(...ROTATED)).toEqual({ ...family, generation: 2, newest, previous, rotatedAt: T + 4000 })
})

test.each([
  ['whose refresh the store has lost', refresh(3, 5000), 'active'],
  ['that was never delivered', refresh(2, 5000, { token: 'dropped' }), 'active'],
  ['that is older', refresh(0, 5000), 'revoked'],
])('a token %s leads to %s', (_, event, state) => {
  const claimed = state === 'active' ? 'issuing' : state
  expect(run(...ROTATED, event).state).toBe(state)
  expect(run(...ROTATED, refresh(2, 4500, { claim: 'b' }), event).state).toBe(claimed)
})
