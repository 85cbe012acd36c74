import type { Revocable } from '../../src/service/create-service.ts'
import type { MemoryStore } from '../../src/service/stores/memory.ts'
import type { RefreshTokens } from '../../src/service/tokens/families.ts'
import type { Handle } from './ask.ts'
import type { Name } from './choices.ts'
import { Database } from './database.ts'
import { flood } from './flood.ts'
import { type Instance, startInstance } from './instance.ts'
import { Judge } from './judge.ts'
import { Login } from './login.ts'
import { transmit } from './network.ts'
import type { Chances, Faults, Profile } from './profiles.ts'
import { type Drawer, type Host, Simulation } from './simulation.ts'
import type { Plan } from './user.ts'

/** One request, from the moment it is sent. */
export interface Exchange extends Drawer {
  readonly login: number
  readonly kind: 'codes' | 'poll' | 'refresh' | 'revoke' | 'decision' | 'user' | 'host' | 'flood'
  /** When an instance began to handle it. */
  arrivedAt: number
  instance: Instance | undefined
  /** Whether whoever sent it has hung up. */
  isGone: boolean
  /** Store commands that it has used: what the next one is named by. */
  commands: number
  /** Of the request of a process that shows a token. */
  readonly shown?: Shown | undefined
  /** Of an attacker: which limit counts it, for whom, and whether it may be given codes or tokens. */
  readonly limited?: string | undefined
  readonly isAllowed?: boolean | undefined
  /** What a user has decided. */
  readonly decision?: { readonly user: string; readonly plan: Plan; readonly userCode: string } | undefined
}

/** A token that a process shows to the service. */
export interface Shown {
  readonly token: string
  /** `stood`: milliseconds for which the process has stood still. */
  readonly by: Host & { readonly stood: number }
  /** How often it has arrived: the network may repeat a request. */
  arrivals: number
  /** `pair` and `refusal` once the process has received one; `unclear` once it has given up. */
  end: 'under way' | 'unclear' | 'refusal' | 'pair'
}

/** A service with its instances and its store, and the logins to it. */
export class World extends Simulation {
  readonly unit: 'logins' | 'renewals' = 'logins'
  readonly profile: Profile
  /** The number of its first login. */
  readonly first: number
  readonly database = new Database(this)
  /** The store of the only instance, where it is one in memory. */
  memory: MemoryStore | undefined
  readonly judge: Judge = new Judge(this)
  /** `undefined` where logins are not renewed. */
  readonly refreshTokens: RefreshTokens | undefined
  readonly instances: Instance[] = []
  declare exchange: Exchange | undefined
  updates = 0
  readonly #requests = new Map<number, number>()

  constructor(profile: Profile, first: number, seed: number, traced?: number) {
    super(seed, traced)
    this.profile = profile
    this.first = first
  }

  get size(): number {
    return this.profile.logins
  }

  override async run(): Promise<void> {
    for (let count = 0; count < this.profile.instances; count += 1) startInstance(this)
    this.plan()
    await super.run()
    this.judge.finish()
  }

  /** Plans when its logins begin, and the attacks. */
  protected plan(): void {
    const { choices, first, profile } = this
    for (let number = first; number < first + profile.logins; number += 1) {
      const login = new Login(this, number)
      this.login = number
      this.after(choices.between(0, profile.span, number, 'begins') * 1000, () => login.begin())
    }
    flood(this)
  }

  /** Whether nothing goes wrong for a while. */
  get isCalm(): boolean {
    return false
  }

  /** What goes wrong here, if anything does: it is counted, written down, and may explain a loss. */
  fault<Kind extends keyof Faults>(kind: Kind, login: number, ...names: Name[]) {
    if (this.isCalm) return undefined
    const chances: Chances = this.profile
    const fault = this.choices.oneOf<Faults[Kind]>(chances[kind], kind, ...names)
    if (fault === undefined) return undefined
    this.count(`${kind}: ${fault}`)
    this.note(login, kind, fault)
    this.judge.faulted(login, `${kind}: ${fault}`)
    return fault
  }

  pause(milliseconds: number, host?: Host): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve, host))
  }

  /** The host ends tokens. */
  async revoke(login: number, what: Revocable): Promise<void> {
    const exchange = this.begin(login, 'host')
    const revoke: Handle<string> = ({ service }) => service.revoke(what).then(String, () => 'unavailable')
    const fault = this.fault('request', login, exchange.id)
    const reply = await transmit(this, exchange, fault, revoke).catch(() => 'unavailable')
    if (reply !== 'unavailable') this.judge.revoked(exchange, what, reply === 'true')
  }

  /** Begins a request of a login. */
  begin(
    login: number,
    kind: Exchange['kind'],
    about: Pick<Exchange, 'shown' | 'decision' | 'limited' | 'isAllowed'> = {},
  ): Exchange {
    const count = (this.#requests.get(login) ?? 0) + 1
    this.#requests.set(login, count)
    const id = `${login}.${count}`
    return {
      id,
      login,
      kind,
      ...about,
      arrivedAt: 0,
      instance: undefined,
      isGone: false,
      draws: 0,
      commands: 0,
    }
  }
}
