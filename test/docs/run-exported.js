// Runs an exported machine in virtual time and prints the states it enters:
// node test/docs/run-exported.js EXPORT MODULE [EVENT...]
import { readFileSync } from 'node:fs'
import { createActor, createMachine, SimulatedClock } from 'xstate'

/** Seconds of virtual time after which the run stops. */
const PATIENCE = 60

const [exported, module, ...events] = process.argv.slice(2)
const [machine] = Object.values(await import(module))
const run = exported.endsWith('.json')
  ? createMachine(JSON.parse(readFileSync(exported, 'utf8')), { ...machine.implementations, delays: {} })
  : machine
const clock = new SimulatedClock()
const actor = createActor(run, { clock })
const states = []
actor.subscribe(({ value }) => states.push(nameOf(value)))
actor.start()
for (const type of events) {
  await new Promise((settled) => setImmediate(settled))
  actor.send({ type })
}
for (let second = 0; second < PATIENCE && actor.getSnapshot().status === 'active'; second += 1) {
  await new Promise((settled) => setImmediate(settled))
  clock.increment(1000)
}
process.stdout.write(JSON.stringify(states))

/** The innermost state name. */
function nameOf(value) {
  return typeof value === 'string' ? value : nameOf(Object.values(value)[0])
}
