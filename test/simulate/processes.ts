import { ACCESS_TOKEN_PATH, REFRESH_GRANT_TYPE } from '../../src/protocol/endpoints.ts'
import { REVOCATION_PATH } from '../../src/protocol/service-paths.ts'
import { Database } from './database.ts'
import { ACCESS_LIFETIME, clientOf } from './instance.ts'
import { attack } from './network.ts'
import { type Act, Program } from './program.ts'
import type { World } from './world.ts'

/** Processes that share the login, and how often all of them wake. */
const PROGRAMS = 4
const ROUNDS = 24

/** Rounds at the end in which nothing fails, so that what is left over shows. */
const CALM = 2

/** Milliseconds from one round to the next: the token has expired. */
const ROUND = 1000 * (ACCESS_LIFETIME + 100)

/** What users do instead of asking for a token, and the chances. */
const ACTS = { logout: 0.02, login: 0.02 } as const

/** Rounds in which their store is away for minutes, in which the clock of the machine is set, attacks, thefts, and logins that the host revokes. */
const CHANCES = { away: 0.05, clock: 0.02, attack: 0.2, theft: 0.01, revocation: 0.02 }

/** How often a thief refreshes the stolen token, and the chances. */
const REFRESHES = { '1': 0.2, '3': 0.6, '110': 0.2 } as const

/** Milliseconds between two refreshes of a thief, which obeys the limit of 30 a minute. */
const STEALTH = 3000

/** Seconds of the reuse window that is long enough for any process that stops. */
export const LONG_WINDOW = 120

/** Several processes that wake with one login, over and over. */
export class Processes {
  /** Where they keep the login. */
  readonly store: Database
  readonly refreshTokens: { readonly lifetime: number; readonly reuseWindow: number }
  /** Those that run; a dead one is replaced when its turn to wake comes. */
  readonly programs: Program[] = []
  /** Milliseconds by which the clock of the machine of all processes is wrong. */
  clockStep = 0
  hadClockSet = false
  /** Whether each runs on a host of its own: nobody can tell whether another one is alive, and clocks differ. */
  readonly areApart: boolean
  /** Whether their client has a secret, which no thief knows. */
  readonly isConfidential: boolean
  readonly #world: World
  #started = 0

  constructor(world: World, areApart: boolean) {
    const { choices } = world
    this.#world = world
    this.store = new Database(world, 'disk')
    this.areApart = areApart
    this.isConfidential = choices.happens(0.5, 'confidential')
    const windows = { '0': 0.15, '10': 0.15, ...(areApart && { [LONG_WINDOW]: 0.3 }) }
    this.refreshTokens = {
      lifetime: choices.happens(0.2, 'short') ? 6000 : 30 * 24 * 3600,
      reuseWindow: Number(choices.oneOf(windows, 'window') ?? 30),
    }
  }

  get isCalm(): boolean {
    return isCalmAt(this.#round)
  }

  get isLast(): boolean {
    return this.#round >= ROUNDS - 1
  }

  get #round(): number {
    return Math.floor((this.#world.now - this.#world.start) / ROUND)
  }

  /** Plans all rounds. */
  plan(): void {
    const world = this.#world
    const { choices } = world
    const chances = { ...CHANCES, ...(this.areApart && { revocation: 0.3 }) }
    world.login = world.first
    for (let round = 0; round < ROUNDS; round += 1) {
      const at = round * ROUND
      const spread = [20, 300, 3000, 30_000][choices.bits('spread', round) % 4] ?? 0
      for (let index = 0; index < PROGRAMS; index += 1)
        world.after(at + choices.between(0, spread, 'wakes', round, index), () => this.#wake(index, round))
      if (isCalmAt(round)) continue
      const sometimes = (what: keyof typeof chances, after: number, run: () => void) => {
        if (choices.happens(chances[what], what, round)) world.after(at + after, run)
      }
      sometimes('away', 0, () => {
        this.store.awayUntil = world.now + 1000 * choices.between(1, 300, 'away for', round)
      })
      sometimes('clock', 1000, () => this.#setClock(round))
      sometimes('attack', 2000, () => this.#attack(round))
      const moment = choices.between(-1000, 1000, 'revocation at', round)
      sometimes('revocation', moment, () => this.#revoke(round))
      sometimes('theft', choices.between(0, 300_000, 'theft at', round), () => void this.#steal(round))
    }
  }

  #wake(index: number, round: number): void {
    const world = this.#world
    const { choices } = world
    const names = [round, index] as const
    const event = world.fault('process', world.first, ...names)
    const known = this.programs[index]
    if (event === 'exit' && known?.isIdle) known.die('exits')
    const program = known && !known.isDead ? known : this.#start(index)
    const act = this.isCalm ? undefined : choices.oneOf<Act>(ACTS, 'act', ...names)
    void program.act(act ?? 'token')
    const latest = choices.happens(0.8, 'soon', ...names) ? 300 : 60_000
    const moment = choices.between(0, latest, 'moment', ...names)
    if (event === 'kill') world.after(moment, () => program.die())
    // About as long as a claim of another host counts, or any time.
    const longest: readonly [number, number] = this.areApart ? [20, 28] : [1, 120]
    if (event === 'freeze') {
      const seconds = choices.between(...longest, 'freeze', ...names)
      world.after(moment, () => program.isDead || program.stall(seconds))
    }
  }

  #start(index: number): Program {
    this.#started += 1
    const program = new Program(this.#world, this, `program.${this.#started}`, this.areApart ? index : 0)
    this.programs[index] = program
    return program
  }

  #setClock(round: number): void {
    const world = this.#world
    this.clockStep = world.choices.between(-1, 1, 'step', round) * 3_600_000
    this.hadClockSet = true
    world.count('fault', 'machine: clock set')
    world.note(world.first, 'machine', `its clock is wrong by ${(this.clockStep / 1000).toFixed(0)} s`)
  }

  /** Somebody who knows the id of a login, but no token of it. */
  #attack(round: number): void {
    const { choices, judge } = this.#world
    const { newest } = judge.families
    if (newest === undefined) return
    const generation = choices.bits('attack', 'generation', round) % (newest.family.generation + 1)
    const digits = 'f'.repeat(40)
    const token = `ghr_${newest.id}_${generation}_${digits}_${digits}`
    for (const path of [ACCESS_TOKEN_PATH, REVOCATION_PATH]) void this.#present(token, path)
  }

  /** The host ends the newest login, all of the user, or the one of a token. */
  #revoke(round: number): void {
    const world = this.#world
    const { newest } = world.judge.families
    const { token = '' } = this.programs[0] ?? {}
    const what = world.choices.oneOf({ user: 0.3, token: 0.3 }, 'revoked', round)
    if (what === 'user') void world.revoke(world.first, { user: `user-${world.first}` })
    else if (what === 'token') void world.revoke(world.first, { token })
    else if (newest) void world.revoke(world.first, { family: newest.id })
  }

  /** Somebody who has copied the record of the processes, and refreshes its token. */
  async #steal(round: number): Promise<void> {
    const { choices, judge } = this.#world
    const refreshes = Number(choices.oneOf(REFRESHES, 'refreshes', round) ?? 1)
    let token = judge.sessions.stolen()
    for (let times = 0; token !== undefined && times < refreshes; times += 1) {
      const reply = await this.#present(token, ACCESS_TOKEN_PATH)
      if (reply) token = JSON.parse(reply.body).refresh_token ?? token
      await this.#world.pause(STEALTH)
    }
  }

  /** A request of somebody who is not one of the processes. */
  #present(token: string, path: string) {
    const { clientId } = clientOf(this.isConfidential)
    const body = { client_id: clientId, grant_type: REFRESH_GRANT_TYPE, refresh_token: token, token }
    return attack(this.#world, path, { body }, { address: '203.0.113.1', isAllowed: !this.isConfidential })
  }
}

function isCalmAt(round: number): boolean {
  return round === 0 || round >= ROUNDS - CALM
}
