import { ALLOWED, type Allowance, refuseUntil } from './allowance.ts'
import type { Limit } from './limits.ts'

/** How many codes are counted at most. Beyond that, the grant with the oldest early poll is dropped. */
const CAPACITY = 10_000

/**
 * Counts early polls per grant, and those after the token was issued, in this process only. Each costs updates of the
 * store; polls over the limit are refused without one.
 */
export function createEarlyPolls({ max, window }: Limit, clock: { now(): number }) {
  const counts = new Map<string, { readonly times: number; readonly until: number; wasTold?: boolean }>()

  return {
    /** Whether a poll of this grant may reach the store. */
    allow(key: string): Allowance {
      const count = counts.get(key)
      if (count === undefined) return ALLOWED
      const now = clock.now()
      if (count.times < max || now >= count.until) return ALLOWED
      const isFirst = !count.wasTold
      count.wasTold = true
      return refuseUntil('earlyPolls', count.until, now, isFirst)
    },

    /** Counts a poll. Returns whether it is the first one of its time window. */
    count(key: string): boolean {
      const now = clock.now()
      const known = counts.get(key)
      const { times, until } = known && now < known.until ? known : { times: 0, until: now + window * 1000 }
      // Puts the grant at the end of the map, so that the first one is the oldest.
      counts.delete(key)
      counts.set(key, { times: times + 1, until })
      if (counts.size > CAPACITY) counts.delete(counts.keys().next().value ?? '')
      return times === 0
    },
  }
}
