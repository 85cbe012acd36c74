import type { Names } from '../../assert-known.ts'
import { BadOptionError, StoreUnavailableError } from '../../errors.ts'
import { withDeadline } from '../../store/deadline.ts'
import { type Change, type Json, NEVER, type Store } from '../../store/store.ts'
import { createTurns } from '../../store/turns.ts'

/** Milliseconds of the shortest and the longest pause between two attempts to reach a database. */
export const PAUSES = { shortest: 20, longest: 200 }

/** Milliseconds of the longest pause after a conflict with another instance. */
const STEP_BACK = 8

/** Seconds of the longest possible timer: a longer one fires at once. */
const LONGEST_TIMEOUT = Math.floor((2 ** 31 - 1) / 1000)

/** Characters of the records that a store remembers, in each of two generations. */
const RECENT = 4_000_000

/** Milliseconds for which the database keeps the record that `ping` writes. */
const PING_LIFETIME = 60_000

/** Milliseconds by which the mark of a deletion outlives each update that was under way. */
const MARK_LIFETIME = 60_000

/** A database that keeps each record as one text. An empty text stands for no record. */
export interface Database {
  readonly name: string
  read(key: string): Promise<string>
  /**
   * Replaces a record if it is still `before`, and resolves to null. Otherwise resolves to the current record.
   *
   * @param expiresAt Epoch milliseconds after which the database may delete it. A whole number.
   */
  compareAndSet(key: string, before: string, after: string, expiresAt: number): Promise<string | null>
  /** Says why an attempt failed, without values: the message of an error may quote them. */
  reasonOf(error: unknown): string | undefined
  /** Whether a failed attempt may still have written, because only its response was lost. */
  mayHaveWritten(error: unknown): boolean
}

/** Options of a store in a database. */
export interface DatabaseStoreOptions {
  /**
   * Prefix of every key. Default: `authgraph:` in Redis, none in an SQL database. Services that share a database need
   * different prefixes.
   */
  readonly prefix?: string
  /** Seconds after which an update is rejected while the database is not available. Default: 2. */
  readonly timeout?: number
  /** Default: `Date`. */
  readonly clock?: {
    /** Returns the current time in epoch milliseconds. */
    now(): number
  }
}

/** The names of the options, which every store checks before it connects. */
export const STORE_OPTIONS: Names<DatabaseStoreOptions> = { prefix: true, timeout: true, clock: true }

/** A store in a database. */
export interface DatabaseStore extends Store {
  /**
   * Writes a short-lived record. Rejects with {@link StoreUnavailableError} if the database is not available or refuses
   * writes. Concurrent pings share one result.
   */
  ping(): Promise<void>
  /** Closes the connection that the store opened. A client or database that you passed stays open. */
  close(): Promise<void>
}

/**
 * A record: when it expires (epoch milliseconds), the ID of its write, and its value. A record that was deleted has the value
 * `null` for a while: otherwise an update that is repeated, since its response was lost, could create the record again.
 */
type Stored = readonly [expiresAt: number, write: string, value: Json]

type Written = Extract<Change<unknown>, { value: NonNullable<Json> | null }>

/**
 * Creates a store that reads a record, changes it, and replaces it if it is still the one that it read.
 *
 * While the database is not available, updates are retried until the timeout, then reject with
 * {@link StoreUnavailableError}.
 *
 * @throws {@link BadOptionError} if the timeout is not valid.
 */
export function compareAndSetStore(
  database: Database,
  { timeout = 2, clock = Date }: DatabaseStoreOptions,
): Omit<DatabaseStore, 'close'> {
  if (!(timeout > 0 && timeout <= LONGEST_TIMEOUT))
    throw new BadOptionError(
      `timeout must be a number of seconds, more than 0 and at most ${LONGEST_TIMEOUT}`,
    )
  const inTurn = createTurns()
  const recent = createRecent()
  const unavailable = (why: string) => new StoreUnavailableError(`${database.name} is not available: ${why}`)

  /** Retries until the command succeeds or the deadline passes. Calls `onFailure` with the error of each failed attempt. */
  async function persist<Result>(
    deadline: number,
    command: () => Promise<Result>,
    onFailure: (error: unknown) => void = () => undefined,
  ): Promise<Result> {
    let why = 'no response'
    for (let pause = PAUSES.shortest; ; pause = Math.min(2 * pause, PAUSES.longest)) {
      try {
        const left = Math.max(0, deadline - performance.now())
        return await withDeadline(left, command(), () => unavailable(why))
      } catch (error) {
        onFailure(error)
        if (error instanceof BadOptionError || error instanceof StoreUnavailableError) throw error
        why = database.reasonOf(error) ?? 'no connection'
        const wait = pause * (0.5 + Math.random() / 2)
        if (performance.now() + wait >= deadline) throw unavailable(why)
        await sleep(wait)
      }
    }
  }

  function read(raw: string): Json | undefined {
    if (raw === '') return undefined
    const [expiresAt, , value] = JSON.parse(raw) as Stored
    return value !== null && expiresAt > clock.now() ? value : undefined
  }

  /** Calls `change` with a record. What is not there needs no deletion. */
  function apply<Result>(change: (value: Json | undefined) => Change<Result>, raw: string): Change<Result> {
    const value = read(raw)
    const made = change(value)
    return made.value === null && value === undefined ? { result: made.result } : made
  }

  /** Writes `made` if the record is still `raw`. Returns the current record, and whether the write was done. */
  async function replace(
    key: string,
    raw: string,
    made: Written,
    deadline: number,
  ): Promise<{ readonly done: boolean; readonly raw: string }> {
    const { value, expiresAt: end = NEVER } =
      made.value === null ? { ...made, expiresAt: clock.now() + timeout * 1000 + MARK_LIFETIME } : made
    const expiresAt = Math.min(Math.ceil(end), NEVER)
    const next = JSON.stringify([expiresAt, crypto.randomUUID(), value] satisfies Stored)
    let inDoubt = false
    const present = await persist(
      deadline,
      () => database.compareAndSet(key, raw, next, expiresAt),
      (error) => {
        inDoubt ||= database.mayHaveWritten(error)
      },
    )
    // Equal if an earlier attempt was applied, but its response was lost.
    if (present === null || present === next) return { done: true, raw: recent.keep(key, next) }
    // A failed attempt may have been applied before another instance changed the record: a retry could apply it twice.
    if (inDoubt) throw unavailable('the connection broke')
    return { done: false, raw: recent.keep(key, present) }
  }

  async function update<Result>(
    key: string,
    change: (value: Json | undefined) => Change<Result>,
    expected?: null,
  ): Promise<Result> {
    const deadline = performance.now() + timeout * 1000
    const readAgain = async () => recent.keep(key, await persist(deadline, () => database.read(key)))
    const supposed = recent.of(key) ?? (expected === null ? '' : undefined)
    let raw = supposed ?? (await readAgain())
    let made = apply(change, raw)
    // Only a write finds out whether the record is still the one that was read or written last.
    const mustRead = supposed !== undefined && made.value === undefined
    if (mustRead) {
      raw = await readAgain()
      made = apply(change, raw)
    }
    if (made.value === undefined) return made.result

    return inTurn(key, async (known) => {
      if (known !== undefined && known !== raw) {
        raw = known
        made = apply(change, raw)
      }
      // A supposed record that another instance has changed costs a write instead of a read, and no pause.
      for (let tries = supposed === undefined || mustRead ? 1 : 0; made.value !== undefined; tries += 1) {
        const written = await replace(key, raw, made, deadline)
        raw = written.raw
        if (written.done) break
        made = apply(change, raw)
        if (tries > 0) await sleep(Math.random() * Math.min(tries, STEP_BACK))
        if (performance.now() > deadline) throw unavailable('too many conflicts with other instances')
      }
      return { result: made.result, known: raw }
    })
  }

  // Concurrent pings share one result, so that nobody can flood the database through `GET /readyz`.
  let pinging: Promise<void> | undefined
  const ping = () =>
    update('ping', () => ({ result: undefined, value: true, expiresAt: clock.now() + PING_LIFETIME }))

  return {
    update,
    ping() {
      pinging ??= ping().finally(() => {
        pinging = undefined
      })
      return pinging
    },
  }
}

/** Records as this process read or wrote them last, by key. Another instance may have changed them since. */
function createRecent() {
  let newer = new Map<string, string>()
  let older = new Map<string, string>()
  let characters = 0

  return {
    of: (key: string) => newer.get(key) ?? older.get(key),
    keep(key: string, raw: string): string {
      if (newer.get(key) === raw) return raw
      newer.set(key, raw)
      characters += key.length + raw.length
      if (characters > RECENT) {
        older = newer
        newer = new Map()
        characters = 0
      }
      return raw
    },
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
