import { BadOptionError } from '../../errors.ts'

/** Milliseconds of the shortest and the longest pause before Redis, having failed, is asked again. */
export const PAUSE = { shortest: 20, longest: 200 }

/**
 * What the store asks of a client of Redis: `createClient()` and `createCluster()` of the package `redis` make one.
 *
 * @group Service
 */
export interface RedisClient {
  /** While it is false nothing is asked: what waits in a queue could be done long after its update was given up. */
  readonly isReady?: boolean
  /** Reads a key. */
  get(key: string): Promise<string | null>
  /** Runs a script that Redis knows by the hash of its text. */
  evalSha(sha1: string, options: ScriptOptions): Promise<unknown>
  /** Runs a script by its text. */
  eval(script: string, options: ScriptOptions): Promise<unknown>
}

/**
 * The key that a script touches, and its arguments.
 *
 * @group Service
 */
export interface ScriptOptions {
  readonly keys: string[]
  readonly arguments: string[]
}

/** How the store comes by its client. */
export interface Connection {
  client(): Promise<RedisClient>
  close(): Promise<void>
}

/** A client of the host's own, which stays open. */
export function given(client: RedisClient): Connection {
  return { client: async () => client, close: async () => undefined }
}

/** Connects with the package `redis` when the first command comes, and again whenever the connection was lost. */
export function connectTo(url: string, connectTimeout: number): Connection {
  if (!/^rediss?:\/\//i.test(url) || !URL.canParse(url))
    throw new BadOptionError('the address of Redis must begin with redis:// or rediss://')

  const connect = async () => {
    const { createClient } = await import('redis').catch(() => {
      throw new BadOptionError('the package "redis" is not installed: it connects to the address of a Redis')
    })
    const client = createClient({
      url,
      // A command that waits in a queue could be done long after its update was given up.
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
    // It fails once it was closed; what went wrong before that is an event.
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
