import { ACCESS_TOKEN_PATH, REFRESH_GRANT_TYPE, REVOCATION_PATH } from '../../../src/protocol/endpoints.ts'
import type { ServiceResponse } from '../../../src/service/http/types.ts'
import { ask } from '../ask.ts'
import { ACCESS_LIFETIME, clientOf } from '../instance.ts'
import { transmit } from '../network.ts'
import type { Profile } from '../profiles.ts'
import { NOBODY } from '../simulation.ts'
import { World } from '../world.ts'
import { Disk } from './disk.ts'
import { type Act, Program } from './program.ts'
import { SessionJudge } from './session-judge.ts'

/** Processes that share the login, and how often all of them wake. */
const PROGRAMS = 4
const ROUNDS = 24

/** Rounds at the end in which nothing fails, so that what is left over shows. */
const CALM = 2

/** Milliseconds from one round to the next: the token has expired. */
const ROUND = 1000 * (ACCESS_LIFETIME + 100)

/** What users do instead of asking for a token, and the chances. */
const ACTS = { logout: 0.02, login: 0.02 } as const

/** Rounds with a disk that is full for minutes, rounds in which the clock of the machine is set, attacks, thefts, and logins that the host revokes. */
const CHANCES = { full: 0.05, clock: 0.02, attack: 0.2, theft: 0.01, revocation: 0.02 } as const

/** How often a thief refreshes the stolen token, and the chances. */
const REFRESHES = { '1': 0.2, '3': 0.6, '110': 0.2 } as const

/** Milliseconds between two refreshes of a thief, which obeys the limit of 30 a minute. */
const STEALTH = 3000

/** Several processes that wake with one login, over and over. */
export class SessionWorld extends World {
  override readonly unit = 'renewals'
  readonly disk = new Disk(this)
  override readonly judge: SessionJudge = new SessionJudge(this)
  override readonly refreshTokens: { readonly lifetime: number; readonly reuseWindow: number }
  /** Those that run; a dead one is replaced when its turn to wake comes. */
  readonly programs: Program[] = []
  /** Milliseconds by which the clock of the machine of all processes is wrong. */
  clockStep = 0
  hadClockSet = false
  /** Whether each process runs on a host of its own: nobody can tell whether another one is alive, and clocks differ. */
  readonly areApart: boolean
  /** Whether its client has a secret, which no thief knows. */
  readonly isConfidential = this.choices.happens(0.5, 'confidential')
  #started = 0

  constructor(profile: Profile, first: number, seed: number, traced?: number) {
    super(profile, first, seed, traced)
    this.areApart = profile.hosts === 'several'
    this.refreshTokens = {
      lifetime: this.choices.happens(0.2, 'short') ? 6000 : 30 * 24 * 3600,
      reuseWindow: Number(this.choices.oneOf({ '0': 0.15, '10': 0.15 }, 'window') ?? 30),
    }
  }

  override get size(): number {
    return Math.max(1, this.judge.renewals)
  }

  override get isCalm(): boolean {
    return isCalmAt(this.#round)
  }

  get isLast(): boolean {
    return this.#round >= ROUNDS - 1
  }

  get #round(): number {
    return Math.floor((this.now - this.start) / ROUND)
  }

  /** Plans all rounds. */
  protected override plan(): void {
    this.login = this.first
    const { choices } = this
    for (let round = 0; round < ROUNDS; round += 1) {
      const at = round * ROUND
      const spread = [20, 300, 3000, 30_000][choices.bits('spread', round) % 4] ?? 0
      for (let index = 0; index < PROGRAMS; index += 1)
        this.after(at + choices.between(0, spread, 'wakes', round, index), () => this.#wake(index, round))
      if (isCalmAt(round)) continue
      if (choices.happens(CHANCES.full, 'full', round))
        this.after(at, () => {
          this.disk.fullUntil = this.now + 1000 * choices.between(1, 300, 'full for', round)
        })
      if (choices.happens(CHANCES.clock, 'clock', round)) this.after(at + 1000, () => this.#setClock(round))
      if (choices.happens(CHANCES.attack, 'attack', round)) this.after(at + 2000, () => this.#attack(round))
      if (choices.happens(this.areApart ? 0.3 : CHANCES.revocation, 'revocation', round))
        this.after(at + choices.between(-1000, 1000, 'revocation at', round), () => this.#revoke(round))
      if (choices.happens(CHANCES.theft, 'theft', round)) {
        const refreshes = Number(choices.oneOf(REFRESHES, 'refreshes', round) ?? 1)
        this.after(at + choices.between(0, 300_000, 'theft at', round), () => void this.#steal(refreshes))
      }
    }
  }

  #wake(index: number, round: number): void {
    const { choices } = this
    const names = [round, index] as const
    const event = this.fault('process', this.first, ...names)
    const known = this.programs[index]
    if (event === 'exit' && known?.isIdle) known.exit()
    const program = known && !known.isDead ? known : this.#start(index)
    const act = this.isCalm ? undefined : choices.oneOf<Act>(ACTS, 'act', ...names)
    void program.act(act ?? 'token')
    const latest = choices.happens(0.8, 'soon', ...names) ? 300 : 60_000
    const moment = choices.between(0, latest, 'moment', ...names)
    if (event === 'kill') this.after(moment, () => program.kill())
    // About as long as a claim of another host counts, or any time.
    const longest: readonly [number, number] = this.areApart ? [20, 28] : [1, 120]
    if (event === 'freeze')
      this.after(moment, () => program.freeze(1000 * choices.between(...longest, 'freeze', ...names)))
  }

  #start(index: number): Program {
    this.#started += 1
    const program = new Program(this, `program.${this.#started}`, this.areApart ? index : 0)
    this.programs[index] = program
    return program
  }

  #setClock(round: number): void {
    this.clockStep = this.choices.between(-1, 1, 'step', round) * 3_600_000
    this.hadClockSet = true
    this.count('machine: clock set')
    this.note(this.first, 'machine', `its clock is wrong by ${(this.clockStep / 1000).toFixed(0)} s`)
  }

  /** Somebody who knows the id of a login, but no token of it. */
  #attack(round: number): void {
    const { newest } = this.judge
    if (newest === undefined) return
    const generation = this.choices.bits('attack', 'generation', round) % (newest.family.generation + 1)
    const digits = 'f'.repeat(40)
    const token = `ghr_${newest.id}_${generation}_${digits}_${digits}`
    for (const path of [ACCESS_TOKEN_PATH, REVOCATION_PATH]) this.#present(token, path).catch(() => undefined)
  }

  /** The host ends the newest login, all of the user, or the one of a token. */
  #revoke(round: number): void {
    const { newest } = this.judge
    const { token = '' } = this.programs[0] ?? {}
    const user = `user-${this.first}`
    const what = this.choices.oneOf({ user: 0.3, token: 0.3 }, 'revoked', round)
    if (what === 'user') void this.revoke(this.first, { user })
    else if (what === 'token') void this.revoke(this.first, { token })
    else if (newest) void this.revoke(this.first, { family: newest.id })
  }

  /** Somebody who has copied the file, and refreshes its token. */
  async #steal(refreshes: number): Promise<void> {
    let token = this.judge.stolen()
    for (let times = 0; token !== undefined && times < refreshes; times += 1) {
      const reply = await this.#present(token, ACCESS_TOKEN_PATH).catch(() => undefined)
      if (reply) token = JSON.parse(reply.body).refresh_token ?? token
      await new Promise<void>((resolve) => this.after(STEALTH, resolve))
    }
  }

  /** A request of somebody who is not one of the processes. */
  #present(token: string, path: string): Promise<ServiceResponse> {
    const fields = {
      client_id: clientOf(this.isConfidential).clientId,
      grant_type: REFRESH_GRANT_TYPE,
      refresh_token: token,
      token,
    }
    const asking = ask(path, { address: '203.0.113.1', body: fields })
    return transmit(this, this.begin(NOBODY, 'flood', { isAllowed: !this.isConfidential }), undefined, asking)
  }
}

function isCalmAt(round: number): boolean {
  return round === 0 || round >= ROUNDS - CALM
}
