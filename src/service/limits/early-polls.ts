import { hash } from '../stores/hash.ts'
import { ALLOWED, type Allowance, refuseUntil } from './allowance.ts'
import type { Limit } from './limits.ts'

/** How many codes are counted at most. Beyond that, the code with the oldest early poll is dropped. */
const CAPACITY = 10_000

/**
 * Counts early polls per device code, and those after the token was issued, in this process only. Each costs updates of the
 * store; polls over the limit are refused without one.
 */
export function createEarlyPolls({ max, window }: Limit, clock: { now(): number }) {
  const counts = new Map<string, { readonly times: number; readonly until: number; wasTold?: boolean }>()

  return {
    /** Whether a poll with this code may reach the store. */
    async allow(deviceCode: string): Promise<Allowance> {
      const count = counts.get(await hash(deviceCode))
      const now = clock.now()
      if (!count || count.times < max || now >= count.until) return ALLOWED
      const isFirst = !count.wasTold
      count.wasTold = true
      return refuseUntil('earlyPolls', count.until, now, isFirst)
    },

    /** Counts a poll. Returns whether it is the first one of its time window. */
    async count(deviceCode: string): Promise<boolean> {
      const key = await hash(deviceCode)
      const now = clock.now()
      const known = counts.get(key)
      const { times, until } = known && now < known.until ? known : { times: 0, until: now + window * 1000 }
      // Puts the code at the end of the map, so that the first one is the oldest.
      counts.delete(key)
      counts.set(key, { times: times + 1, until })
      if (counts.size > CAPACITY) counts.delete(counts.keys().next().value ?? '')
      return times === 0
    },
  }
}
