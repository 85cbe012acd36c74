import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { Choices, fold, mix } from './choices.ts'

/** The number of those who do not log in: attackers, and the machinery. */
export const NOBODY = -1

/** Virtual milliseconds after which a simulation should long have ended. */
const LONGEST = 24 * 60 * 60 * 1000

/** Events between two looks at the runtime's own event loop. */
const BATCH = 64

/** An instance of the service, or a process with a session. */
export interface Host {
  readonly name: string
  isDead: boolean
  /** Until when it stands still, epoch milliseconds. */
  stalledUntil: number
}

/** A timer of a simulation, which keeps its place when its host stands still. */
export interface Handle {
  timer: unknown
}

/** What random values are named by, and how many were drawn. */
export interface Drawer {
  readonly id: string
  draws: number
}

export interface Violation {
  readonly login: number
  readonly at: number
  readonly what: string
}

/** What every simulation is made of: time, choices, what was found, and whose event is being run. */
export abstract class Simulation {
  readonly choices: Choices
  readonly time = new VirtualTime()
  readonly start = this.time.now
  readonly faults = new Map<string, number>()
  readonly violations: Violation[] = []
  /** Documented losses, by their name. */
  readonly losses = new Map<string, number>()
  /** How its logins, or calls for a token, have ended. */
  readonly ends: string[] = []
  /** What happened to the login that is traced. */
  readonly trace: string[] = []
  /** How many logins or renewals it has run, and which of them. */
  abstract readonly size: number
  abstract readonly unit: 'logins' | 'renewals'
  digest = 0
  events = 0
  checks = 0
  /** Whose event is being run: what it sets off belongs to them too. */
  login = NOBODY
  exchange: Drawer | undefined
  instance: Host | undefined
  readonly #clock = this.time.clock()
  readonly #traced: number | undefined
  /** The minute of the last line of the trace. */
  #minute = -1
  readonly #own: Drawer = { id: String(NOBODY), draws: 0 }

  constructor(seed: number, traced?: number) {
    this.choices = new Choices(seed)
    this.#traced = traced
  }

  get now(): number {
    return this.time.now
  }

  /** Runs something later. What an instance does vanishes with it, and waits while it stands still. */
  after(milliseconds: number, run: () => void, instance?: Host): Handle {
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

  /** 32 random bits: named by the request that is being handled. */
  draw(): number {
    const owner = this.exchange ?? this.#own
    owner.draws += 1
    return this.choices.bits('draw', owner.id, owner.draws)
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

  holds(holds: boolean, login: number, what: string | (() => string)): void {
    this.checks += 1
    if (!holds) this.fail(login, typeof what === 'string' ? what : what())
  }

  /** A loss that is documented. */
  lose(login: number, reason: string): void {
    this.losses.set(reason, (this.losses.get(reason) ?? 0) + 1)
    this.note(login, 'judge', `a documented loss: ${reason}`)
  }

  fail(login: number, what: string): void {
    this.note(login, 'judge', `VIOLATION: ${what}`)
    this.violations.push({ login, at: this.now, what })
  }

  /** Runs every event. After each one, Node runs what waits for promises alone, before it takes the next one. */
  async run(): Promise<void> {
    let isOver = false
    const turn = () => {
      isOver ||= !this.#turn()
    }
    while (!isOver) {
      for (let count = 0; count < BATCH; count += 1) setImmediate(turn)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Runs the next event. Returns whether there was one. */
  #turn(): boolean {
    this.login = NOBODY
    this.exchange = undefined
    this.instance = undefined
    this.events += 1
    if (this.now - this.start > LONGEST) {
      this.fail(NOBODY, `${this.time.timers} timers are left after ${LONGEST} ms`)
      return false
    }
    try {
      return this.time.step()
    } catch (error) {
      this.fail(this.login, `nobody caught ${error}`)
      return true
    }
  }
}
