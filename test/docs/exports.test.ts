import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type AnyStateMachine, createActor, createMachine, SimulatedClock, type StateValue } from 'xstate'
import { MACHINES, WAYS } from '../../docs/tools/make-diagrams.ts'
import { type Machine, readMachine } from '../../docs/tools/read-machine.ts'
import { writeModule } from '../../docs/tools/write-config.ts'

const folder = resolve(import.meta.dirname, '../../docs/machines')

/** Seconds of virtual time after which a run stops. */
const PATIENCE = 60

describe.each(Object.entries(MACHINES))('%s', (file, machine) => {
  const read = readMachine(machine)

  test('has a JSON config that creates the same machine, with numeric delays', () => {
    const exported = readMachine(createMachine(JSON.parse(readExport(`${file}.machine.json`))))
    const waits = exported.transitions.filter(({ trigger }) => trigger.kind === 'after')
    expect(waits.map(({ trigger }) => Number(trigger.name) > 0)).not.toContain(false)
    expect(unnamed(exported)).toEqual(unnamed(read))
  })

  test('has a module that creates the same machine and imports only xstate', async () => {
    const module = readExport(`${file}.stately.js`)
    expect([...module.matchAll(/ from '(.*)'/g)].map(([, name]) => name)).toEqual(['xstate'])
    const { [read.id]: machine } = await import(join(folder, `${file}.stately.js`))
    expect(bare(readMachine(machine))).toEqual(bare(read))
  })
})

/** The events that a user sends. The rest happens without one. */
const SENT: Readonly<Record<string, readonly string[]>> = {
  'device-authorization': [],
  'device-grant': ['poll', 'approve', 'poll', 'issued'],
  session: ['need'],
  'refresh-family': ['refresh', 'issued', 'revoke'],
}

describe.each(
  Object.keys(MACHINES).flatMap((file) => [
    { file, exported: `${file}.stately.js` },
    { file, exported: `${file}.machine.json` },
  ]),
)('the export $exported', ({ file, exported }) => {
  // The state in which the device only decides what to do first is left at once.
  const way = (WAYS[file] ?? []).filter((state) => state !== 'starting')

  /** The exported machine. JSON has no implementations. */
  async function machineOf(): Promise<AnyStateMachine> {
    const [module] = Object.values(await import(join(folder, `${file}.stately.js`))) as AnyStateMachine[]
    if (module === undefined || !exported.endsWith('.json')) return module as AnyStateMachine
    const machine: AnyStateMachine = createMachine(JSON.parse(readExport(exported)))
    return machine.provide({ ...module.implementations, delays: {} })
  }

  test('runs to its goal', async () => {
    const clock = new SimulatedClock()
    const actor = createActor(await machineOf(), { clock })
    const states: string[] = []
    actor.subscribe(({ value }) => states.push(innermost(value)))
    actor.start()
    for (const type of SENT[file] ?? []) {
      await settled()
      actor.send({ type })
    }
    for (let second = 0; second < PATIENCE && actor.getSnapshot().status === 'active'; second += 1) {
      await settled()
      clock.increment(1000)
    }
    expect(states).toEqual(way)
  })
})

const settled = () => new Promise((done) => setImmediate(done))

function innermost(value: StateValue): string {
  return typeof value === 'string' ? value : innermost(Object.values(value)[0] ?? '')
}

test('writeModule throws for a step that has no transition', () => {
  const machine = createMachine({ initial: 'one', states: { one: { on: { go: 'two' } }, two: {} } })
  expect(() => writeModule(machine, ['one', 'two', 'one'])).toThrow('no transition leads from "two" to "one"')
})

function readExport(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

/** A machine without its delay names. */
function unnamed(machine: Machine) {
  const { transitions, ...rest } = bare(machine)
  const isNamed = ({ trigger }: (typeof transitions)[number]) => trigger.kind === 'after'
  return {
    ...rest,
    transitions: transitions.map((transition) =>
      isNamed(transition) ? { ...transition, id: '', trigger: { kind: 'after' } } : transition,
    ),
  }
}

function bare({ id, description, states, transitions }: Machine) {
  return {
    id,
    description,
    states,
    transitions: transitions.map(({ definition: _, ...transition }) => transition),
  }
}
