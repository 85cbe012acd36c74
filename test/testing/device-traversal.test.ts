import { adjacencyMapToArray, getAdjacencyMap, getShortestPaths } from '@xstate/graph'
import { expect, test } from 'vitest'
import type { AnyTransitionDefinition } from 'xstate'
import { deviceMachine } from '../../src/index.ts'
import { deviceTraversal, type TraversalClock } from '../../src/testing/index.ts'
import { forgottenTransitions } from '../paths/declared-transitions.ts'

/** The transitions that a traversal takes. */
function takenUnder(clock: TraversalClock): AnyTransitionDefinition[] {
  const traversal = deviceTraversal(clock)
  const edges = adjacencyMapToArray(getAdjacencyMap(deviceMachine, traversal))
  return edges.flatMap(({ state, event }) => {
    // Sets the clock by this state.
    traversal.events(state)
    return deviceMachine.getTransitionData(state, event)
  })
}

test('the three clocks together take every transition but that of a defect', () => {
  const taken = new Set([...takenUnder('early'), ...takenUnder('due'), ...takenUnder('late')])
  expect(forgottenTransitions(deviceMachine, taken)).toEqual([
    'deviceAuthorization.polling: xstate.error.actor.pollToken',
  ])
})

test.each([
  ['early', ['requesting', 'waiting', 'failed', 'cancelled']],
  ['due', ['requesting', 'waiting', 'polling', 'authorized', 'denied', 'expired', 'failed', 'cancelled']],
  ['late', ['requesting', 'waiting', 'polling', 'authorized', 'denied', 'expired', 'failed', 'cancelled']],
] as const)('where timers fire %s, the shortest paths reach what they can', (clock, states) => {
  const paths = getShortestPaths(deviceMachine, deviceTraversal(clock))
  const reached = paths.map(({ state: { value } }) => (typeof value === 'string' ? value : 'waiting'))
  expect(new Set(reached)).toEqual(new Set(states))
})

test('an event names its step, and is described without secrets', () => {
  const traversal = deviceTraversal('due')
  const paths = getShortestPaths(deviceMachine, traversal)
  const told = paths.map(({ steps }) => steps.map(({ event }) => traversal.serializeEvent(event)).join(', '))
  expect(told).toContain('xstate.init, requested, polling, slowed by slow_down')
  expect(told.join()).not.toMatch(/sample|\d{10}/)
  const requesting = paths.find(({ state }) => state.value === 'requesting')?.state
  expect(requesting && traversal.events(requesting)).toContainEqual(
    expect.objectContaining({ step: expect.objectContaining({ type: 'codes', result: 'codes' }) }),
  )
})
