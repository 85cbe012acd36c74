import type { Instance } from './instance.ts'
import type { World } from './world.ts'

/** Milliseconds of the way to the database and back. */
const WAY = [1, 7] as const

interface Stored {
  readonly raw: string
  /** When it expires, epoch milliseconds. */
  readonly until: number
}

/** A model of the database that the instances share: its records, and how a connection to it fails. */
export class Database {
  readonly #world: World
  readonly #records = new Map<string, Stored>()
  #writes: { readonly at: number; readonly key: string; readonly before: Stored | undefined }[] = []
  /** Until when it refuses connections, epoch milliseconds. */
  awayUntil = 0
  /** Hashes of the scripts that Redis knows. */
  readonly scripts = new Set<string>()
  /** Steps of the schema that SQL has been given; `undefined` before there is a table for them. */
  migrations: number | undefined
  /** When something last went wrong here. */
  troubledAt = Number.NEGATIVE_INFINITY

  constructor(world: World) {
    this.#world = world
  }

  /** Keys of the records that have not expired. */
  get keys(): string[] {
    return [...this.#records].filter(([, { until }]) => until > this.#world.now).map(([key]) => key)
  }

  /**
   * Carries one command there and its response back, or not. The command of an instance that dies meanwhile is run or not.
   *
   * @param goDown Called where the connection breaks, with the time for which it stays so.
   */
  send<Reply>(
    instance: Instance,
    run: () => Reply,
    goDown: (milliseconds: number) => void = () => undefined,
  ): Promise<Reply> {
    const world = this.#world
    const { choices, exchange } = world
    const names = exchange ? [exchange.id, exchange.commands] : ['start']
    if (exchange) exchange.commands += 1
    const fault = world.fault('command', world.login, ...names)
    if (fault) this.troubledAt = world.now
    const between = (from: number, to: number, what: string) => choices.between(from, to, what, ...names)
    if (fault === 'outage') this.awayUntil = world.now + between(100, 4000, 'outage')
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
        if (fault === 'lose' || world.now < this.awayUntil) return breakDown()
        if (fault === 'failover') this.#failOver(between(0, world.profile.lag * 1000, 'lag'))
        if (fault === 'silence' && choices.happens(0.5, 'silence', ...names)) return
        if (fault === 'refuse') return back(() => reject(Object.assign(new Error('busy'), { code: '40001' })))
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

  /** The record of a key, if there is one, also if it has expired. */
  read(key: string): Stored | undefined {
    return this.#records.get(key)
  }

  /** Replaces a record. */
  write(key: string, next: string, until: number): void {
    const { now, judge, profile } = this.#world
    this.#writes.push({ at: now, key, before: this.#records.get(key) })
    if (this.#writes.length > 256)
      this.#writes = this.#writes.filter(({ at }) => at >= now - profile.lag * 1000)
    this.#records.set(key, { raw: next, until })
    judge.wrote(key, recordIn(next), until - now)
  }

  /** Deletes records that have expired by the clock of whoever asks. */
  sweep(now: number, most: number): string[] {
    const expired = [...this.#records].filter(([, { until }]) => until <= now).slice(0, most)
    for (const [key] of expired) this.#records.delete(key)
    return expired.map(([key]) => key)
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
    this.scripts.clear()
  }
}

/** Reads the value of a record as the store writes it. */
function recordIn(raw: string): unknown {
  return raw === '' ? undefined : (JSON.parse(raw)[2] ?? undefined)
}
