/**
 * Keeps what a service knows in Redis, so that several instances share it.
 *
 * @module authgraph/service/redis
 */

import { createHash } from 'node:crypto'
import { BadOptionError, StoreUnavailableError } from '../../errors.ts'
import { withDeadline } from '../deadline.ts'
import type { Change, Json, Store } from '../store.ts'
import { connectTo, given, PAUSE, type RedisClient, type ScriptOptions } from './redis-connection.ts'

export { BadOptionError, StoreUnavailableError } from '../../errors.ts'
export type { RedisClient, ScriptOptions } from './redis-connection.ts'

/**
 * Writes a record if it is still the one that was read, and answers nothing; else answers the one there is now, which
 * saves the next try from reading. No record is an empty text.
 */
const COMPARE_AND_SET = `
local present = redis.call('GET', KEYS[1]) or ''
if present ~= ARGV[1] then return present end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return nil`

const COMPARE_AND_SET_HASH = createHash('sha1').update(COMPARE_AND_SET).digest('hex')

/** Milliseconds of the longest pause after another instance was faster. */
const STEP_BACK = 8

/** Milliseconds for which Redis keeps what was written to see whether it can be. */
const PING_LIFETIME = 60_000

/**
 * What `redisStore` takes.
 *
 * @group Service
 */
export interface RedisStoreOptions {
  /** What every key begins with: `authgraph:` by default. Services that share a Redis need one each. */
  readonly prefix?: string
  /** Seconds after which an update gives up while Redis is away: 2 by default. */
  readonly timeout?: number
  /** Tells the time, epoch milliseconds. */
  readonly clock?: {
    /** Epoch milliseconds. */
    now(): number
  }
}

/**
 * A store in Redis, for any number of instances.
 *
 * @group Service
 */
export interface RedisStore extends Store {
  /** Writes something short-lived: rejects with StoreUnavailableError while Redis is away, or refuses to write. */
  ping(): Promise<void>
  /** Closes the connection that the store has opened. A client that was handed in is left as it is. */
  close(): Promise<void>
}

/** A record as it lies in Redis: when it expires, which write it is of, and its value. */
type Stored = readonly [expiresAt: number, write: string, value: NonNullable<Json>]

/**
 * Keeps everything in Redis, or in a Redis Cluster: each record is one key, and each script touches one key.
 *
 * An update that leaves its record as it is takes one round trip, and one that writes takes two. While Redis is away,
 * updates are tried again until the time is up. An update that was rejected was made at most once: where the
 * connection broke before the answer came, it may have been made.
 *
 * @param redis An address (`redis://` or `rediss://`), or a connected client, whose affair it is to connect again. Make
 * that with `disableOfflineQueue: true`, which goes into `defaults` for a cluster: it then writes nothing late.
 * @throws {@link BadOptionError} where the address cannot be used. Updates reject with {@link StoreUnavailableError} while Redis is
 * away.
 * @group Service
 */
export function redisStore(
  redis: string | RedisClient,
  { prefix = 'authgraph:', timeout = 2, clock = Date }: RedisStoreOptions = {},
): RedisStore {
  if (!(timeout > 0)) throw new BadOptionError('timeout must be a number of seconds, more than 0')
  if (typeof redis !== 'string' && typeof redis?.evalSha !== 'function')
    throw new BadOptionError(
      'give the address of Redis as text, such as redis://127.0.0.1, or a connected client',
    )
  const connection = typeof redis === 'string' ? connectTo(redis, timeout * 1000) : given(redis)
  const inTurn = createTurns()

  /** Tries until it succeeds or time is up. `onFailure` hears of each try that failed. */
  async function persist<Reply>(
    deadline: number,
    command: (client: RedisClient) => Promise<Reply>,
    onFailure: () => void = () => undefined,
  ): Promise<Reply> {
    const run = (client: RedisClient) => {
      if (client.isReady === false) throw Object.assign(new Error('not connected'), { code: 'ENOTCONN' })
      return command(client)
    }
    let why = 'no answer'
    for (let pause = PAUSE.shortest; ; pause = Math.min(2 * pause, PAUSE.longest)) {
      try {
        const left = Math.max(0, deadline - performance.now())
        return await withDeadline(left, connection.client().then(run), () => unavailable(why))
      } catch (error) {
        onFailure()
        if (error instanceof BadOptionError || error instanceof StoreUnavailableError) throw error
        why = reasonOf(error)
        const wait = pause * (0.5 + Math.random() / 2)
        if (performance.now() + wait >= deadline) throw unavailable(why)
        await sleep(wait)
      }
    }
  }

  function read(raw: string): Json | undefined {
    if (raw === '') return undefined
    const [expiresAt, , value] = JSON.parse(raw) as Stored
    return expiresAt > clock.now() ? value : undefined
  }

  function write(made: Extract<Change<unknown>, { value: NonNullable<Json> | null }>): [string, string] {
    if (made.value === null) return ['', '0']
    const stored: Stored = [made.expiresAt, crypto.randomUUID(), made.value]
    // Counted from now, since the clock of Redis may be another one.
    return [JSON.stringify(stored), String(Math.max(1, Math.ceil(made.expiresAt - clock.now())))]
  }

  /** Writes what `made` says if the record still is `raw`. Answers the record that there is, and whether it is ours. */
  async function compareAndSet(
    key: string,
    raw: string,
    made: Extract<Change<unknown>, { value: NonNullable<Json> | null }>,
    deadline: number,
  ): Promise<{ readonly done: boolean; readonly raw: string }> {
    const [next, lifetime] = write(made)
    const options = { keys: [key], arguments: [raw, next, lifetime] }
    let inDoubt = false
    const present = await persist(
      deadline,
      (client) => evaluate(client, options),
      () => {
        inDoubt = true
      },
    )
    // Equal where an earlier try was made, although its answer did not come.
    if (present === null || present === next) return { done: true, raw: next }
    // That try may have been made, and another instance has changed the record since: once more would be twice.
    if (inDoubt) throw unavailable('the connection broke')
    return { done: false, raw: present }
  }

  async function update<Result>(
    key: string,
    change: (value: Json | undefined) => Change<Result>,
  ): Promise<Result> {
    const deadline = performance.now() + timeout * 1000
    const name = `${prefix}{${key}}`
    let raw = (await persist(deadline, (client) => client.get(name))) ?? ''
    let made = change(read(raw))
    if (made.value === undefined) return made.result

    return inTurn(name, async (known) => {
      if (known !== undefined && known !== raw) {
        raw = known
        made = change(read(raw))
      }
      for (let tries = 1; made.value !== undefined; tries += 1) {
        const written = await compareAndSet(name, raw, made, deadline)
        raw = written.raw
        if (written.done) break
        made = change(read(raw))
        await sleep(Math.random() * Math.min(tries, STEP_BACK))
        if (performance.now() > deadline) throw unavailable('other instances were faster')
      }
      return { result: made.result, known: raw }
    })
  }

  // Whoever asks meanwhile shares the answer: anybody may ask, and as often as he likes.
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
    close: connection.close,
  }
}

/** A Redis that has restarted knows no script. */
async function evaluate(client: RedisClient, options: ScriptOptions): Promise<string | null> {
  try {
    return (await client.evalSha(COMPARE_AND_SET_HASH, options)) as string | null
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return (await client.eval(COMPARE_AND_SET, options)) as string | null
  }
}

/**
 * Lets the updates of one key that this process makes follow each other: only those of other processes are then in
 * their way. Each is told the record that the one before it has left; `undefined` where that is not known.
 */
function createTurns() {
  const last = new Map<string, Promise<string | undefined>>()

  return async <Result>(
    key: string,
    task: (known: string | undefined) => Promise<{ readonly result: Result; readonly known: string }>,
  ): Promise<Result> => {
    const mine = (last.get(key) ?? Promise.resolve(undefined)).then(task)
    const turn = mine.then(
      ({ known }) => known,
      () => undefined,
    )
    last.set(key, turn)
    try {
      return (await mine).result
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}

function unavailable(why: string): StoreUnavailableError {
  return new StoreUnavailableError(`the store in Redis is not available: ${why}`)
}

/** The code of the system, or the first word of what Redis says: `ECONNREFUSED`, `OOM`. The rest may quote values. */
function reasonOf(error: unknown): string {
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string }
  return typeof code === 'string' ? code : (/^[A-Z]{2,}(?= )/.exec(message)?.[0] ?? 'no connection')
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
