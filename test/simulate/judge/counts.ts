import type { ServiceResponse } from '../../../src/service/http/types.ts'
import { LIMIT } from '../instance.ts'
import { type Exchange, NOBODY } from '../world.ts'
import { LONGEST_REQUEST, TROUBLE } from './judge.ts'
import { Rules } from './rules.ts'

/** What must be counted exactly: within how many milliseconds, for whom, and what they were told. */
interface Counted {
  readonly window: number
  readonly subject: (exchange: Exchange) => string | false | undefined
  readonly told: string
}

const COUNTED: Readonly<Record<string, Counted>> = {
  wrongUserCodes: {
    window: 300_000,
    subject: ({ decision, address }) => address !== undefined && JSON.stringify(decision?.user),
    told: 'unknown',
  },
  wrongUserCodesInNetwork: {
    window: 300_000,
    subject: ({ kind, address }) => kind === 'decision' && address,
    told: 'unknown',
  },
  grantsInNetwork: {
    window: 900_000,
    subject: ({ kind, address, limited }) => (kind === 'codes' || limited?.startsWith('codes')) && address,
    told: '200',
  },
}

/** What must hold of the counts of limited events, and of attackers. */
export class Counts extends Rules {
  /** When attackers were told what, by the limit and whom it is for. */
  readonly #attempts = new Map<string, { readonly at: number; readonly isServed: boolean }[]>()

  /** An attacker was given nothing, and was limited neither too late nor too early. */
  attacked({ limited, isAllowed, arrivedAt }: Exchange, { status, body }: ServiceResponse): void {
    const isGiven = body.includes('"access_token"') || body.includes('"device_code"')
    this.check(isAllowed === true || !isGiven, 'an attacker was given a code or a token', NOBODY)
    const { now, tolerance } = this.world
    if (limited === undefined || status === 503 || this.world.hasHad('command: failover')) return
    const window = LIMIT.window * 1000
    const attempts = this.#attempts.get(limited) ?? []
    this.#attempts.set(limited, attempts)
    attempts.push({ at: now, isServed: status !== 429 })
    // The time windows of two instances may meet within one.
    const served = attempts.filter(({ at, isServed }) => isServed && at > now - window + tolerance)
    this.check(served.length <= 2 * LIMIT.max, 'an attacker was limited too late', NOBODY)
    const since = arrivedAt - window - tolerance - LONGEST_REQUEST
    const sent = [...this.judge.exchanges.values()].filter((each) => each.limited === limited)
    const isTooMuch = sent.filter((each) => each.arrivedAt >= since).length > LIMIT.max
    this.check(status !== 429 || isTooMuch, 'an attacker was limited too early', NOBODY)
  }

  /** Each event of the last time window is counted once, and nothing else is. */
  finish(): void {
    const exchanges = [...this.judge.exchanges.values()]
    for (const { kind, name, versions, undoneAt } of this.world.database.histories.values()) {
      const [limit = ''] = name.split(':', 1)
      const counted = kind === 'limit' ? COUNTED[limit] : undefined
      if (counted === undefined || undoneAt > 0) continue
      const { times = 0 } = (versions.at(-1)?.value ?? {}) as { readonly times?: number }
      // A count that was taken back keeps its time window.
      const counting = versions.findLast(({ value }) => value !== undefined)?.value
      const { until = 0 } = (counting ?? {}) as { readonly until?: number }
      const asked = exchanges.filter((each) => counted.subject(each) === name.slice(limit.length + 1))
      const events = asked.filter(({ told }) => told === counted.told)
      const least = events.filter((each) => each.arrivedAt >= until - counted.window - TROUBLE).length
      const unclear = asked.filter(({ told }) => [undefined, 'unavailable', '503'].includes(told)).length
      const isRight = times >= least && times <= events.length + unclear
      this.check(isRight, `a count of ${limit} stands at ${times} after ${least}`, NOBODY)
    }
  }
}
