// @vitest-environment jsdom
import { createBrowserInspector } from '@statelyai/inspect'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMachine } from 'xstate'
import { deviceAuthorization } from '../../src/machines.ts'
import { runInspected } from '../support/inspected-flows.ts'
import { inspectorContract } from '../support/inspector-contract.ts'

const VISUALIZER = 'http://localhost:4000/inspect'

/** An inspector whose visualizer keeps what it is posted: a structured clone, as every window gets. */
async function open() {
  const posted: { readonly type: string; readonly definition?: string }[] = []
  const visualizer = { postMessage: (message: unknown) => posted.push(structuredClone(message) as never) }
  const opened = vi.spyOn(window, 'open').mockReturnValue(visualizer as unknown as Window)
  const { inspect, stop } = createBrowserInspector({ window, url: VISUALIZER })
  expect(opened.mock.calls).toEqual([[VISUALIZER, 'xstateinspector']])
  onTestFinished(() => {
    stop()
    opened.mockRestore()
  })
  return {
    inspect,
    posted,
    connect: () =>
      void window.dispatchEvent(new MessageEvent('message', { data: { type: '@statelyai.connected' } })),
    left: () => posted.map((message) => JSON.stringify(message)),
  }
}

inspectorContract('an inspector in a page', open)

test('the definition that is sent draws the whole machine', async () => {
  const { inspect, connect, posted } = await open()
  connect()
  runInspected(inspect, ['hang'])
  await vi.waitFor(() => expect(posted.length).toBeGreaterThan(0))
  const drawn = createMachine(JSON.parse(posted[0]?.definition ?? ''))
  expect(shapeOf(drawn.root)).toEqual(shapeOf(deviceAuthorization.root))
})

interface StateNode {
  readonly description?: string | undefined
  readonly states: Record<string, StateNode>
  readonly transitions: ReadonlyMap<string, readonly Transition[]>
  readonly always?: readonly Transition[] | undefined
}

interface Transition {
  readonly target?: readonly { readonly id: string }[] | undefined
}

/** Every state below a node: its description, and where its transitions lead. */
function shapeOf({ description, states, transitions, always = [] }: StateNode): object {
  return {
    description,
    transitions: Object.fromEntries([...transitions].map(([event, ways]) => [event, targetsOf(ways)])),
    always: targetsOf(always),
    states: Object.fromEntries(Object.entries(states).map(([key, state]) => [key, shapeOf(state)])),
  }
}

function targetsOf(ways: readonly Transition[]): unknown[] {
  return ways.map(({ target }) => target?.map(({ id }) => id))
}
