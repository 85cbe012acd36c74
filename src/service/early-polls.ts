import { ALLOWED, type Allowance, refuseUntil } from './allowance.ts'
import { hash } from './credentials/hash.ts'
import type { Limit } from './limits.ts'

/** How many codes are counted at most. Beyond that, the code with the oldest early poll is dropped. */
const CAPACITY = 10_000

/**
 * Counts early polls per device code, in this process only. An early poll costs a write to the store; polls over the
 * limit are refused without one.
 */
export function createEarlyPolls({ max, window }: Limit, clock: { now(): number }) {
  const counts = new Map<string, { readonly times: number; readonly until: number }>()

  return {
    /** Whether a poll with this code may reach the store. */
    async allow(deviceCode: string): Promise<Allowance> {
      const count = counts.get(await hash(deviceCode))
      const now = clock.now()
      return count && count.times >= max && now < count.until
        ? refuseUntil('earlyPolls', count.until, now)
        : ALLOWED
    },

    /** Counts a poll that came too early. */
    async count(deviceCode: string): Promise<void> {
      const key = await hash(deviceCode)
      const now = clock.now()
      const known = counts.get(key)
      const { times, until } = known && now < known.until ? known : { times: 0, until: now + window * 1000 }
      // Puts the code at the end of the map, so that the first one is the oldest.
      counts.delete(key)
      counts.set(key, { times: times + 1, until })
      if (counts.size > CAPACITY) counts.delete(counts.keys().next().value ?? '')
    },
  }
}

export type EarlyPolls = ReturnType<typeof createEarlyPolls>
