import type { Json, Store } from '../../store/store.ts'

/**
 * Remembers the newest of something, such as the logins of each user, in one record with a limited size each.
 *
 * @param name Begins the keys of the records.
 * @param max How many are remembered; `Infinity` for no limit, which needs no record.
 */
export function createNewest(name: string, max: number, store: Store, clock: { now(): number }) {
  return {
    /**
     * Adds one, or makes it the newest.
     *
     * @param expiresAt When it ends by itself. Epoch milliseconds.
     * @returns The oldest ones beyond the limit, which the caller must end.
     */
    async add(owner: string, id: string, expiresAt: number): Promise<readonly string[]> {
      if (max === Number.POSITIVE_INFINITY) return []
      return store.update(`${name}:${owner}`, (value) => {
        const now = clock.now()
        const others = entriesIn(value).filter(([other, until]) => other !== id && until > now)
        const all = [...others, [id, expiresAt] as const]
        const kept = all.slice(-max)
        const result = all.slice(0, -max).map(([oldest]) => oldest)
        return { result, value: kept, expiresAt: Math.max(...kept.map(([, until]) => until)) }
      })
    },

    /** Forgets all, and returns them. */
    async clear(owner: string): Promise<readonly string[]> {
      return store.update(`${name}:${owner}`, (value) => {
        const result = entriesIn(value).map(([id]) => id)
        return value === undefined ? { result } : { result, value: null }
      })
    },

    /** Forgets one that has ended. */
    async remove(owner: string, id: string): Promise<void> {
      await store.update(`${name}:${owner}`, (value) => {
        const entries = entriesIn(value)
        const kept = entries.filter(([other]) => other !== id)
        if (kept.length === entries.length) return { result: undefined }
        if (kept.length === 0) return { result: undefined, value: null }
        return { result: undefined, value: kept, expiresAt: Math.max(...kept.map(([, until]) => until)) }
      })
    },
  }
}

export type Newest = ReturnType<typeof createNewest>

function entriesIn(value: Json | undefined): readonly (readonly [id: string, expiresAt: number])[] {
  return (value ?? []) as readonly (readonly [string, number])[]
}
