import { ALLOWED, type Allowance, refuseUntil } from './allowance.ts'
import { hash } from './credentials/hash.ts'
import type { Limit } from './limits.ts'

/** Codes that are counted at most: then the one whose last early poll is the oldest is forgotten. */
const CAPACITY = 10_000

/**
 * Counts the polls of each device code that came too early, in this process: each costs a write to the store, which is
 * spared those that are too many.
 */
export function createEarlyPolls({ max, window }: Limit, clock: { now(): number }) {
  const counts = new Map<string, { readonly times: number; readonly until: number }>()

  return {
    /** Whether a poll of this code may be looked at. */
    async allow(deviceCode: string): Promise<Allowance> {
      const count = counts.get(await hash(deviceCode))
      const now = clock.now()
      return count && count.times >= max && now < count.until ? refuseUntil(count.until, now) : ALLOWED
    },

    /** Counts a poll that came too early. */
    async count(deviceCode: string): Promise<void> {
      const key = await hash(deviceCode)
      const now = clock.now()
      const known = counts.get(key)
      const { times, until } = known && now < known.until ? known : { times: 0, until: now + window * 1000 }
      // The last of all, so that the first one is the oldest.
      counts.delete(key)
      counts.set(key, { times: times + 1, until })
      if (counts.size > CAPACITY) counts.delete(counts.keys().next().value ?? '')
    },
  }
}

export type EarlyPolls = ReturnType<typeof createEarlyPolls>
