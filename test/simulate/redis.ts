import { createHash } from 'node:crypto'
import type { RedisClient, ScriptOptions } from '../../src/service/stores/redis-connection.ts'
import type { Instance } from './instance.ts'
import type { World } from './world.ts'

/** The script that this model knows. Whoever changes it has to look at `#compareAndSet` as well. */
const SCRIPT = 'e258d245081e667a68df2584d33d3f7e483570d9'

/** Milliseconds of the way to Redis and back. */
const WAY = [1, 7] as const

/** Milliseconds for which writes are kept that a failover may lose. */
const REPLICATED = 100

interface Stored {
  readonly raw: string
  /** When Redis forgets it, epoch milliseconds. */
  readonly until: number
}

/** A model of Redis: what one script and one read do, and how a connection to it fails. */
export class Redis {
  readonly #world: World
  readonly #records = new Map<string, Stored>()
  #writes: { readonly at: number; readonly key: string; readonly before: Stored | undefined }[] = []
  #knowsScript = false
  #awayUntil = 0
  /** When something last went wrong here. */
  troubledAt = Number.NEGATIVE_INFINITY

  constructor(world: World) {
    this.#world = world
  }

  /** Keys of the records that Redis has not forgotten. */
  get keys(): string[] {
    return [...this.#records].filter(([, { until }]) => until > this.#world.now).map(([key]) => key)
  }

  connect(instance: Instance): RedisClient {
    const world = this.#world
    const redis = this
    let downUntil = 0
    const send = <Reply>(run: () => Reply) =>
      redis.#send(instance, run, (milliseconds) => {
        downUntil = Math.max(downUntil, world.now + milliseconds)
      })
    return {
      get isReady() {
        return world.now >= Math.max(downUntil, redis.#awayUntil)
      },
      get: (key) => send(() => redis.#read(key)?.raw ?? null),
      evalSha: (_, options) =>
        send(() => {
          if (!redis.#knowsScript) throw new Error('NOSCRIPT No matching script.')
          return redis.#compareAndSet(options)
        }),
      eval: (script, options) =>
        send(() => {
          const sha = createHash('sha1').update(script).digest('hex')
          if (sha !== SCRIPT) world.fail(world.login, `the model of Redis does not know script ${sha}`)
          redis.#knowsScript = true
          return redis.#compareAndSet(options)
        }),
    }
  }

  /** Carries one command there and its reply back, or not. The command of an instance that dies meanwhile is run or not. */
  #send<Reply>(instance: Instance, run: () => Reply, goDown: (milliseconds: number) => void): Promise<Reply> {
    const world = this.#world
    const { choices, exchange } = world
    const names = exchange ? [exchange.id, exchange.commands] : ['start']
    if (exchange) exchange.commands += 1
    const fault = world.fault('command', world.login, ...names)
    if (fault) this.troubledAt = world.now
    const between = (from: number, to: number, what: string) => choices.between(from, to, what, ...names)
    if (fault === 'outage') this.#awayUntil = world.now + between(100, 4000, 'outage')
    return new Promise((resolve, reject) => {
      // The way there is long enough for others to come between; only an instance that stands still receives later.
      const back = (settle: () => void) => {
        if (instance.stalledUntil > world.now) return world.after(0, settle, instance)
        world.instance = instance
        return instance.isDead || settle()
      }
      const breakDown = () => {
        goDown(between(10, 300, 'down'))
        back(() => reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })))
      }
      const way = between(...WAY, 'way') + (fault === 'late' ? between(500, 6000, 'late') : 0)
      world.after(way, () => {
        if (instance.isDead && choices.happens(0.5, 'dies', ...names)) return
        if (fault === 'lose' || world.now < this.#awayUntil) return breakDown()
        if (fault === 'failover') this.#failOver(between(0, 60, 'lag'))
        if (fault === 'silence' && choices.happens(0.5, 'silence', ...names)) return
        try {
          const reply = run()
          const last = fault === 'repeat' ? run() : reply
          if (fault === 'silence') return
          if (fault === 'loseReply' || fault === 'failover') return breakDown()
          back(() => resolve(last))
        } catch (error) {
          back(() => reject(error))
        }
      })
    })
  }

  #read(key: string): Stored | undefined {
    const stored = this.#records.get(key)
    return stored && stored.until > this.#world.now ? stored : undefined
  }

  #compareAndSet({ keys: [key = ''], arguments: [expected, next = '', lifetime] }: ScriptOptions) {
    const present = this.#read(key)
    if ((present?.raw ?? '') !== expected) return present?.raw ?? ''
    const { now, judge } = this.#world
    this.#writes.push({ at: now, key, before: present })
    if (this.#writes.length > 256) this.#writes = this.#writes.filter(({ at }) => at >= now - REPLICATED)
    if (next === '') this.#records.delete(key)
    else this.#records.set(key, { raw: next, until: now + Number(lifetime) })
    judge.wrote(key, recordIn(next), Number(lifetime))
    return null
  }

  /** A replica takes over. It lacks the last writes. */
  #failOver(lag: number): void {
    const { now, judge } = this.#world
    const lost = this.#writes.filter(({ at }) => at >= now - lag)
    for (const { key, before } of lost.reverse()) {
      judge.undone(key, recordIn(this.#records.get(key)?.raw ?? ''), recordIn(before?.raw ?? ''))
      if (before) this.#records.set(key, before)
      else this.#records.delete(key)
    }
    this.#writes = []
    this.#knowsScript = false
  }
}

/** Reads the value of a record as the store writes it. */
function recordIn(raw: string): unknown {
  return raw === '' ? undefined : JSON.parse(raw)[2]
}
