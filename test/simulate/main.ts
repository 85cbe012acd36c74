import { mix } from './choices.ts'
import { PROFILES, type Profile } from './profiles.ts'
import { Report } from './report.ts'
import { enter, replaceGlobals } from './runtime.ts'
import { World } from './world.ts'

/** The options of the command line. */
interface Options {
  readonly seed: string
  readonly logins: string
  readonly profile: string
  readonly trace?: string
  readonly json: boolean
  readonly 'until-caught': boolean
}

/**
 * Runs the simulator. Returns the exit code.
 *
 * @throws `RangeError` for an option with a wrong value.
 */
export async function main({ profile, trace, json, ...options }: Options): Promise<number> {
  if (profile !== 'all' && !Object.hasOwn(PROFILES, profile))
    throw new RangeError(`--profile must be all, or one of ${Object.keys(PROFILES).join(', ')}`)
  const [, traced, login] = /^(\d+):(\d+)$/.exec(trace ?? '') ?? []
  if (trace !== undefined && (login === undefined || profile === 'all'))
    throw new RangeError('--trace must be SEED:LOGIN, two whole numbers, and needs --profile with one name')
  const [seed, logins] = [wholeNumber('--seed', options.seed), wholeNumber('--logins', options.logins)]
  replaceGlobals()
  // What a module draws once, such as its id, is not drawn from the world of a login: that one can be run again alone.
  await run('sessions', 0, 0)
  if (trace !== undefined) return replay(profile, Number(traced), Number(login))
  const names = profile === 'all' ? Object.keys(PROFILES) : [profile]
  const begin = process.cpuUsage()
  const report = new Report(seed)
  const isOver = () => options['until-caught'] && report.violations.length > 0
  for (const name of names)
    for (let first = 0; first < Math.ceil(logins / names.length) && !isOver(); ) {
      const world = await run(name, seed, first)
      report.add(name, world)
      first += world.size
    }
  if (process.getActiveResourcesInfo().includes('Timeout')) throw new Error('the runtime itself has timers')
  const { user, system } = process.cpuUsage(begin)
  report.print((user + system) / 1e6, json)
  return report.violations.length > 0 ? 1 : 0
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new RangeError(`${option} must be a whole number`)
  return Number(text)
}

/** Runs the world of a login again, and prints what both sides saw of that login. */
async function replay(name: string, seed: number, login: number): Promise<number> {
  const { trace, violations } = await run(name, seed, login - (login % profileOf(name).logins), login)
  process.stdout.write(`${trace.join('\n')}\n`)
  return violations.length > 0 ? 1 : 0
}

/** Runs one world until nothing is left to happen. */
async function run(name: string, seed: number, first: number, traced?: number): Promise<World> {
  const world = new World(profileOf(name), first, mix(seed, first), traced)
  enter(world)
  await world.run()
  return world
}

function profileOf(name: string): Profile {
  return PROFILES[name] as Profile
}
