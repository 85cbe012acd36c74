import { BadOptionError } from '../../errors.ts'
import { PAUSE } from './compare-and-set.ts'

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
  close(): Promise<void>
}

/** Uses a client of the host, which stays open. */
export function given(client: RedisClient): Connection {
  return { client: async () => client, close: async () => undefined }
}

/** Connects with the package `redis` on the first command, and reconnects when the connection is lost. */
export function connectTo(url: string, connectTimeout: number): Connection {
  if (!/^rediss?:\/\//i.test(url) || !URL.canParse(url))
    throw new BadOptionError('the Redis URL must start with redis:// or rediss://')

  const connect = async () => {
    const { createClient } = await import('redis').catch(() => {
      throw new BadOptionError('to connect to a Redis URL, install the package "redis": npm install redis')
    })
    const client = createClient({
      url,
      // A queued command could run long after its update was rejected.
      disableOfflineQueue: true,
      commandOptions: { timeout: 0 },
      socket: { connectTimeout, reconnectStrategy: (tries) => Math.min(2 ** tries * 10, PAUSE.longest) },
    })
    // Earlier versions have neither this method nor the limits given here.
    if (typeof client.close !== 'function')
      throw new BadOptionError('the installed package "redis" is too old: version 5 or later is needed')
    client.on('ready', () => {
      failure = undefined
    })
    client.on('error', (error) => {
      failure = error
    })
    // Rejects when the client is closed. Earlier failures arrive as events.
    void client.connect().catch(() => undefined)
    return client
  }

  let connected: ReturnType<typeof connect> | undefined
  let failure: unknown
  return {
    async client() {
      connected ??= connect()
      const client = await connected
      if (failure !== undefined && !client.isReady) throw failure
      return client
    },
    async close() {
      const client = await connected?.catch(() => undefined)
      if (client?.isReady) await client.close()
      else client?.destroy()
    },
  }
}
