import { assertKnown, type Names } from '../assert-known.ts'
import { StoreUnavailableError } from '../errors.ts'
import { COUNT_PREFIX, GRANT_PREFIX, USER_CODE_PREFIX } from './keys.ts'
import { type Change, type Json, NEVER, type Store } from './store.ts'

/** Captured before a test installs fake timers: nothing in a test should wait for ours. */
const { setTimeout, clearTimeout } = globalThis

/** Records checked for expiry at each update. More than one, so that sweeping is faster than filling. */
const SWEPT = 2

/**
 * Milliseconds between two looks at records that nobody updates, and how many of these looks see all of them: an expired one
 * is seen after two rounds at the latest, within a minute.
 */
const LOOK = 1000
const LOOKS = 28

/** Default size of all records in bytes: some 200,000 grants, and counts. */
const MAX_BYTES = 160 * 1024 * 1024

/** The share of the bytes for counts. */
const COUNTS = 0.2

/** The share up to which new codes and grants are accepted. The rest is reserved for tokens. */
const CODES = 0.7

/** Bytes that V8 needs for an entry and its place in the map. */
const OVERHEAD = 104

/** How many texts of the last records are remembered, and the characters of the longest one. */
const SHARED = 1000
const LONGEST_SHARED = 256

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
  /** Size of the records in bytes, accurate to 10%. */
  readonly bytes: number
}

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** Default: `Date`. */
  readonly clock?: {
    /** Returns the current time in epoch milliseconds. */
    now(): number
  }
  /** Maximum size of all records in bytes, accurate to 10%. Default: 160 MB, enough for some 200,000 grants. */
  readonly maxBytes?: number
}

/**
 * Creates a store in the memory of this process. It removes expired records during updates and, in runtimes whose timers
 * need not keep a process alive, within a minute without any.
 *
 * If the store is full, `update` rejects with {@link StoreUnavailableError} for a new record, and for a grant that grows;
 * existing records stay. A tenth of the space is reserved for approvals and tokens, so that logins complete even during a
 * flood of code requests. A fifth is reserved for the counts of rate limits, where a new count replaces the oldest one.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  assertKnown(options, { clock: true, maxBytes: true } satisfies Names<MemoryStoreOptions>)
  const { clock = Date, maxBytes = MAX_BYTES } = options
  const counts = createRoom()
  const records = createRoom()
  const copies = createCopies()

  let isLooking = false
  /** Removes expired records while there are some that expire. */
  function lookLater(): void {
    if (isLooking || counts.expiring + records.expiring === 0) return
    const timer: unknown = setTimeout(() => {
      isLooking = false
      const now = clock.now()
      counts.sweepPart(now)
      records.sweepPart(now)
      lookLater()
    }, LOOK)
    isLooking = true
    if (timer instanceof Object) (timer as { unref?(): void }).unref?.()
    else clearTimeout(timer as number)
  }

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
      room.sweep(now, SWEPT)
      const entry = room.get(key)
      const made = change(entry !== undefined && entry.expiresAt > now ? entry.value : undefined)
      if (made.value === null) room.remove(key)
      else if (made.value !== undefined) {
        const own = copies.of(made.value, entry?.value)
        const ownKey = entry && room === records ? { value: key, added: 0 } : copies.of(key)
        const bytes = (entry?.bytes ?? OVERHEAD + ownKey.added) + own.added
        put(ownKey.value, { value: own.value, expiresAt: made.expiresAt ?? NEVER, bytes }, entry)
        lookLater()
      }
      return made.result
    },
  }
}

/** Records in insertion order, and their size in bytes. */
function createRoom() {
  const entries = new Map<string, Entry>()
  let unswept = entries.entries()
  // The largest number of records since this iterator began.
  let largest = 0
  // One iterator for many removals: a new one would step over all entries removed before.
  let oldest: MapIterator<string> | undefined
  // An idle iterator keeps alive every hash table that the map has outgrown since the iterator moved.
  let writtenSinceItMoved = 0
  let bytes = 0
  let expiring = 0

  function remove(key: string): void {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    bytes -= entry.bytes
    if (entry.expiresAt < NEVER) expiring -= 1
  }

  function sweep(now: number, most: number): void {
    for (let count = 0; count < most; count += 1) {
      const next = unswept.next()
      if (next.done) {
        unswept = entries.entries()
        largest = entries.size
        return
      }
      const [key, { expiresAt }] = next.value
      if (expiresAt <= now) remove(key)
    }
  }

  return {
    get size() {
      return entries.size
    },
    get bytes() {
      return bytes
    },
    /** Number of records that expire. */
    get expiring() {
      return expiring
    },
    get: (key: string) => entries.get(key),
    remove,
    /** An existing record keeps its place in the order. */
    set(key: string, entry: Entry): void {
      const before = entries.get(key)
      bytes += entry.bytes - (before?.bytes ?? 0)
      expiring += Number(entry.expiresAt < NEVER) - Number((before?.expiresAt ?? NEVER) < NEVER)
      entries.set(key, entry)
      largest = Math.max(largest, entries.size)
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
    sweep,
    /** Sweeps so many records that all of them are seen in the given number of looks. */
    sweepPart: (now: number) => sweep(now, Math.ceil(largest / LOOKS)),
  }
}

type JsonObject = { readonly [name: string]: Json | undefined }

/** Values as the store keeps them, and the bytes that they add. */
function createCopies() {
  // Texts of the last records, such as the client and the scope of a grant: equal ones are kept once.
  const texts = new Map<string, string>()
  let added = 0
  let shared = 0

  function textOf(text: string): string {
    const known = texts.get(text)
    if (known === undefined && text.length <= LONGEST_SHARED) {
      if (texts.size === SHARED) texts.clear()
      texts.set(text, text)
    }
    shared += bytesOf(known)
    return known ?? text
  }

  function withSharedTexts<Value extends Json>(value: Value): Value {
    if (typeof value === 'string') return textOf(value) as string & Value
    const members = value as Record<string, Json>
    if (isObject(value)) for (const name in members) members[name] = withSharedTexts(members[name] ?? null)
    return value
  }

  /** Keeps what is equal to the record before: it is in memory already. */
  function copyOf(value: Json, before: Json | undefined): Json {
    if (value === before) return before
    if (isObject(value) && isObject(before) && haveSameNames(value, before)) {
      const copy: Record<string, Json | undefined> = { ...before }
      for (const name in copy) copy[name] = copyOf(value[name] ?? null, copy[name])
      return copy as Json
    }
    // A V8 substring refers to the whole text and would keep it in memory: JSON has none.
    const copy: Json = JSON.parse(JSON.stringify(value))
    added += bytesOf(copy) - bytesOf(before)
    return withSharedTexts(copy)
  }

  return {
    /**
     * Copies a value that replaces another one. What it shares with other records is not counted when it is new; later, only
     * differences are, so that no sequence of updates makes the count wrong.
     */
    of<Value extends NonNullable<Json>>(value: Value, before?: Json): { value: Value; added: number } {
      added = 0
      shared = 0
      const copy = copyOf(value, before) as Value
      return { value: copy, added: before === undefined ? added - shared : added }
    },
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null
}

/** Whether two values are objects, and no lists, with the same members. */
function haveSameNames(one: JsonObject, other: JsonObject): boolean {
  if (Array.isArray(one) || Array.isArray(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => one[name] !== undefined && Object.hasOwn(other, name))
  )
}

/** How many bytes V8 needs for a value, beside the reference to it. */
function bytesOf(value: Json | undefined): number {
  if (typeof value === 'string') return 20 + value.length * (/[^\0-\xff]/.test(value) ? 2 : 1)
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? 0 : 16
  if (!isObject(value)) return 0
  let bytes = !Array.isArray(value) ? 24 : value.length > 0 ? 48 : 32
  for (const member of Object.values(value)) bytes += 8 + bytesOf(member)
  return bytes
}
