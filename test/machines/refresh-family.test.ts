import { describe, expect, test } from 'vitest'
import { getInitialSnapshot, transition } from 'xstate'
import {
  type RefreshFamilyContext,
  type RefreshFamilyEvent,
  type RefreshFamilyInput,
  type RefreshFamilyState,
  refreshFamily,
} from '../../machines/refresh-family.ts'

const T = Date.UTC(2026, 0, 1)
const LIFETIME = 86_100_000
const WINDOW = 30_000
const CLAIM_TIME = 10_000

const input: RefreshFamilyInput = {
  client: 'client',
  user: 'octocat',
  scope: 'repo',
  token: 'token-0',
  expiresAt: T + LIFETIME,
  reuseWindow: WINDOW / 1000,
}

interface Stored extends RefreshFamilyContext {
  readonly state: RefreshFamilyState
}

function begin(overrides: Partial<RefreshFamilyInput> = {}): Stored {
  const { value, context } = getInitialSnapshot(refreshFamily, { ...input, ...overrides })
  return { state: value, ...context }
}

/** Runs events over what a store would hold, which is JSON between any two of them. */
function run(start: Stored, ...events: RefreshFamilyEvent[]): Stored {
  return events.reduce((family, event) => {
    const { state, ...context } = JSON.parse(JSON.stringify(family)) as Stored
    const [next] = transition(refreshFamily, refreshFamily.resolveState({ value: state, context }), event)
    return { state: next.value, ...next.context }
  }, start)
}

const refresh = (
  generation: number,
  after: number,
  { claim = 'a', held = false, token = `token-${generation}` } = {},
) => ({ type: 'refresh', at: T + after, claim, token, generation, held }) as const
const issued = (generation: number, after: number, claim = 'a') =>
  ({ type: 'issued', at: T + after, claim, token: `token-${generation}` }) as const
const notIssued = (after: number, claim = 'a') => ({ type: 'notIssued', at: T + after, claim }) as const
const revoke = (after: number) => ({ type: 'revoke', at: T + after }) as const

/** Refreshed three times: at 1, 2 and 3 seconds. */
const rotated = [1, 2, 3].reduce(
  (family, generation) =>
    run(family, refresh(generation - 1, generation * 1000), issued(generation, generation * 1000)),
  begin(),
)
const ROTATED = 3000

/** One family in each state, all of generation 3. */
const samples = {
  active: rotated,
  issuing: run(rotated, refresh(3, ROTATED)),
  revoked: run(rotated, revoke(ROTATED)),
  expired: run(rotated, refresh(3, LIFETIME)),
} satisfies Record<RefreshFamilyState, Stored>

test.each(Object.entries(samples))('a sample of %s is in that state', (state, family) => {
  expect(family).toMatchObject({ state, generation: 3, newest: 'token-3', previous: 'token-2' })
})

/** What may happen to a family of generation 3 that was rotated at 3 seconds, and in which another request may issue. */
const situations = {
  'the newest token': refresh(3, ROTATED + 1, { claim: 'b' }),
  'the newest token after the claim': refresh(3, ROTATED + CLAIM_TIME, { claim: 'b' }),
  'the newest token at the end of the lifetime': refresh(3, LIFETIME, { claim: 'b' }),
  'the previous token in the last millisecond of the window': refresh(2, ROTATED + WINDOW - 1),
  'the previous token after the window': refresh(2, ROTATED + WINDOW),
  'the previous token after the window, held before': refresh(2, ROTATED + WINDOW, { held: true }),
  'an older token': refresh(1, ROTATED + 1),
  'an older token, held before': refresh(1, ROTATED + 1, { held: true }),
  'a token of a refresh that the store has lost': refresh(4, ROTATED + 1),
  'a token that was never delivered': refresh(3, ROTATED + 1, { token: 'dropped' }),
  'the pair of the holder': issued(4, ROTATED + 1),
  'the pair of another request': issued(4, ROTATED + 1, 'b'),
  'no pair of the holder': notIssued(ROTATED + 1),
  'no pair of another request': notIssued(ROTATED + 1, 'b'),
  'a revocation': revoke(ROTATED + 1),
}

/** Where each leads, and what changes. An empty object: nothing does. */
const EDGES: Record<keyof typeof situations, Record<'active' | 'issuing', Partial<Stored>>> = {
  'the newest token': {
    active: { state: 'issuing', claim: { id: 'b', until: T + ROTATED + 1 + CLAIM_TIME } },
    issuing: {},
  },
  'the newest token after the claim': {
    active: { state: 'issuing', claim: { id: 'b', until: T + ROTATED + 2 * CLAIM_TIME } },
    issuing: { claim: { id: 'b', until: T + ROTATED + 2 * CLAIM_TIME } },
  },
  'the newest token at the end of the lifetime': {
    active: { state: 'expired' },
    issuing: { state: 'expired' },
  },
  'the previous token in the last millisecond of the window': { active: {}, issuing: {} },
  'the previous token after the window': { active: { state: 'revoked' }, issuing: { state: 'revoked' } },
  'the previous token after the window, held before': { active: {}, issuing: {} },
  'an older token': { active: { state: 'revoked' }, issuing: { state: 'revoked' } },
  'an older token, held before': { active: {}, issuing: {} },
  'a token of a refresh that the store has lost': { active: {}, issuing: {} },
  'a token that was never delivered': { active: {}, issuing: {} },
  'the pair of the holder': {
    active: {},
    issuing: {
      state: 'active',
      generation: 4,
      newest: 'token-4',
      previous: 'token-3',
      rotatedAt: T + ROTATED + 1,
      claim: null,
    },
  },
  'the pair of another request': { active: {}, issuing: {} },
  'no pair of the holder': { active: {}, issuing: { state: 'active', claim: null } },
  'no pair of another request': { active: {}, issuing: {} },
  'a revocation': { active: { state: 'revoked' }, issuing: { state: 'revoked' } },
}

const edges = Object.entries(EDGES).flatMap(([situation, from]) =>
  Object.entries(from).map(([state, change]) => ({ state, situation, change })),
) as { state: 'active' | 'issuing'; situation: keyof typeof situations; change: Partial<Stored> }[]

test.each(edges)('$state, $situation: $change', ({ state, situation, change }) => {
  expect(run(samples[state], situations[situation])).toEqual({ ...samples[state], ...change })
})

test.each(Object.keys(situations) as (keyof typeof situations)[])(
  '%s changes nothing after the end',
  (situation) => {
    expect(run(samples.revoked, situations[situation])).toEqual(samples.revoked)
    expect(run(samples.expired, situations[situation])).toEqual(samples.expired)
  },
)

describe('the first token', () => {
  test('has no predecessor', () => {
    expect(begin()).toEqual({
      state: 'active',
      client: 'client',
      user: 'octocat',
      scope: 'repo',
      expiresAt: T + LIFETIME,
      reuseWindow: 30,
      generation: 0,
      newest: 'token-0',
      previous: null,
      rotatedAt: null,
      claim: null,
    })
  })

  test('is the previous one after a refresh', () => {
    const family = run(begin(), refresh(0, 0), issued(1, 5))
    expect(run(family, refresh(0, WINDOW + 4))).toEqual(family)
    expect(run(family, refresh(0, WINDOW + 5)).state).toBe('revoked')
  })
})

describe('without a reuse window', () => {
  const family = run(begin({ reuseWindow: 0 }), refresh(0, 0), issued(1, 0))

  test('a token that comes again at once revokes the family', () => {
    expect(run(family, refresh(0, 0)).state).toBe('revoked')
  })

  test('a request that was held gets the successor', () => {
    expect(run(family, refresh(0, 0, { held: true }))).toEqual(family)
  })
})

describe('issuing', () => {
  test('a late pair counts if no other request has taken the claim', () => {
    const family = run(begin(), refresh(0, 0), issued(1, 60_000))
    expect(family).toMatchObject({ state: 'active', generation: 1, rotatedAt: T + 60_000 })
  })

  test('the lifetime may end while the pair is issued', () => {
    const family = run(begin(), refresh(0, LIFETIME - 1), issued(1, LIFETIME))
    expect(family).toMatchObject({ state: 'active', generation: 1 })
    expect(run(family, refresh(1, LIFETIME)).state).toBe('expired')
  })
})
