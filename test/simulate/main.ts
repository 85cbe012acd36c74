import { parseArgs } from 'node:util'
import { mix } from './choices.ts'
import { flood } from './flood.ts'
import { startInstance } from './instance.ts'
import { Login } from './login.ts'
import { PROFILES, type Profile } from './profiles.ts'
import { Report } from './report.ts'
import { enter, replaceGlobals } from './runtime.ts'
import { SessionWorld } from './sessions/session-world.ts'
import { World } from './world.ts'

/**
 * Simulates logins under faults: `--seed N --logins N --profile NAME`, `--trace SEED:LOGIN --profile NAME` to replay one
 * of them, `--json` for programs, `--until-caught` to stop at the first violation.
 */
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

/**
 * Runs a login again, and prints what both sides saw: alone, unless what went wrong needs the other logins of its world.
 */
async function replay(traced: string): Promise<number> {
  const [seed = Number.NaN, login = Number.NaN] = traced.split(':').map(Number)
  if (!Number.isInteger(seed) || !Number.isInteger(login) || values.profile === 'all')
    throw new Error('give --trace SEED:LOGIN and --profile NAME')
  const first = login - (login % profileOf(values.profile).logins)
  const world = await run(values.profile, seed, first, { login })
  const alone = await run(values.profile, seed, first, { login, isAlone: true })
  const { trace, violations } = wrongWith(login, alone) === wrongWith(login, world) ? alone : world
  process.stdout.write(`${trace.join('\n')}\n`)
  return violations.length > 0 ? 1 : 0
}

function wrongWith(traced: number, { violations }: World): string {
  return violations
    .filter(({ login }) => login === traced)
    .map(({ what }) => what)
    .join()
}

/** Which login of a world is traced. */
interface Traced {
  readonly login: number
  readonly isAlone?: boolean
}

/** Runs one world: all logins of it, or one alone, until nothing is left to happen. */
async function run(name: string, seed: number, first: number, traced?: Traced): Promise<World> {
  const seeds = [mix(seed, first), traced?.login] as const
  const world = name === 'sessions' ? new SessionWorld(first, ...seeds) : new World(profileOf(name), ...seeds)
  enter(world)
  for (let count = 0; count < world.profile.instances; count += 1) startInstance(world)
  if (world instanceof SessionWorld) world.plan()
  else beginLogins(world, first, traced)
  await world.run()
  world.judge.finish()
  return world
}

function beginLogins(world: World, first: number, traced?: Traced): void {
  const { profile } = world
  for (let number = first; number < first + profile.logins; number += 1) {
    if (traced?.isAlone && number !== traced.login) continue
    const login = new Login(world, number)
    world.login = number
    world.after(world.choices.between(0, profile.span, number, 'begins') * 1000, () => login.begin())
  }
  if (!traced?.isAlone) flood(world)
}

function profileOf(name: string): Profile {
  if (!Object.hasOwn(PROFILES, name))
    throw new Error(`there is no profile ${name}: use one of ${Object.keys(PROFILES).join(', ')}`)
  return PROFILES[name as keyof typeof PROFILES]
}
