import type { AnyStateMachine } from 'xstate'
import { readMachine, type State, type Transition } from './read-machine.ts'

/** Milliseconds used for a delay that the machine computes: the interval of most services. */
const COMPUTED = 5_000

/**
 * Writes the config of a machine as JSON for `createMachine` and Stately. Functions are left out. Delays are
 * numbers: without its implementation, a named delay fires at once.
 */
export function writeJson(machine: AnyStateMachine): string {
  const delays = delaysOf(machine)
  const inNumbers = (key: string, value: unknown) =>
    key === 'after'
      ? Object.fromEntries(Object.entries(value as object).map(([name, to]) => [delays[name] ?? name, to]))
      : value
  return `${JSON.stringify(machine.config, inNumbers, 2)}\n`
}

/**
 * Writes a machine as a module that needs nothing but `xstate`: its config as one literal, as Stately's importer reads
 * it, and stand-ins for its implementations.
 *
 * @param way Names of states. The stand-ins for guards hold where a transition leads from one of them to the next.
 * @throws TypeError where no transition does.
 */
export function writeModule(machine: AnyStateMachine, way: readonly string[]): string {
  const { actors, actions } = machine.implementations
  const standIns = {
    actors: Object.keys(actors).map((name) => `${name}: fromPromise(async () => {})`),
    guards: guardsOf(machine, way).map(([name, holds]) => `${name}: () => ${holds}`),
    actions: Object.keys(actions).map((name) => `${name}: () => {}`),
    delays: Object.entries(delaysOf(machine)).map(([name, delay]) => `${name}: ${delay}`),
  }
  const setup = Object.entries(standIns)
    .filter(([, lines]) => lines.length > 0)
    .map(([kind, lines]) => `  ${kind}: {\n${lines.map((line) => `    ${line},\n`).join('')}  },\n`)
  const literal = JSON.stringify(machine.config, null, 2).replaceAll(/^(\s*)"([A-Za-z]\w*)":/gm, '$1$2:')
  return `import { ${standIns.actors.length > 0 ? 'fromPromise, ' : ''}setup } from 'xstate'

// These implementations are stand-ins. They lead through ${way.join(', ')}.
// To take other transitions, change what the guards return.
export const ${machine.id} = setup({
${setup.join('')}}).createMachine(${literal})
`
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
  const { states, transitions } = readMachine(machine)
  const taken = way
    .slice(1)
    .flatMap((to, index) => transitionsBetween(way[index] ?? '', to, states, transitions))
  const holding = new Set(taken.map(({ guard }) => guard))
  return Object.keys(machine.implementations.guards).map((name) => [name, holding.has(name)])
}

/** The transitions from a state or its ancestors to another state or its ancestors. */
function transitionsBetween(
  from: string,
  to: string,
  states: readonly State[],
  transitions: readonly Transition[],
): Transition[] {
  const idOf = (name: string) => states.find((state) => state.name === name)?.id ?? name
  const found = transitions.filter(
    (transition) => isIn(idOf(from), transition.from) && isIn(idOf(to), transition.to),
  )
  if (found.length === 0) throw new TypeError(`no transition leads from "${from}" to "${to}"`)
  return found
}

function isIn(id: string, around: string): boolean {
  return `${id}.`.startsWith(`${around}.`)
}
