import { mix } from './choices.ts'
import { NOBODY, type Violation, type World } from './world.ts'

/** Violations that are printed; the others are only counted. */
const PRINTED = 10

/** What was run, and what it has shown. */
export class Report {
  readonly violations: (Violation & { readonly profile: string })[] = []
  readonly #seed: number
  readonly #ends = new Map<string, Map<string, number>>()
  readonly #faults = new Map<string, number>()
  readonly #losses = new Map<string, number>()
  #logins = 0
  #digest = 0
  #events = 0
  #checks = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  add(profile: string, world: World): void {
    const ends = this.#ends.get(profile) ?? new Map()
    this.#ends.set(profile, ends)
    for (const end of world.ends) count(ends, end)
    for (const [fault, times] of world.faults) count(this.#faults, fault, times)
    for (const [loss, times] of world.losses) count(this.#losses, `${profile}: ${loss}`, times)
    for (const violation of world.violations) this.violations.push({ profile, ...violation })
    this.#logins += world.size
    this.#digest = mix(this.#digest, world.digest)
    this.#events += world.events
    this.#checks += world.checks
  }

  print(seconds: number, asJson: boolean): void {
    const { violations } = this
    const [seed, logins] = [this.#seed, this.#logins]
    const digest = (this.#digest >>> 0).toString(16).padStart(8, '0')
    if (asJson) {
      process.stdout.write(`${JSON.stringify({ seed, logins, digest, violations, seconds })}\n`)
      return
    }
    const shown = violations.slice(0, PRINTED).flatMap(({ profile, login, what }) => {
      const replay = `  npm run simulate -- --profile ${profile} --trace ${seed}:${login}`
      return [`VIOLATION (${profile}): ${what}`, ...(login === NOBODY ? [] : [replay])]
    })
    const lines = [
      `seed ${seed}\n`,
      ...[...this.#ends].map(([profile, ends]) => `${profile.padEnd(8)} ${listed(ends)}`),
      `\nfaults: ${listed(this.#faults)}\n\ndocumented losses: ${listed(this.#losses)}\n`,
      ...shown,
      `${logins} logins or refreshes, ${this.#events} events, ${this.#checks} checks, ${violations.length} violations, digest ${digest}, ` +
        `${seconds.toFixed(1)} s of CPU time, ${Math.round(logins / seconds)} a second`,
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
  }
}

function count(counts: Map<string, number>, what: string, times = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + times)
}

function listed(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([left], [right]) => left.localeCompare(right))
  return sorted.map(([what, times]) => `${what} ${times}`).join(', ') || 'none'
}
