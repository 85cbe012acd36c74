import type { ServiceResponse } from '../../../src/service/http/types.ts'
import type { History } from '../database.ts'
import { LIMIT } from '../instance.ts'
import { type Exchange, NOBODY } from '../world.ts'
import { LONGEST_REQUEST, TROUBLE } from './judge.ts'
import { Rules } from './rules.ts'

/** What is counted, for whom, and within how many milliseconds. */
interface Counted {
  readonly window: number
  readonly isOf: (exchange: Exchange, subject: string) => boolean
  /** What whoever is counted was told. */
  readonly told: string
}

/** What must be counted exactly, by the limit. */
const COUNTED: Readonly<Record<string, Counted>> = {
  wrongUserCodes: {
    window: 300_000,
    isOf: ({ decision, address }, subject) =>
      address !== undefined && JSON.stringify(decision?.user) === subject,
    told: 'unknown',
  },
  wrongUserCodesInNetwork: {
    window: 300_000,
    isOf: ({ kind, address }, subject) => kind === 'decision' && address === subject,
    told: 'unknown',
  },
  grantsInNetwork: {
    window: 900_000,
    isOf: ({ kind, address, limited = '' }, subject) =>
      address === subject && (kind === 'codes' || limited.startsWith('codesRequests')),
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
    for (const history of this.world.database.histories.values()) {
      const [limit = ''] = history.name.split(':', 1)
      const counted = history.kind === 'limit' ? COUNTED[limit] : undefined
      if (counted && history.undoneAt < 0) this.#adds(limit, history, counted)
    }
  }

  #adds(limit: string, { name, versions }: History, { window, isOf, told }: Counted): void {
    const subject = name.slice(limit.length + 1)
    const { times = 0 } = (versions.at(-1)?.value ?? {}) as { readonly times?: number }
    // A count that was taken back keeps its time window.
    const counting = versions.findLast(({ value }) => value !== undefined)?.value
    const { until = 0 } = (counting ?? {}) as { readonly until?: number }
    const asked = [...this.judge.exchanges.values()].filter((exchange) => isOf(exchange, subject))
    const events = asked.filter((exchange) => exchange.told === told)
    const least = events.filter(({ arrivedAt }) => arrivedAt >= until - window - TROUBLE).length
    const unclear = asked.filter((each) => [undefined, 'unavailable', '503'].includes(each.told)).length
    const isRight = times >= least && times <= events.length + unclear
    this.check(isRight, `a count of ${limit} stands at ${times} after ${least}`, NOBODY)
  }
}
