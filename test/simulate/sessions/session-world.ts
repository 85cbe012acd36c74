import type { Name } from '../choices.ts'
import { type Host, Simulation } from '../simulation.ts'
import { Disk, type StoreFault } from './disk.ts'
import { type Act, Program } from './program.ts'
import { LIFETIME, RotatingService, type WireFault } from './rotating-service.ts'
import { SessionJudge } from './session-judge.ts'

/** Processes that share the login, and how often all of them wake. */
const PROGRAMS = 4
const ROUNDS = 24

/** Rounds at the end in which nothing fails, so that what is left over shows. */
const CALM = 2

/** Milliseconds from one round to the next: the token has expired. */
const ROUND = 1000 * (LIFETIME + 100)

/** What goes wrong, with its chances. */
const FAULTS = {
  request: { drop: 0.03, hang: 0.01, slow: 0.03, status: 0.03, loseResponse: 0.06 },
  store: { down: 0.02, full: 0.03, slow: 0.02, late: 0.03 },
} as const satisfies {
  readonly request: Readonly<Record<WireFault, number>>
  readonly store: Readonly<Record<StoreFault, number>>
}

/** What befalls a process in a round, and what its user does. */
const EVENTS = { kill: 0.08, freeze: 0.08, exit: 0.1 } as const
const ACTS = { logout: 0.02, login: 0.02 } as const

/** Rounds with a disk that is full for minutes. */
const FULL = 0.05

/** Several processes that wake with one login, over and over. */
export class SessionWorld extends Simulation {
  readonly unit = 'renewals'
  readonly disk = new Disk(this)
  readonly service = new RotatingService(this)
  readonly judge = new SessionJudge(this)
  /** Those that run; a dead one is replaced when its turn to wake comes. */
  readonly programs: Program[] = []
  /** Seconds for which the service answers a spent refresh token with its successor. */
  readonly reuseWindow: number
  /** What it is called in a trace. */
  readonly number: number
  #started = 0

  constructor(first: number, seed: number, traced?: number) {
    super(seed, traced)
    this.login = first
    this.number = first
    this.reuseWindow = Number(this.choices.oneOf({ '0': 0.15, '10': 0.15 }, 'window') ?? 30)
  }

  get size(): number {
    return Math.max(1, this.service.renewals)
  }

  /** Plans all rounds. */
  begin(): void {
    const { choices } = this
    for (let round = 0; round < ROUNDS; round += 1) {
      const at = round * ROUND
      const spread = [20, 300, 3000, 30_000][choices.bits('spread', round) % 4] ?? 0
      for (let index = 0; index < PROGRAMS; index += 1)
        this.after(at + choices.between(0, spread, 'wakes', round, index), () => this.#wake(index, round))
      if (!this.isCalmAt(round) && choices.happens(FULL, 'full', round))
        this.after(at, () => {
          this.disk.fullUntil = this.now + 1000 * choices.between(1, 300, 'full for', round)
        })
    }
  }

  pause(milliseconds: number, host: Host): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve, host))
  }

  faultOf<Kind extends keyof typeof FAULTS>(kind: Kind, ...names: Name[]) {
    if (this.isCalmAt(Math.floor((this.now - this.start) / ROUND))) return undefined
    const fault = this.choices.oneOf<keyof (typeof FAULTS)[Kind] & string>(
      FAULTS[kind] as never,
      kind,
      ...names,
    )
    if (fault === undefined) return undefined
    this.count(`${kind}: ${fault}`)
    this.note(this.number, String(names[0]), `${kind}: ${fault}`)
    return fault
  }

  isCalmAt(round: number): boolean {
    return round === 0 || round >= ROUNDS - CALM
  }

  #wake(index: number, round: number): void {
    const { choices } = this
    const names = [round, index] as const
    const event = this.isCalmAt(round) ? undefined : choices.oneOf(EVENTS, 'event', ...names)
    const known = this.programs[index]
    if (event === 'exit' && known?.isIdle) known.exit()
    const program = known && !known.isDead ? known : this.#start(index)
    const act = this.isCalmAt(round) ? undefined : choices.oneOf<Act>(ACTS, 'act', ...names)
    void program.act(act ?? 'token')
    const moment = choices.between(
      0,
      choices.happens(0.8, 'soon', ...names) ? 300 : 60_000,
      'moment',
      ...names,
    )
    if (event === 'kill') this.after(moment, () => program.kill())
    if (event === 'freeze')
      this.after(moment, () => program.freeze(1000 * choices.between(1, 120, 'freeze', ...names)))
  }

  #start(index: number): Program {
    this.#started += 1
    const program = new Program(this, `program.${this.#started}`)
    this.programs[index] = program
    return program
  }
}
