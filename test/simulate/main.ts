import { parseArgs } from 'node:util'
import { mix } from './choices.ts'
import { PROFILES, type Profile } from './profiles.ts'
import { Report } from './report.ts'
import { enter, replaceGlobals } from './runtime.ts'
import { SessionWorld } from './sessions/session-world.ts'
import { World } from './world.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    logins: { type: 'string', default: '1000' },
    profile: { type: 'string', default: 'all' },
    trace: { type: 'string' },
    json: { type: 'boolean', default: false },
    'until-caught': { type: 'boolean', default: false },
  },
})

replaceGlobals()
process.exitCode = values.trace === undefined ? await simulate() : await replay(values.trace)

async function simulate(): Promise<number> {
  const names = values.profile === 'all' ? Object.keys(PROFILES) : [values.profile]
  const begin = process.cpuUsage()
  const report = new Report(Number(values.seed))
  const share = Math.ceil(Number(values.logins) / names.length)
  for (const name of names) {
    for (let first = 0; first < share; ) {
      const world = await run(name, Number(values.seed), first)
      report.add(name, world)
      first += world.size
      if (values['until-caught'] && report.violations.length > 0) break
    }
  }
  const real = process.getActiveResourcesInfo().filter((name) => name === 'Timeout')
  if (real.length > 0) throw new Error('the runtime itself has timers')
  report.checkBudget()
  const { user, system } = process.cpuUsage(begin)
  report.print((user + system) / 1e6, values.json)
  return report.violations.length > 0 ? 1 : 0
}

/** Runs the world of a login again, and prints what both sides saw of that login. */
async function replay(traced: string): Promise<number> {
  const [seed = Number.NaN, login = Number.NaN] = traced.split(':').map(Number)
  if (!Number.isInteger(seed) || !Number.isInteger(login) || values.profile === 'all')
    throw new Error('give --trace SEED:LOGIN and --profile NAME')
  const first = login - (login % profileOf(values.profile).logins)
  const { trace, violations } = await run(values.profile, seed, first, login)
  process.stdout.write(`${trace.join('\n')}\n`)
  return violations.length > 0 ? 1 : 0
}

/** Runs one world until nothing is left to happen. */
async function run(name: string, seed: number, first: number, traced?: number): Promise<World> {
  const profile = profileOf(name)
  const kind = name === 'sessions' ? SessionWorld : World
  const world = new kind(profile, first, mix(seed, first), traced)
  enter(world)
  await world.run()
  return world
}

function profileOf(name: string): Profile {
  if (!Object.hasOwn(PROFILES, name))
    throw new Error(`there is no profile ${name}: use one of ${Object.keys(PROFILES).join(', ')}`)
  return PROFILES[name as keyof typeof PROFILES]
}
