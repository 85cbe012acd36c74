import { StoreUnavailableError } from '../../errors.ts'
import { type Change, COUNT_PREFIX, GRANT_PREFIX, type Json, type Store, USER_CODE_PREFIX } from '../store.ts'

/** Records looked at for having expired, at each update. More than one, so that sweeping outruns filling. */
const SWEPT = 2

/** Bytes of all records where nothing else is said: some 100,000 waiting grants, and as many counts. */
const MAX_BYTES = 160 * 1024 * 1024

/** The share of all bytes that counts may take. */
const COUNTS = 0.2

/** The share that codes and grants may take together with all other records. The rest is for tokens. */
const CODES = 0.7

/** Bytes that V8 takes for a key, its place in the map and its entry, beside the characters of the key. */
const OVERHEAD = 180

interface Entry {
  readonly value: NonNullable<Json>
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly bytes: number
}

/**
 * A store in memory.
 *
 * @group Service
 */
export interface MemoryStore extends Store {
  /** Records held, including those that have expired and are not swept yet. */
  readonly size: number
  /** Bytes that they take, to within a fifth. */
  readonly bytes: number
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
  /** Bytes of all records, to within a fifth: 160 MB by default, for some 100,000 waiting grants. */
  readonly maxBytes?: number
}

/**
 * Keeps everything in the memory of this process, and forgets what has expired on the way: there is no timer.
 *
 * A new record for which there is no room is rejected with StoreUnavailableError; one that is held is never given up.
 * A tenth is kept for tokens: a flood of requests for codes keeps no approved login from its end. Counts of what is
 * limited have a fifth of their own, where a new one replaces the one that has not changed for longest.
 *
 * @group Service
 */
export function memoryStore({ clock = Date, maxBytes = MAX_BYTES }: MemoryStoreOptions = {}): MemoryStore {
  const counts = createRoom()
  const records = createRoom()

  function put(key: string, entry: Entry, isNew: boolean): void {
    const { bytes } = entry
    if (key.startsWith(COUNT_PREFIX)) {
      counts.remove(key)
      while (counts.size > 0 && counts.bytes + bytes > COUNTS * maxBytes) counts.removeOldest()
      counts.set(key, entry)
      return
    }
    const isForCodes = key.startsWith(USER_CODE_PREFIX) || key.startsWith(GRANT_PREFIX)
    const share = isForCodes ? CODES : 1 - COUNTS
    if (isNew && records.bytes + bytes > share * maxBytes)
      throw new StoreUnavailableError('the store in memory is full')
    records.set(key, entry)
  }

  return {
    get size() {
      return records.size + counts.size
    },
    get bytes() {
      return records.bytes + counts.bytes
    },
    async update<Result>(key: string, change: (value: Json | undefined) => Change<Result>): Promise<Result> {
      const room = key.startsWith(COUNT_PREFIX) ? counts : records
      const now = clock.now()
      room.sweep(now)
      const entry = room.get(key)
      const made = change(entry !== undefined && entry.expiresAt > now ? entry.value : undefined)
      if (made.value === null) room.remove(key)
      else if (made.value !== undefined) {
        const [ownKey, value] = copy([key, made.value])
        const bytes = OVERHEAD + key.length + bytesOf(value)
        put(ownKey, { value, expiresAt: made.expiresAt, bytes }, entry === undefined)
      }
      return made.result
    },
  }
}

/** Records in the order in which they were written, and the bytes that they take. */
function createRoom() {
  const entries = new Map<string, Entry>()
  let unswept = entries.entries()
  // One iterator for many removals: a new one has to pass over everything that was removed before.
  let oldest: MapIterator<string> | undefined
  // An iterator that rests keeps every hash table alive that the map has outgrown since it moved.
  let writtenSinceItMoved = 0
  let bytes = 0

  function remove(key: string): void {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    bytes -= entry.bytes
  }

  return {
    get size() {
      return entries.size
    },
    get bytes() {
      return bytes
    },
    get: (key: string) => entries.get(key),
    remove,
    /** A record that is held keeps its place among the others. */
    set(key: string, entry: Entry): void {
      bytes += entry.bytes - (entries.get(key)?.bytes ?? 0)
      entries.set(key, entry)
      writtenSinceItMoved += 1
      if (writtenSinceItMoved > entries.size) oldest = undefined
    },
    removeOldest(): void {
      oldest ??= entries.keys()
      writtenSinceItMoved = 0
      const next = oldest.next()
      if (next.done) oldest = undefined
      else remove(next.value)
    },
    sweep(now: number): void {
      for (let count = 0; count < SWEPT; count += 1) {
        const next = unswept.next()
        if (next.done) {
          unswept = entries.entries()
          return
        }
        const [key, { expiresAt }] = next.value
        if (expiresAt <= now) remove(key)
      }
    },
  }
}

/** Copies all strings: V8 makes a part of a text by reference, which would keep the whole text in memory. */
function copy<Value extends Json>(value: Value): Value {
  return JSON.parse(JSON.stringify(value))
}

/** About as many bytes as V8 takes for a value. */
function bytesOf(value: Json | undefined): number {
  if (typeof value === 'string') return 24 + value.length
  if (typeof value === 'number') return 16
  if (typeof value !== 'object' || value === null) return 0
  let bytes = 32
  for (const member of Object.values(value)) bytes += 8 + bytesOf(member)
  return bytes
}
