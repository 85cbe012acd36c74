import type { MemoryStore } from '../../src/service/stores/memory.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { Choices, fold, mix } from './choices.ts'
import type { Instance } from './instance.ts'
import { Judge } from './judge.ts'
import type { Profile } from './profiles.ts'
import { Redis } from './redis.ts'

/** The number of those who do not log in: attackers, and the machinery. */
export const NOBODY = -1

/** Virtual milliseconds after which a world should long have ended. */
const LONGEST = 6 * 60 * 60 * 1000

/** Events between two looks at the runtime's own event loop. */
const BATCH = 64

/** One request, from the moment it is sent. */
export interface Exchange {
  /** Its name: the number of the login, and which of its requests it is. */
  readonly id: string
  readonly login: number
  readonly kind: 'codes' | 'poll' | 'decision' | 'user' | 'flood'
  /** When an instance began to handle it. */
  arrivedAt: number
  instance: Instance | undefined
  /** Whether whoever sent it has hung up. */
  isGone: boolean
  /** Random values and store commands that it has used: what the next one is named by. */
  draws: number
  commands: number
}

/** A timer of a world, which keeps its place when the instance stands still. */
export interface Handle {
  timer: unknown
}

export interface Violation {
  readonly login: number
  readonly at: number
  readonly what: string
}

/** Everything that a run is made of: time, choices, Redis, instances, the judge, and whose event is being run. */
export class World {
  readonly profile: Profile
  readonly choices: Choices
  readonly time = new VirtualTime()
  readonly start = this.time.now
  readonly redis = new Redis(this)
  /** The store of the only instance, where it is one in memory. */
  memory: MemoryStore | undefined
  readonly judge = new Judge(this)
  readonly instances: Instance[] = []
  readonly faults = new Map<string, number>()
  readonly violations: Violation[] = []
  /** What happened to the login that is traced. */
  readonly trace: string[] = []
  digest = 0
  events = 0
  updates = 0
  /** Logins that have not ended. */
  active = 0
  /** Whose event is being run: what it sets off belongs to them too. */
  login = NOBODY
  exchange: Exchange | undefined
  instance: Instance | undefined
  readonly #clock = this.time.clock()
  readonly #traced: number | undefined
  /** The minute of the last line of the trace. */
  #minute = -1
  readonly #requests = new Map<number, number>()
  readonly #ownDraws = { draws: 0 }

  constructor(profile: Profile, seed: number, traced?: number) {
    this.profile = profile
    this.choices = new Choices(seed)
    this.#traced = traced
  }

  get now(): number {
    return this.time.now
  }

  /** Runs something later. What an instance does vanishes with it, and waits while it stands still. */
  after(milliseconds: number, run: () => void, instance?: Instance): Handle {
    const { login, exchange } = this
    const fire = () => {
      if (instance?.isDead) return
      if (instance && instance.stalledUntil > this.now) {
        handle.timer = this.#clock.setTimeout(fire, Math.ceil(instance.stalledUntil - this.now))
        return
      }
      this.login = login
      this.exchange = exchange
      this.instance = instance
      run()
    }
    const handle: Handle = { timer: this.#clock.setTimeout(fire, milliseconds) }
    return handle
  }

  clear(handle: Handle | undefined): void {
    if (handle !== undefined) this.#clock.clearTimeout(handle.timer)
  }

  /** Begins a request of a login. */
  begin(login: number, kind: Exchange['kind']): Exchange {
    const count = (this.#requests.get(login) ?? 0) + 1
    this.#requests.set(login, count)
    const id = `${login}.${count}`
    return { id, login, kind, arrivedAt: 0, instance: undefined, isGone: false, draws: 0, commands: 0 }
  }

  /** 32 random bits: named by the request that is being handled. */
  draw(): number {
    const owner = this.exchange ?? this.#ownDraws
    owner.draws += 1
    return this.choices.bits('draw', this.exchange?.id ?? NOBODY, owner.draws)
  }

  /** Counts a fault. */
  count(fault: string): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1)
  }

  /** Writes down what happened: for the digest of the run, and for the trace of a login. */
  note(login: number, side: string, text: string): void {
    this.digest = fold(mix(mix(this.digest, this.now), login), text)
    if (login !== this.#traced) return
    const seconds = (this.now - this.start) / 1000
    if (Math.floor(seconds / 60) !== this.#minute) {
      this.#minute = Math.floor(seconds / 60)
      this.trace.push(`minute ${this.#minute}`)
    }
    this.trace.push(`${seconds.toFixed(3).padStart(9)} s  ${side.padEnd(12)} ${text}`)
  }

  fail(login: number, what: string): void {
    this.note(login, 'judge', `VIOLATION: ${what}`)
    this.violations.push({ login, at: this.now, what })
  }

  /** Runs every event. After each one, Node runs what waits for promises alone, before it takes the next one. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      let isOver = false
      const turn = () => {
        if (isOver) return
        this.login = NOBODY
        this.exchange = undefined
        this.instance = undefined
        this.events += 1
        const isEndless = this.now - this.start > LONGEST
        if (isEndless) this.fail(NOBODY, `${this.time.timers} timers are left after ${LONGEST} ms`)
        if (!isEndless && this.time.step()) return
        isOver = true
        resolve()
      }
      const batch = () => {
        for (let count = 1; count < BATCH; count += 1) setImmediate(turn)
        setImmediate(() => {
          turn()
          if (!isOver) batch()
        })
      }
      batch()
    })
  }
}
