import type { Json } from '../../src/store/store.ts'
import type { Host } from './host.ts'
import type { World } from './world.ts'

/** Milliseconds of the way to the database and back. */
const WAY = [1, 7] as const

/** A record with the update that wrote it, which begins with the request or the process that made it. */
export interface Boxed {
  readonly update: string
  readonly value: NonNullable<Json>
}

/** What was written under a key, and until when it is kept: epoch milliseconds. */
export interface Version extends Partial<Boxed> {
  readonly at: number
  readonly until: number
  /** The record as the store writes it. */
  readonly raw: string
}

/** All that was written under a key, without what a failover has lost. */
export interface History {
  readonly key: string
  /** The beginning of its key, and the rest. */
  readonly kind: string
  readonly name: string
  readonly versions: Version[]
  /** When a failover last lost some of it. */
  undoneAt: number
  /** Whether the record was deleted, since it has expired. */
  isSwept: boolean
}

/** A model of a database that several hosts share: what was written, and how a connection to it fails. */
export class Database {
  readonly #world: World
  readonly #faults: 'command' | 'disk'
  readonly histories = new Map<string, History>()
  /** Until when it refuses connections, epoch milliseconds. */
  awayUntil = 0
  /** Hashes of the scripts that Redis knows. */
  readonly scripts = new Set<string>()
  /** Steps of the schema that SQL has been given; `undefined` before there is a table for them. */
  migrations: number | undefined
  /** When something went wrong here. */
  readonly troubles: number[] = []

  /** @param faults What goes wrong with its commands. */
  constructor(world: World, faults: 'command' | 'disk') {
    this.#world = world
    this.#faults = faults
  }

  /** Carries one command there and its response back, or not. The command of a host that dies meanwhile is run or not. */
  send<Reply>(host: Host, run: () => Reply): Promise<Reply> {
    const world = this.#world
    const { choices } = world
    const actor = this.#faults === 'command' ? (world.exchange ?? host) : host
    actor.commands += 1
    const names = [actor.id, actor.commands]
    const fault = world.fault(this.#faults, world.login, ...names)
    if (fault) this.troubles.push(world.now)
    const between = (from: number, to: number, what: string) => choices.between(from, to, what, ...names)
    if (fault === 'outage') this.awayUntil = world.now + between(100, 4000, 'outage')
    return new Promise((resolve, reject) => {
      // The way there is long enough for others to come between; only a host that stands still receives later.
      const back = (settle: () => void) => {
        if (host.stalledUntil > world.now) return world.after(0, settle, host)
        world.instance = host
        return host.isDead || settle()
      }
      const breakDown = () => {
        host.downUntil = Math.max(host.downUntil, world.now + between(10, 300, 'down'))
        back(() => reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })))
      }
      const way = between(...WAY, 'way') + (fault === 'late' ? between(500, 6000, 'late') : 0)
      world.after(way, () => {
        if (host.isDead && choices.happens(0.5, 'dies', ...names)) return
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

  /** When something last went wrong here. */
  get troubledAt(): number {
    return this.troubles.at(-1) ?? Number.NEGATIVE_INFINITY
  }

  historyOf(key: string): History {
    const known = this.histories.get(key)
    if (known) return known
    const [kind = ''] = key.split(':', 1)
    const name = key.slice(kind.length + 1)
    const history = { key, kind, name, versions: [], undoneAt: Number.NEGATIVE_INFINITY, isSwept: false }
    this.histories.set(key, history)
    return history
  }

  /** The record of a key, if there is one, also if it has expired. */
  read(key: string): Version | undefined {
    const history = this.histories.get(key)
    return history?.isSwept ? undefined : history?.versions.at(-1)
  }

  /** Replaces a record. Of one that was deleted, a mark is left. */
  write(key: string, raw: string, until: number): void {
    this.add(key, raw, until, JSON.parse(raw)[2] ?? {})
  }

  add(key: string, raw: string, until: number, boxed: Partial<Boxed>): void {
    const history = this.historyOf(key)
    history.isSwept = false
    const { update, value } = boxed
    history.versions.push({ at: this.#world.now, until, raw, ...(update && { update, value }) })
    this.#world.judge.wrote(history)
  }

  /** Deletes records that have expired by the clock of whoever asks. */
  sweep(now: number, most: number): string[] {
    const expired = [...this.histories.values()].filter(
      ({ key }) => (this.read(key)?.until ?? now + 1) <= now,
    )
    const swept = expired.slice(0, most)
    for (const history of swept) history.isSwept = true
    return swept.map(({ key }) => key)
  }

  /** A replica takes over. It lacks the last writes. */
  #failOver(lag: number): void {
    const { now, judge } = this.#world
    for (const history of this.histories.values()) {
      const first = history.versions.findIndex(({ at }) => at >= now - lag)
      if (first === -1) continue
      const lost = history.versions.splice(first)
      history.undoneAt = now
      judge.undone(history, lost)
    }
    this.scripts.clear()
  }
}
