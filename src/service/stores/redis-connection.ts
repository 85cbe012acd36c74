import { BadOptionError } from '../../errors.ts'
import { PAUSES } from './compare-and-set.ts'

/**
 * The part of a Redis client that the store uses. `createClient()` and `createCluster()` of the package `redis` return
 * one.
 */
export interface RedisClient {
  /** While it is false, the store sends no commands: a queued one could run long after its update was rejected. */
  readonly isReady?: boolean
  /** Reads a key. */
  get(key: string): Promise<string | null>
  /** Runs a cached script by its SHA-1 hash. */
  evalSha(sha1: string, options: ScriptOptions): Promise<unknown>
  /** Runs a script by its source. */
  eval(script: string, options: ScriptOptions): Promise<unknown>
}

/** The keys and arguments of a script. */
export interface ScriptOptions {
  /** The one key that the script uses. */
  readonly keys: string[]
  /** The values of `ARGV`. */
  readonly arguments: string[]
}

/** Provides the client of the store. */
export interface Connection {
  client(): Promise<RedisClient>
  /** Breaks the connection of a client that does not respond, so that a new one replaces it. */
  giveUp(silent: RedisClient): void
  close(): Promise<void>
}

/** Uses a client of the host, which stays open. */
export function fromClient(client: RedisClient): Connection {
  return { client: async () => client, giveUp: () => undefined, close: async () => undefined }
}

/**
 * Connects with the package `redis` on the first command, and reconnects when the connection is lost.
 *
 * @param patience Milliseconds after which a connection that Redis does not accept or greet is given up.
 */
export function connectTo(url: string, patience: number): Connection {
  if (!/^rediss?:\/\//i.test(url) || !URL.canParse(url))
    throw new BadOptionError('the Redis URL must start with redis:// or rediss://')

  let redis: Promise<typeof import('redis')> | undefined
  let opened: ReturnType<typeof open> | undefined

  const giveUp = (silent: RedisClient) => {
    if (silent !== opened?.client) return
    opened.client.destroy()
    opened = undefined
  }
  return {
    async client() {
      redis ??= import('redis').catch(() => {
        throw new BadOptionError('to connect to a Redis URL, install the package "redis": npm install redis')
      })
      // Not in one expression, which looks before it waits: each command that began meanwhile would open its own.
      const module = await redis
      opened ??= open(module, url, patience)
      const { client, failure, acceptedAt } = opened
      if (client.isReady) return client
      if (performance.now() - acceptedAt > patience) giveUp(client)
      if (failure !== undefined) throw failure
      return client
    },
    giveUp,
    async close() {
      await redis?.catch(() => undefined)
      if (opened?.client.isReady) await opened.client.close()
      else opened?.client.destroy()
    },
  }
}

function open({ createClient }: typeof import('redis'), url: string, connectTimeout: number) {
  const client = createClient({
    url,
    // A queued command could run long after its update was rejected.
    disableOfflineQueue: true,
    commandOptions: { timeout: 0 },
    socket: { connectTimeout, reconnectStrategy: (tries) => Math.min(2 ** tries * 10, PAUSES.longest) },
  })
  // Earlier versions have neither this method nor the limits given here.
  if (typeof client.close !== 'function')
    throw new BadOptionError('the installed package "redis" is too old: version 5 or later is needed')
  const state = {
    client,
    /** Why the last attempt to connect failed. */
    failure: undefined as unknown,
    /** When Redis accepted a connection that it has not greeted yet, by `performance.now()`. */
    acceptedAt: Number.POSITIVE_INFINITY,
  }
  client.on('connect', () => {
    state.acceptedAt = performance.now()
  })
  client.on('error', (error) => {
    state.failure = error
    state.acceptedAt = Number.POSITIVE_INFINITY
  })
  // Rejects when the client is closed. Earlier failures arrive as events.
  void client.connect().catch(() => undefined)
  return state
}
