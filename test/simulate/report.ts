import { mix } from './choices.ts'
import { NOBODY, type Violation, type World } from './world.ts'

/** Violations that are printed; the others are only counted. */
const PRINTED = 10

/** What was run, and what it has shown. */
export class Report {
  readonly violations: (Violation & { readonly profile: string })[] = []
  readonly #seed: number
  readonly #profiles = new Map<string, { unit: string; logins: number; ends: Map<string, number> }>()
  readonly #faults = new Map<string, number>()
  readonly #losses = new Map<string, number>()
  #digest = 0
  #events = 0
  #checks = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  add(profile: string, world: World): void {
    const known = this.#profiles.get(profile) ?? { unit: world.unit, logins: 0, ends: new Map() }
    this.#profiles.set(profile, known)
    known.logins += world.size
    for (const end of world.ends) count(known.ends, end)
    for (const [fault, times] of world.faults) count(this.#faults, fault, times)
    for (const [loss, times] of world.losses) count(this.#losses, `${profile}: ${loss}`, times)
    for (const violation of world.violations) this.violations.push({ profile, ...violation })
    this.#digest = mix(this.#digest, world.digest)
    this.#events += world.events
    this.#checks += world.checks
  }

  print(seconds: number, asJson: boolean): void {
    const logins = [...this.#profiles.values()].reduce((sum, { logins }) => sum + logins, 0)
    const digest = (this.#digest >>> 0).toString(16).padStart(8, '0')
    if (asJson) {
      const { violations } = this
      process.stdout.write(`${JSON.stringify({ seed: this.#seed, logins, digest, violations, seconds })}\n`)
      return
    }
    const lines = [`seed ${this.#seed}`, '']
    for (const [profile, { unit, logins, ends }] of this.#profiles)
      lines.push(`${profile.padEnd(8)} ${String(logins).padStart(9)} ${unit}: ${listed(ends)}`)
    lines.push('', `faults: ${listed(this.#faults)}`, '', `documented losses: ${listed(this.#losses)}`, '')
    for (const { profile, login, what } of this.violations.slice(0, PRINTED)) {
      lines.push(`VIOLATION (${profile}): ${what}`)
      if (login !== NOBODY)
        lines.push(`  npm run simulate -- --profile ${profile} --trace ${this.#seed}:${login}`)
    }
    lines.push(
      `${logins} logins or renewals, ${this.#events} events, ${this.#checks} checks, ${this.violations.length} violations, digest ${digest}, ` +
        `${seconds.toFixed(1)} s of CPU time, ${Math.round(logins / seconds)} a second`,
    )
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
