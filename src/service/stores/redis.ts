/**
 * A store in Redis, which several instances of a service can share.
 *
 * @module authgraph/service/redis
 */

import { createHash } from 'node:crypto'
import { BadOptionError, StoreUnavailableError } from '../../errors.ts'
import { type Change, type Json, NEVER, type Store } from '../../store/store.ts'
import { createTurns } from '../../store/turns.ts'
import { withDeadline } from '../deadline.ts'
import { connectTo, given, PAUSE, type RedisClient, type ScriptOptions } from './redis-connection.ts'

export { BadOptionError, StoreUnavailableError } from '../../errors.ts'
export type { RedisClient, ScriptOptions } from './redis-connection.ts'

/**
 * Replaces a record if it is unchanged since it was read, and returns nil. Otherwise returns the current record, which
 * saves the next attempt a read. An empty string stands for no record.
 */
const COMPARE_AND_SET = `
local present = redis.call('GET', KEYS[1]) or ''
if present ~= ARGV[1] then return present end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return nil`

const COMPARE_AND_SET_HASH = createHash('sha1').update(COMPARE_AND_SET).digest('hex')

/** Milliseconds of the longest pause after a conflict with another instance. */
const STEP_BACK = 8

/** Milliseconds for which Redis keeps the record that `ping` writes. */
const PING_LIFETIME = 60_000

/**
 * Options of {@link redisStore}.
 *
 * @group Service
 */
export interface RedisStoreOptions {
  /** Prefix of every key. Default: `authgraph:`. Services that share a Redis need different prefixes. */
  readonly prefix?: string
  /** Seconds after which an update is rejected while Redis is not available. Default: 2. */
  readonly timeout?: number
  /** Default: `Date`. */
  readonly clock?: {
    /** Returns the current time in epoch milliseconds. */
    now(): number
  }
}

/**
 * A store in Redis, which any number of instances can share.
 *
 * @group Service
 */
export interface RedisStore extends Store {
  /**
   * Writes a short-lived record. Rejects with {@link StoreUnavailableError} if Redis is not available or refuses writes.
   * Concurrent pings share one result.
   */
  ping(): Promise<void>
  /** Closes the connection that the store opened. A client that you passed stays open. */
  close(): Promise<void>
}

/** A record in Redis: when it expires (epoch milliseconds), the id of its write, and its value. */
type Stored = readonly [expiresAt: number, write: string, value: NonNullable<Json>]

/**
 * Creates a store in Redis or Redis Cluster. Each record is one key, and each script uses one key.
 *
 * An update takes one round trip if it changes nothing, otherwise two. While Redis is not available, updates are retried
 * until the timeout, then reject with {@link StoreUnavailableError}. A rejected update was applied at most once: if the
 * connection broke before the response, it may have been applied.
 *
 * ```ts
 * import { createService } from 'authgraph/service'
 * import { redisStore } from 'authgraph/service/redis'
 *
 * const service = createService({
 *   clients: [{ clientId: 'my-client-id', name: 'My app' }],
 *   store: redisStore('redis://127.0.0.1'),
 * })
 * ```
 *
 * @param redis A URL (`redis://` or `rediss://`), or a connected client that reconnects automatically. Create the client with
 * `disableOfflineQueue: true` (for a cluster, in `defaults`), so that no command runs late.
 * @throws {@link BadOptionError} if the URL or an option is not valid.
 * @group Service
 */
export function redisStore(
  redis: string | RedisClient,
  { prefix = 'authgraph:', timeout = 2, clock = Date }: RedisStoreOptions = {},
): RedisStore {
  if (!(timeout > 0)) throw new BadOptionError('timeout must be a number of seconds, more than 0')
  if (typeof redis !== 'string' && typeof redis?.evalSha !== 'function')
    throw new BadOptionError('redis must be a URL such as redis://127.0.0.1, or a connected client')
  const connection = typeof redis === 'string' ? connectTo(redis, timeout * 1000) : given(redis)
  const inTurn = createTurns()

  /** Retries until the command succeeds or the deadline passes. Calls `onFailure` after each failed attempt. */
  async function persist<Result>(
    deadline: number,
    command: (client: RedisClient) => Promise<Result>,
    onFailure: () => void = () => undefined,
  ): Promise<Result> {
    const run = (client: RedisClient) => {
      if (client.isReady === false) throw Object.assign(new Error('not connected'), { code: 'ENOTCONN' })
      return command(client)
    }
    let why = 'no response'
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
    const { expiresAt = NEVER } = made
    const stored: Stored = [expiresAt, crypto.randomUUID(), made.value]
    // A duration, since the clock of Redis may differ from ours.
    return [JSON.stringify(stored), String(Math.max(1, Math.ceil(expiresAt - clock.now())))]
  }

  /** Writes `made` if the record is still `raw`. Returns the current record, and whether the write was done. */
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
    // Equal if an earlier attempt was applied, but its response was lost.
    if (present === null || present === next) return { done: true, raw: next }
    // A failed attempt may have been applied before another instance changed the record: a retry could apply it twice.
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
        if (performance.now() > deadline) throw unavailable('too many conflicts with other instances')
      }
      return { result: made.result, known: raw }
    })
  }

  // Concurrent pings share one result, so that nobody can flood Redis through `GET /readyz`.
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

/** Redis loses its script cache when it restarts. */
async function evaluate(client: RedisClient, options: ScriptOptions): Promise<string | null> {
  try {
    return (await client.evalSha(COMPARE_AND_SET_HASH, options)) as string | null
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return (await client.eval(COMPARE_AND_SET, options)) as string | null
  }
}

function unavailable(why: string): StoreUnavailableError {
  return new StoreUnavailableError(`Redis is not available: ${why}`)
}

/** Returns the system error code or the first word of a Redis error, such as `ECONNREFUSED` or `OOM`. The rest may quote values. */
function reasonOf(error: unknown): string {
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string }
  return typeof code === 'string' ? code : (/^[A-Z]{2,}(?= )/.exec(message)?.[0] ?? 'no connection')
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
