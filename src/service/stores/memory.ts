import { StoreUnavailableError } from '../../errors.ts'
import type { Change, Json, Store } from '../store.ts'

/** Records looked at for having expired, at each update. More than one, so that sweeping outruns filling. */
const SWEPT = 2

/** Records held at most, where nothing else is said: some 300 MB. */
const CAPACITY = 500_000

interface Entry {
  readonly value: NonNullable<Json>
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * A store in memory.
 *
 * @group Service
 */
export interface MemoryStore extends Store {
  /** Records held, those included that have expired and are not swept yet. */
  readonly size: number
}

/**
 * What `memoryStore` takes.
 *
 * @group Service
 */
export interface MemoryStoreOptions {
  /** Tells the time, epoch milliseconds. */
  readonly clock?: {
    /** Epoch milliseconds. */
    now(): number
  }
  /** Records held at most: 500,000 by default. A grant takes two, a token one. */
  readonly capacity?: number
}

/**
 * Keeps everything in the memory of this process, and forgets what has expired as it goes: there is no timer.
 * A new record for which there is no room is refused with StoreUnavailableError; what is held is never given up for it.
 *
 * @group Service
 */
export function memoryStore({ clock = Date, capacity = CAPACITY }: MemoryStoreOptions = {}): MemoryStore {
  const entries = new Map<string, Entry>()
  let unswept = entries.entries()

  function sweep(now: number): void {
    for (let count = 0; count < SWEPT; count += 1) {
      const next = unswept.next()
      if (next.done) {
        unswept = entries.entries()
        return
      }
      const [key, { expiresAt }] = next.value
      if (expiresAt <= now) entries.delete(key)
    }
  }

  return {
    get size() {
      return entries.size
    },
    async update<Result>(key: string, change: (value: Json | undefined) => Change<Result>): Promise<Result> {
      const now = clock.now()
      sweep(now)
      const entry = entries.get(key)
      const made = change(entry !== undefined && entry.expiresAt > now ? entry.value : undefined)
      if (made.value === null) entries.delete(key)
      else if (made.value !== undefined) {
        if (entry === undefined && entries.size >= capacity)
          throw new StoreUnavailableError('the store in memory is full')
        entries.set(key, { value: made.value, expiresAt: made.expiresAt })
      }
      return made.result
    },
  }
}
