import type { Records } from '../stores/records.ts'

/** Ids, the oldest first, each with the time at which it expires, in epoch milliseconds. */
export type Entries = readonly (readonly [id: string, expiresAt: number])[]

/**
 * Remembers the newest of something, such as the logins of each user, in one record with a limited size each.
 *
 * @param max How many are remembered; `Infinity` for no limit, which needs no record.
 */
export function createNewest(records: Records<Entries>, max: number, clock: { now(): number }) {
  return {
    /**
     * Adds one, or makes it the newest.
     *
     * @param expiresAt When it expires. Epoch milliseconds.
     * @param isFirst Whether the owner probably has none: that saves a read.
     * @returns The oldest ones beyond the limit, which the caller must end.
     */
    async add(owner: string, id: string, expiresAt: number, isFirst = false): Promise<readonly string[]> {
      if (max === Number.POSITIVE_INFINITY) return []
      return records.change(
        owner,
        (entries = []) => {
          const now = clock.now()
          const others = entries.filter(([other, until]) => other !== id && until > now)
          const all = [...others, [id, expiresAt] as const]
          return { result: all.slice(0, -max).map(([oldest]) => oldest), ...withExpiry(all.slice(-max)) }
        },
        isFirst ? null : undefined,
      )
    },

    async clear(owner: string): Promise<readonly string[]> {
      return records.change(owner, (entries) =>
        entries === undefined ? { result: [] } : { result: entries.map(([id]) => id), value: null },
      )
    },

    async remove(owner: string, id: string): Promise<void> {
      await records.change(owner, (entries = []) => {
        const others = entries.filter(([other]) => other !== id)
        if (others.length === entries.length) return { result: undefined }
        return others.length === 0
          ? { result: undefined, value: null }
          : { result: undefined, ...withExpiry(others) }
      })
    },
  }
}

function withExpiry(value: Entries) {
  return { value, expiresAt: Math.max(...value.map(([, until]) => until)) }
}
