import { describe, expect, test, vi } from 'vitest'
import { createActor, createMachine, type InspectionEvent, type Observer } from 'xstate'
import { inspectedFlows, leftBehind, runInspected, secretsIn, UNWRAPPED } from './inspected-flows.ts'

interface Inspected {
  readonly inspect: Observer<InspectionEvent>
  /** Connects the inspector, which buffers events until then. */
  readonly connect: () => void
  /** Everything that the inspector has sent, as texts. */
  readonly left: () => string[]
}

/** The contract of every way to inspect a login. `open` creates an inspector that is not connected yet. */
export function inspectorContract(name: string, open: () => Promise<Inspected>): void {
  const whole = inspectedFlows['every response up to the token']?.script ?? []
  const denied = inspectedFlows['a denial']?.script ?? []

  describe(`${name} is sent no secret`, () => {
    test.each(Object.entries(inspectedFlows))('of %s', async (_, { script, status, shows }) => {
      const { inspect, connect, left } = await open()
      const text = () => left().join('\n')
      const flow = runInspected(inspect, script)
      await flow.time.settle()
      connect()
      expect(await flow.toEnd()).toBe(status)
      await vi.waitFor(() => expect(text()).toContain(`"status":"${status}"`))
      for (const shown of shows) expect(text()).toContain(shown)
      expect(secretsIn(text())).toEqual([])
    })

    test('of events that were buffered until it connected at the end', async () => {
      const { inspect, connect, left } = await open()
      await runInspected(inspect, whole).toEnd()
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(left()).toEqual([])
      connect()
      await vi.waitFor(() => expect(left().join('\n')).toContain('"status":"authorized"'))
      expect(left().length).toBeGreaterThan(50)
      expect(secretsIn(left().join('\n'))).toEqual([])
    })

    test('of a cancelled login and of a resumed login', async () => {
      const { inspect, connect, left } = await open()
      connect()
      runInspected(inspect, ['hang']).actor.send({ type: 'cancel' })
      const resume = await leftBehind()
      expect(await runInspected(inspect, denied.slice(1), { resume }).toEnd()).toBe('denied')
      const text = () => left().join('\n')
      await vi.waitFor(() => expect(text()).toContain('"status":"denied"'))
      expect(text()).toContain('"status":"cancelled"')
      expect(secretsIn(text())).toEqual([])
    })

    test('although it shows a secret that is not wrapped', async () => {
      const { inspect, connect, left } = await open()
      connect()
      createActor(createMachine({ id: 'plain', context: { clientId: UNWRAPPED } }), { inspect }).start()
      await vi.waitFor(() => expect(secretsIn(left().join('\n'))).not.toEqual([]))
    })
  })
}
