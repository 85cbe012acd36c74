// Simulates an exported machine as Stately's simulators do, which run no actors and let their user choose a transition:
// node test/docs/simulate-exported.js EXPORT STATE...
// Prints the states that were reached, and the shortest delay in milliseconds.
import { readFileSync } from 'node:fs'
import { createMachine, initialTransition, transition } from 'xstate'

const [exported, ...way] = process.argv.slice(2)
const machine = exported.endsWith('.json')
  ? createMachine(JSON.parse(readFileSync(exported, 'utf8')))
  : Object.values(await import(exported))[0]
const simulated = machine.provide({ guards: chosenGuards(machine.root) })
const delays = []
let snapshot = noted(initialTransition(simulated))
const states = [nameOf(snapshot.value)]
for (const state of way.slice(way.indexOf(states[0]) + 1)) {
  const reached = choices(snapshot)
    .map((event) => noted(transition(simulated, snapshot, event)))
    .find(({ value }) => nameOf(value) === state)
  if (reached === undefined) break
  snapshot = reached
  states.push(state)
}
process.stdout.write(JSON.stringify({ states, shortest: Math.min(...delays) }))

/** Guards that hold for the chosen transition; those of eventless transitions hold unless they are used elsewhere. */
function chosenGuards(root) {
  const guards = (transitions) => transitions.flatMap(({ guard }) => guard?.type ?? [])
  const nodes = withChildren(root)
  const chosen = new Set(nodes.flatMap((node) => [...node.transitions.values()].flatMap(guards)))
  const always = nodes.flatMap((node) => guards(node.always ?? []))
  return Object.fromEntries(
    [...chosen, ...always].map((name) => [
      name,
      ({ event }) => event.chosen === name || (event.chosen === undefined && !chosen.has(name)),
    ]),
  )
}

function withChildren(node) {
  return [node, ...Object.values(node.states).flatMap(withChildren)]
}

/** An event for each transition of the active states. */
function choices({ _nodes }) {
  return _nodes.flatMap(({ transitions }) =>
    [...transitions.values()].flat().map(({ eventType: type, guard }) => ({ type, chosen: guard?.type })),
  )
}

/** Keeps the delays of the timers that a transition starts. */
function noted([next, actions]) {
  for (const { type, params } of actions) if (type === 'xstate.raise') delays.push(params.delay ?? 0)
  return next
}

/** The innermost state name. */
function nameOf(value) {
  return typeof value === 'string' ? value : nameOf(Object.values(value)[0])
}
