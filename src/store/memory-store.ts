import { StoreUnavailableError } from '../errors.ts'
import { COUNT_PREFIX, GRANT_PREFIX, USER_CODE_PREFIX } from './keys.ts'
import { type Change, type Json, NEVER, type Store } from './store.ts'

/** Records checked for expiry at each update. More than one, so that sweeping is faster than filling. */
const SWEPT = 2

/** Default size of all records in bytes: some 100,000 grants and as many counts. */
const MAX_BYTES = 160 * 1024 * 1024

/** The share of the bytes for counts. */
const COUNTS = 0.2

/** The share up to which new codes and grants are accepted. The rest is reserved for tokens. */
const CODES = 0.7

/** Bytes that V8 needs for a key, its place in the map and its entry, in addition to the characters of the key. */
const OVERHEAD = 180

interface Entry {
  readonly value: NonNullable<Json>
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly bytes: number
}

/** A store in memory. */
export interface MemoryStore extends Store {
  /** Number of records, including expired ones that are not swept yet. */
  readonly size: number
  /** Size of the records in bytes, accurate to 20%. */
  readonly bytes: number
}

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** Default: `Date`. */
  readonly clock?: {
    /** Returns the current time in epoch milliseconds. */
    now(): number
  }
  /** Maximum size of all records in bytes, accurate to 20%. Default: 160 MB, enough for some 100,000 grants. */
  readonly maxBytes?: number
}

/**
 * Creates a store in the memory of this process. It removes expired records during updates and needs no timer.
 *
 * If the store is full, `update` rejects with {@link StoreUnavailableError} for a new record, and for a grant that grows;
 * existing records stay. A tenth of the space is reserved for approvals and tokens, so that logins complete even during a
 * flood of code requests. A fifth is reserved for the counts of rate limits, where a new count replaces the oldest one.
 */
export function memoryStore({ clock = Date, maxBytes = MAX_BYTES }: MemoryStoreOptions = {}): MemoryStore {
  const counts = createRoom()
  const records = createRoom()

  function put(key: string, entry: Entry, before: Entry | undefined): void {
    const { bytes } = entry
    if (key.startsWith(COUNT_PREFIX)) {
      counts.remove(key)
      while (counts.size > 0 && counts.bytes + bytes > COUNTS * maxBytes) counts.removeOldest()
      counts.set(key, entry)
      return
    }
    const isForCodes = key.startsWith(USER_CODE_PREFIX) || key.startsWith(GRANT_PREFIX)
    const share = isForCodes && before === undefined ? CODES : 1 - COUNTS
    const added = bytes - (before?.bytes ?? 0)
    // A grant grows by the token of its login. Any other record may grow: a login must be able to end.
    const needsRoom = before === undefined || (isForCodes && added > 0)
    if (needsRoom && records.bytes + added > share * maxBytes)
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
        put(ownKey, { value, expiresAt: made.expiresAt ?? NEVER, bytes }, entry)
      }
      return made.result
    },
  }
}

/** Records in insertion order, and their size in bytes. */
function createRoom() {
  const entries = new Map<string, Entry>()
  let unswept = entries.entries()
  // One iterator for many removals: a new one would step over all entries removed before.
  let oldest: MapIterator<string> | undefined
  // An idle iterator keeps alive every hash table that the map has outgrown since the iterator moved.
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
    /** An existing record keeps its place in the order. */
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

/** Copies all strings: a V8 substring refers to the whole text and would keep it in memory. */
function copy<Value extends Json>(value: Value): Value {
  return JSON.parse(JSON.stringify(value))
}

/** Estimates how many bytes V8 needs for a value. */
function bytesOf(value: Json | undefined): number {
  if (typeof value === 'string') return 24 + value.length
  if (typeof value === 'number') return 16
  if (typeof value !== 'object' || value === null) return 0
  let bytes = 32
  for (const member of Object.values(value)) bytes += 8 + bytesOf(member)
  return bytes
}
