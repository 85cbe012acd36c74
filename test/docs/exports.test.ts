import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createMachine } from 'xstate'
import { MACHINES, WAYS } from '../../docs/tools/make-diagrams.ts'
import { type Machine, readMachine } from '../../docs/tools/read-machine.ts'
import { writeModule } from '../../docs/tools/write-config.ts'

const folder = resolve(import.meta.dirname, '../../docs/machines')

/** Milliseconds for an exported machine to finish in its own process. */
const TIME_LIMIT = 20_000

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
  const way = WAYS[file] ?? []

  test('runs to its goal within the time limit', async () => {
    const states = await runExport('run-exported.js', join(folder, exported), [
      join(folder, `${file}.stately.js`),
      ...(SENT[file] ?? []),
    ])
    // The state in which the device only decides what to do first is left at once.
    expect(states).toEqual(way.filter((state) => state !== 'starting'))
  })

  test('reaches its goal in a simulator, and starts no timer that fires at once', async () => {
    const { states, shortest } = (await runExport('simulate-exported.js', join(folder, exported), way)) as {
      readonly states: readonly string[]
      readonly shortest: number | null
    }
    expect(states).toEqual(way.filter((state) => state !== 'starting'))
    expect(shortest ?? Number.POSITIVE_INFINITY).toBeGreaterThan(1000)
  })
})

/** Runs in its own process, because a machine that loops forever would block the tests. */
async function runExport(program: string, exported: string, rest: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, program), exported, ...rest],
    { timeout: TIME_LIMIT },
  )
  return JSON.parse(stdout)
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
