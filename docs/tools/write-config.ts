import type { AnyStateMachine } from 'xstate'
import { alongWay } from './along-way.ts'
import { readMachine } from './read-machine.ts'

/** Milliseconds used for a delay that the machine computes: the interval of most services. */
const COMPUTED = 5_000

/** Characters of the longest line, without its indentation. */
const LONGEST_LINE = 124

/** Keys of a config that hold one transition or several, and those that hold actions. */
const TRANSITIONS = ['always', 'onDone', 'onError', 'onSnapshot']
const ACTIONS = ['actions', 'entry', 'exit']

/**
 * Writes the config of a machine as JSON for `createMachine` and Stately. Functions are left out. Delays are
 * numbers: without its implementation, a named delay fires at once.
 */
export function writeJson(machine: AnyStateMachine): string {
  return `${JSON.stringify(spelledOut(machine, delaysOf(machine)), null, 2)}\n`
}

/**
 * Writes a machine as a module that needs nothing but `xstate`: its config as one literal, as Stately's importer reads
 * it, and stand-ins for its implementations. An action without one does nothing.
 *
 * @param way Names of states. The stand-ins for guards hold where a transition leads from one of them to the next.
 * @throws TypeError where no transition does.
 */
export function writeModule(machine: AnyStateMachine, way: readonly string[]): string {
  const standIns = {
    actors: Object.keys(machine.implementations.actors).map((name) => `${name}: fromPromise(async () => {})`),
    guards: guardsOf(machine, way).map(([name, holds]) => `${name}: () => ${holds}`),
    delays: Object.entries(delaysOf(machine)).map(([name, delay]) => `${name}: ${delay}`),
  }
  const setup = Object.entries(standIns)
    .filter(([, lines]) => lines.length > 0)
    .map(([kind, lines]) => `  ${kind}: {\n${lines.map((line) => `    ${line},\n`).join('')}  },\n`)
  return `import { ${standIns.actors.length > 0 ? 'fromPromise, ' : ''}setup } from 'xstate'

// These implementations are stand-ins. They lead through ${way.join(', ')}.
// To take other transitions, change what the guards return.
export const ${machine.id} = setup({
${setup.join('')}}).createMachine(${literalOf(spelledOut(machine, {}))})
`
}

/** The config with every shorthand written out, because not every tool reads all of them. */
function spelledOut({ config }: AnyStateMachine, delays: Readonly<Record<string, number>>): object {
  const transitions = (value: object) =>
    Object.entries(value).map(([name, to]) => [delays[name] ?? name, withKey(to, 'target')])
  const written = (key: string, value: unknown) => {
    if (key === 'on' || key === 'after') return Object.fromEntries(transitions(value as object))
    if (key === 'tags') return [value].flat()
    if (key === 'guard') return withKey(value, 'type')
    if (ACTIONS.includes(key)) return [value].flat().map((action) => withKey(action, 'type'))
    return TRANSITIONS.includes(key) ? withKey(value, 'target') : value
  }
  return JSON.parse(JSON.stringify(config, written))
}

/** Writes a value of JSON as a literal, with one line for each transition. */
function literalOf(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const [open, close, space] = isList ? ['[', ']', ''] : ['{', '}', ' ']
  const members = (inner: string) =>
    Object.entries(value).map(([name, member]) =>
      isList ? literalOf(member, inner) : `${propertyOf(name)}: ${literalOf(member, inner)}`,
    )
  const line = `${open}${space}${members('').join(', ')}${space}${close}`
  if (!('states' in value || ('description' in value && 'tags' in value)) && line.length < LONGEST_LINE)
    return line
  const inner = `${indent}  `
  return `${open}\n${members(inner)
    .map((member) => `${inner}${member},\n`)
    .join('')}${indent}${close}`
}

function propertyOf(name: string): string {
  return /^[A-Za-z]\w*$/.test(name) ? name : JSON.stringify(name)
}

/** Writes a name as an object, alone or in a list. */
function withKey(value: unknown, key: 'target' | 'type'): unknown {
  if (Array.isArray(value)) return value.map((one) => withKey(one, key))
  return typeof value === 'string' ? { [key]: value } : value
}

/** Named delays in milliseconds. */
function delaysOf({ implementations }: AnyStateMachine): Record<string, number> {
  return Object.fromEntries(
    Object.entries(implementations.delays).map(([name, delay]) => [
      name,
      typeof delay === 'number' ? delay : COMPUTED,
    ]),
  )
}

/** The guards, and whether each holds on this path. */
function guardsOf(machine: AnyStateMachine, way: readonly string[]): [string, boolean][] {
  const holding = new Set([...alongWay(way, readMachine(machine))].map(({ guard }) => guard))
  return Object.keys(machine.implementations.guards).map((name) => [name, holding.has(name)])
}
