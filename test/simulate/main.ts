import { parseArgs } from 'node:util'
import { mix } from './choices.ts'
import { PROFILES, type Profile } from './profiles.ts'
import { enter, replaceGlobals } from './runtime.ts'
import { NOBODY, World } from './world.ts'

const USAGE = `Usage: npm run simulate -- [options]

Simulate logins under faults, and judge each of them.

  --logins <number>     simulate this many (default: 1000)
  --seed <number>       choose the faults (default: 1)
  --profile <name>      use one profile (default: all)
  --trace <seed:login>  print what both sides of one login saw; needs --profile
  --bug <name>          put in one of the bugs that the simulator must find
  --until-caught        stop after the first violation
  --json                print the result as JSON
  --help                show this help
`

const OPTIONS = {
  seed: { type: 'string', default: '1' },
  logins: { type: 'string', default: '1000' },
  profile: { type: 'string', default: 'all' },
  trace: { type: 'string' },
  bug: { type: 'string' },
  json: { type: 'boolean', default: false },
  'until-caught': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Violations that are printed; the others are only counted. */
const PRINTED = 10

/** Runs the command line. Returns its exit code. */
export async function main(): Promise<number> {
  try {
    return await simulate()
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (!(error instanceof RangeError) && !code.startsWith('ERR_PARSE_ARGS')) throw error
    process.stderr.write(`${message}\nSee: npm run simulate -- --help\n`)
    return 2
  }
}

async function simulate(): Promise<number> {
  const { profile, trace, json, help, ...options } = parseArgs({ options: OPTIONS }).values
  if (help) {
    process.stdout.write(USAGE)
    return 0
  }
  if (profile !== 'all' && !Object.hasOwn(PROFILES, profile))
    throw new RangeError(`--profile must be all, or one of ${Object.keys(PROFILES).join(', ')}`)
  const [, traced, login] = /^(\d+):(\d+)$/.exec(trace ?? '') ?? []
  if (trace !== undefined && (login === undefined || profile === 'all'))
    throw new RangeError('--trace must be SEED:LOGIN, two whole numbers, and needs --profile with one name')
  const [seed, logins] = [wholeNumber('--seed', options.seed), wholeNumber('--logins', options.logins)]
  replaceGlobals()
  // What a module draws once, such as its id, is not drawn from the world of a login: that one can be run again alone.
  await run('sessions', 0, 0)
  if (trace !== undefined) {
    const world = await run(profile, Number(traced), Number(login), true)
    process.stdout.write(`${world.trace.join('\n')}\n`)
    return world.violations.length > 0 ? 1 : 0
  }
  const names = profile === 'all' ? Object.keys(PROFILES) : [profile]
  const begin = process.cpuUsage()
  const total = { logins: 0, events: 0, checks: 0, digest: 0 }
  const violations: { readonly profile: string; readonly login: number; readonly what: string }[] = []
  const lines = [`seed ${seed}`]
  const isOver = () => options['until-caught'] && violations.length > 0
  for (const name of names) {
    const counts = new Map<string, number>()
    for (let first = 0; first < Math.ceil(logins / names.length) && !isOver(); ) {
      const world = await run(name, seed, first)
      first += world.size
      total.logins += world.size
      total.events += world.events
      total.checks += world.checks
      total.digest = mix(total.digest, world.digest)
      for (const [what, times] of world.counts) counts.set(what, (counts.get(what) ?? 0) + times)
      for (const violation of world.violations) violations.push({ profile: name, ...violation })
    }
    lines.push('', name, ...[...counts].sort().map(([what, times]) => `${String(times).padStart(8)} ${what}`))
  }
  if (process.getActiveResourcesInfo().includes('Timeout')) throw new Error('the runtime itself has timers')
  const { user, system } = process.cpuUsage(begin)
  const seconds = (user + system) / 1e6
  const digest = (total.digest >>> 0).toString(16).padStart(8, '0')
  for (const { profile: name, login: number, what } of violations.slice(0, PRINTED)) {
    lines.push('', `VIOLATION (${name}): ${what}`)
    const bug = options.bug === undefined ? '' : ` --bug ${options.bug}`
    if (number !== NOBODY)
      lines.push(`  npm run simulate -- --profile ${name} --trace ${seed}:${number}${bug}`)
  }
  lines.push(
    '',
    `${total.logins} logins or refreshes, ${total.events} events, ${total.checks} checks, ${violations.length} violations, ` +
      `digest ${digest}, ${seconds.toFixed(1)} s of CPU time, ${Math.round(total.logins / seconds)} a second`,
  )
  const result = JSON.stringify({ seed, logins: total.logins, digest, violations, seconds })
  process.stdout.write(`${json ? result : lines.join('\n')}\n`)
  return violations.length > 0 ? 1 : 0
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new RangeError(`${option} must be a whole number`)
  return Number(text)
}

/** Runs one world until nothing is left to happen: that of a login which is traced, or the one that begins with a login. */
async function run(name: string, seed: number, login: number, isTraced = false): Promise<World> {
  const profile = PROFILES[name] as Profile
  const first = isTraced ? login - (login % profile.logins) : login
  const world = new World(profile, first, mix(seed, first), isTraced ? login : undefined)
  enter(world)
  await world.run()
  return world
}
