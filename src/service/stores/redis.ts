/**
 * A store in Redis, which several instances of a service can share. Start with {@link redisStore}.
 *
 * @module authgraph/service/redis
 */

import { createHash } from 'node:crypto'
import { assertKnown } from '../../assert-known.ts'
import { BadOptionError } from '../../errors.ts'
import {
  compareAndSetStore,
  type DatabaseStore,
  type DatabaseStoreOptions,
  STORE_OPTIONS,
} from './compare-and-set.ts'
import { connectTo, fromClient, type RedisClient, type ScriptOptions } from './redis-connection.ts'

export { BadOptionError, StoreUnavailableError } from '../../errors.ts'
export type { DatabaseStore, DatabaseStoreOptions } from './compare-and-set.ts'
export type { RedisClient, ScriptOptions } from './redis-connection.ts'

/**
 * Replaces a record if it is unchanged since it was read, and returns nil. Otherwise returns the current record, which
 * saves the next attempt a read. An empty string stands for no record.
 */
const COMPARE_AND_SET = `
local present = redis.call('GET', KEYS[1]) or ''
if present ~= ARGV[1] then return present end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return nil`

const COMPARE_AND_SET_HASH = createHash('sha1').update(COMPARE_AND_SET).digest('hex')

/** Commands that may wait for a response. Clients keep those of a silent Redis, also of updates long rejected. */
const UNANSWERED = 2000

/** Reasons for which the store did not send a command: no connection, or too many commands without a response. */
const UNSENT = ['ENOTCONN', 'ENOBUFS']

/**
 * Creates a store in Redis or Redis Cluster. Each record is one key, and each script uses one key.
 *
 * An update takes one round trip if it changes nothing, or a record that no other instance has changed since this one read or
 * wrote it; otherwise two. While Redis is not available, updates are retried until the timeout, then reject with
 * {@link StoreUnavailableError}. A rejected update was applied at most once: if the connection broke before the response, it
 * may have been applied. The store remembers up to eight million characters of records.
 *
 * At most 2,000 commands wait for a response, so that a Redis that accepts commands but does not respond costs little
 * memory. A connection that the store opened is replaced if a command gets no response within the timeout.
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
 * `disableOfflineQueue: true` (for a cluster, in `defaults`), so that no command runs late. Each command must settle when
 * the connection ends.
 * @throws {@link BadOptionError} if the URL or an option is not valid.
 */
export function redisStore(redis: string | RedisClient, options: DatabaseStoreOptions = {}): DatabaseStore {
  assertKnown(options, STORE_OPTIONS)
  const { prefix = 'authgraph:', timeout = 2, clock = Date } = options
  if (typeof redis !== 'string' && typeof redis?.evalSha !== 'function')
    throw new BadOptionError('redis must be a URL such as redis://127.0.0.1, or a connected client')
  const connection = typeof redis === 'string' ? connectTo(redis, timeout * 1000) : fromClient(redis)
  const nameOf = (key: string) => `${prefix}{${key}}`

  let unanswered = 0
  /** Sends a command, unless Redis leaves too many without a response. */
  async function send<Result>(command: (client: RedisClient) => Promise<Result>): Promise<Result> {
    const client = await connection.client()
    if (client.isReady === false) throw failure('ENOTCONN')
    if (unanswered >= UNANSWERED) throw failure('ENOBUFS')
    unanswered += 1
    // By then, the update has been rejected.
    const timer = setTimeout(() => connection.giveUp(client), timeout * 1000)
    try {
      return await command(client)
    } finally {
      clearTimeout(timer)
      unanswered -= 1
    }
  }

  const store = compareAndSetStore(
    {
      name: 'Redis',
      read: async (key) => (await send((client) => client.get(nameOf(key)))) ?? '',
      async compareAndSet(key, before, after, expiresAt) {
        // A duration, since the clock of Redis may differ from ours.
        const lifetime = String(Math.max(1, Math.ceil(expiresAt - clock.now())))
        const options = { keys: [nameOf(key)], arguments: [before, after, lifetime] }
        return send((client) => evaluate(client, options))
      },
      reasonOf,
      mayHaveWritten: (error) => !UNSENT.includes(reasonOf(error) ?? ''),
    },
    { timeout, clock },
  )
  return { ...store, close: connection.close }
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

function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/** Returns the system error code or the first word of a Redis error, such as `ECONNREFUSED` or `OOM`. */
function reasonOf(error: unknown): string | undefined {
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string }
  return typeof code === 'string' ? code : /^[A-Z]{2,}(?= )/.exec(message)?.[0]
}
