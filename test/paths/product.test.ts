import { expect, test } from 'vitest'
import { type Fault, TwoSessions } from './two-sessions.ts'

/** A situation, and how it was reached first. */
interface Reached {
  readonly picks: readonly number[]
  readonly trace: readonly string[]
  readonly faults: readonly Fault[]
}

/** A step to take: the one at the last index of `picks`. */
interface Job {
  readonly from: Reached
  readonly pick: number
}

/** Worlds that are replayed at the same time. */
const AT_ONCE = 200

/** Faults of which two are combined. */
const COMBINED: readonly Fault[] = (process.env.PAIRS ?? 'response lost,no response,killed,stopped for a minute,store failed').split(',') as Fault[]

function isWithinBounds(faults: readonly Fault[], fault: Fault | undefined): boolean {
  if (fault === undefined || faults.length === 0) return true
  return faults.length === 1 && [...faults, fault].every((one) => COMBINED.includes(one))
}

async function explore(reuseWindow: number) {
  const seen = new Set<string>()
  const losses = new Map<string, string>()
  const broken: string[] = []
  let edges = 0
  let jobs: Job[] = []
  let steps = 0

  /** Notes where a world is; returns the steps from there, if it is the first to get there. */
  function arrive(world: TwoSessions, reached: Reached): Job[] {
    broken.push(...world.broken.map((rule) => `${rule}: ${reached.trace.join('; ')}`))
    const name = [world.name, ...reached.faults].join(' | ')
    if (seen.has(name)) return []
    seen.add(name)
    const loss = world.isAtRest ? world.loss : undefined
    const key = reached.faults.join(' + ')
    if (loss && !losses.has(key)) losses.set(key, `${loss}: ${reached.trace.join('; ')}`)
    return world
      .steps()
      .flatMap(({ fault }, pick) => (isWithinBounds(reached.faults, fault) ? [{ from: reached, pick }] : []))
  }

  async function run({ from, pick }: Job): Promise<Job[]> {
    const world = await TwoSessions.begin(reuseWindow)
    for (const earlier of from.picks) await world.take(world.steps()[earlier] as never)
    const step = world.steps()[pick]
    if (step === undefined) throw new Error('the walk is not repeatable')
    await world.take(step)
    steps += from.picks.length + 1
    edges += 1
    const { session, does, fault } = step
    const reached = {
      picks: [...from.picks, pick],
      trace: [...from.trace, `${session} ${does}${fault ? ` [${fault}]` : ''}`],
      faults: fault ? [...from.faults, fault].sort() : from.faults,
    }
    const next = arrive(world, reached)
    world.end()
    return next
  }

  const world = await TwoSessions.begin(reuseWindow)
  jobs = arrive(world, { picks: [], trace: [], faults: [] })
  world.end()
  while (jobs.length > 0) {
    const taken = jobs.slice(0, AT_ONCE)
    const found = await Promise.all(taken.map(run))
    jobs = [...jobs.slice(AT_ONCE), ...found.flat()]
  }
  return { situations: seen.size, edges, losses, broken, steps }
}

test('x', async () => {
  const t0 = performance.now()
  const c0 = process.cpuUsage()
  const { situations, edges, losses, broken, steps } = await explore(Number(process.env.WINDOW ?? 30))
  const c = process.cpuUsage(c0)
  process.stdout.write(`situations ${situations} edges ${edges} steps ${steps} ${Math.round(performance.now() - t0)}ms cpu ${c.user / 1000} broken ${broken.length} ${broken[0]}\n`)
  for (const [k, v] of losses) process.stdout.write(`LOSS ${k}: ${v}\n`)
  expect(1).toBe(1)
})
