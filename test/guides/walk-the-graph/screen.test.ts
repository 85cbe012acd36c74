import { createTestModel, getShortestPaths, TestModel } from '@xstate/graph'
import { type DeviceSnapshot, deviceMachine, viewOf } from 'authgraph'
import { type DeviceTraversal, deviceTraversal } from 'authgraph/testing'
import { expect, test } from 'vitest'
import { screenOf } from './screen.js'

/** What must be true of the screen, on every path. */
function check(state: DeviceSnapshot, { input }: DeviceTraversal) {
  const view = viewOf(state, input.clock.now())
  const screen = screenOf(view)
  expect(screen).toContain(
    view.status === 'authorized' ? 'Welcome!' : view.text,
  )
  if (view.activity === undefined) expect(screen).not.toContain('[Cancel]')
  if (state.matches('waiting')) expect(screen).toContain('Enter ABCD-EFGH')
}

test.each(['early', 'due', 'late'] as const)(
  'every shortest path, if timers fire %s',
  (clock) => {
    const options = deviceTraversal(clock)
    for (const { steps } of getShortestPaths(deviceMachine, options))
      for (const { state } of steps) check(state, options)
  },
)

test('a test model is created with "new"', async () => {
  expect(() => createTestModel(deviceMachine)).toThrow(
    'Invocations on test machines are not supported',
  )
  const options = deviceTraversal('due')
  for (const path of new TestModel(deviceMachine, options).getShortestPaths())
    await path.test({ states: { '*': (state) => check(state, options) } })
})
