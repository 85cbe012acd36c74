import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Fault, TwoSessions, type World } from './two-sessions.ts'

/** How a situation was reached first: the steps by their indexes and in words, and the faults among them. */
interface Reached {
  readonly picks: readonly number[]
  readonly trace: readonly string[]
  readonly faults: readonly Fault[]
}

/** A step that can be taken from a situation. */
interface Edge {
  readonly from: Reached
  readonly pick: number
}

/** Edges that are walked at the same time. */
const AT_ONCE = 40

/** The faults of which two may happen on one path. Of the others, one. */
const COMBINED: readonly Fault[] = ['response lost', 'no response', 'killed', 'suspended for a minute']

const printed: string[] = []

/**
 * Walks everything that two sessions can do with the real code, within the bounds. Each edge is walked from the start,
 * along the shortest way to its situation.
 */
async function walkAll({ combined, ...world }: World & { readonly combined: readonly Fault[] }) {
  const names = new Set<string>()
  const losses = new Map<string, string>()
  const broken: string[] = []
  const found: Edge[] = []
  let walked = 0

  /** Notes a situation, and the edges that leave it. */
  function arrive(sessions: TwoSessions, reached: Reached): void {
    const { faults, trace } = reached
    broken.push(...sessions.broken.map((rule) => `${rule}: ${trace.join(', ')}`))
    const name = [sessions.name, ...faults].join(' | ')
    if (names.has(name)) return
    names.add(name)
    if (sessions.isAtRest && sessions.isHalfLoggedOut && faults.join() === 'logout')
      broken.push(`not revoked: ${trace.join(', ')}`)
    if (sessions.isAtRest && sessions.isLost && !losses.has(faults.join(', ')))
      losses.set(faults.join(', '), trace.join(', '))
    for (const [pick, { fault }] of sessions.steps().entries())
      if (fault === undefined || isWithinBounds([...faults, fault])) found.push({ from: reached, pick })
  }

  const isWithinBounds = (faults: readonly Fault[]) =>
    faults.length === 1 || (faults.length === 2 && faults.every((fault) => combined.includes(fault)))

  async function walk({ from, pick }: Edge) {
    const sessions = await new TwoSessions(world).begin()
    let reached: Reached = { picks: [], trace: [], faults: [] }
    for (const index of [...from.picks, pick]) {
      const step = sessions.steps()[index]
      if (step === undefined) throw new Error(`cannot be repeated: ${from.trace.join(', ')}`)
      await sessions.take(step)
      reached = {
        picks: [...reached.picks, index],
        trace: [...reached.trace, step.told],
        faults: step.fault ? [...reached.faults, step.fault].sort() : reached.faults,
      }
    }
    return { sessions, reached }
  }

  const start = await new TwoSessions(world).begin()
  arrive(start, { picks: [], trace: [], faults: [] })
  start.end()
  while (walked < found.length) {
    const edges = found.slice(walked, walked + AT_ONCE)
    for (const { sessions, reached } of await Promise.all(edges.map(walk))) {
      arrive(sessions, reached)
      sessions.end()
    }
    walked += edges.length
  }
  // Without those of which one fault loses the login alone.
  const isShortest = ([faults]: readonly [string, string]) =>
    ![...losses.keys()].some((other) => other !== faults && faults.split(', ').includes(other))
  return {
    situations: names.size,
    edges: found.length,
    walked,
    broken,
    losses: [...losses].filter(isShortest),
  }
}

const page = readFileSync(resolve(import.meta.dirname, 'LOST-LOGINS.md'), 'utf8')

/** The rows of the table of lost logins for a reuse window. */
function listed(reuseWindow: string): string[] {
  return page.split('\n').filter((line) => line.startsWith(`| ${reuseWindow} `))
}

test.each([
  ['120 seconds', { reuseWindow: 120, areApart: false, combined: COMBINED }],
  ['30 seconds', { reuseWindow: 30, areApart: false, combined: COMBINED }],
  ['none', { reuseWindow: 0, areApart: false, combined: [] }],
  ['120 seconds, several hosts', { reuseWindow: 120, areApart: true, combined: COMBINED }],
  ['30 seconds, several hosts', { reuseWindow: 30, areApart: true, combined: COMBINED }],
  ['none, several hosts', { reuseWindow: 0, areApart: true, combined: [] }],
] as const)(
  'two sessions break no rule, and lose only logins that the page lists (reuse window: %s)',
  async (told, options) => {
    const { situations, edges, walked, broken, losses } = await walkAll(options)
    expect(broken).toEqual([])
    expect(walked).toBe(edges)
    const hasTwo = (row: string) => row.split('|')[2]?.includes(',')
    expect(losses.map(([faults, trace]) => `| ${told} | ${faults} | ${trace} |`)).toEqual(
      listed(told).filter((row) => options.combined.length > 0 || !hasTwo(row)),
    )
    printed.push(`two sessions: ${situations} situations, ${walked} of ${edges} edges (window: ${told})\n`)
  },
)

afterAll(() => {
  process.stdout.write(printed.join(''))
})
