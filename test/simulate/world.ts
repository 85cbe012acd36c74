import { hash } from 'node:crypto'
import type { Revocable } from '../../src/service/create-service.ts'
import type { RefreshTokens } from '../../src/service/tokens/families.ts'
import type { MemoryStore } from '../../src/store/memory-store.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { Bound } from './bound.ts'
import { Choices, fold, mix, type Name } from './choices.ts'
import { Database } from './database.ts'
import { flood } from './flood.ts'
import type { Actor, Host } from './host.ts'
import { type Instance, startInstance } from './instance.ts'
import { Judge } from './judge/judge.ts'
import { Login } from './login.ts'
import { transmit } from './network.ts'
import { Processes } from './processes.ts'
import type { Chances, Faults, Profile } from './profiles.ts'
import type { Plan } from './user.ts'

/** The number of those who do not log in: attackers, and the machinery. */
export const NOBODY = -1

/** Virtual milliseconds after which a world should long have ended. */
const LONGEST = 24 * 60 * 60 * 1000

/** What `sha256` remembers. */
const hashes = new Map<string, string>()
const MOST_HASHES = 10_000

/** Events between two looks at the runtime's own event loop. */
const BATCH = 64

/** A timer of a world, which keeps its place when its host stands still. */
export interface Handle {
  timer: unknown
}

/** One request, from the moment it is sent. */
export interface Exchange extends Actor {
  readonly login: number
  readonly kind: 'codes' | 'poll' | 'refresh' | 'revoke' | 'decision' | 'user' | 'host' | 'flood' | 'keys'
  /** The network it comes from. */
  readonly address?: string | undefined
  readonly sentAt: number
  /** When an instance began to handle it, and what it was told, in a word. */
  arrivedAt: number
  told?: string
  instance: Instance | undefined
  /** Whether whoever sent it has hung up. */
  isGone: boolean
  /** Whether a fault was played that explains why it brings no token. */
  isExcused: boolean
  /** The proof of the key of its login. */
  readonly proof?: string | undefined
  /** Of a poll: the key of its grant. */
  readonly grant?: string | undefined
  readonly shown?: Shown | undefined
  /** Of an attacker: which limit counts it, for whom, and whether it may be given codes or tokens. */
  readonly limited?: string | undefined
  readonly isAllowed?: boolean | undefined
  /** What a user has decided. */
  readonly decision?: { readonly user: string; readonly plan: Plan } | undefined
}

/** A token that is shown to the service. */
export interface Shown {
  readonly token: string
  readonly by: Host
  /** For how long its process had stood still when it wrote its claim, in milliseconds. */
  readonly stoodBefore: number
  /** How often it has arrived: the network may repeat a request. */
  arrivals: number
  /** `pair` and `refusal` once the process has received one; `unclear` once it has given up. */
  end: 'under way' | 'unclear' | 'refusal' | 'pair'
}

/** A service with its instances and its store, those who log in, and the time, choices and judge of all of them. */
export class World {
  readonly profile: Profile
  /** The number of its first login. */
  readonly first: number
  readonly choices: Choices
  readonly time = new VirtualTime()
  readonly start = this.time.now
  readonly violations: { readonly login: number; readonly what: string }[] = []
  /** How often each fault was played, logins or calls have ended so, and a documented loss was met. */
  readonly counts = new Map<string, number>()
  /** What happened to the login that is traced. */
  readonly trace: string[] = []
  readonly database = new Database(this, 'command')
  readonly judge: Judge
  readonly instances: Instance[] = []
  /** The store of the only instance, where it is one in memory. */
  memory: MemoryStore | undefined
  /** Those that share one login, where there are any. */
  readonly processes: Processes | undefined
  /** The keys of its tokens, where they are bound. */
  bound: Bound | undefined
  /** `undefined` where logins are not refreshed. */
  readonly refreshTokens: Required<RefreshTokens> | undefined
  digest = 0
  events = 0
  checks = 0
  updates = 0
  /** Whose event is being run: what it sets off belongs to them too. */
  login = NOBODY
  exchange: Exchange | undefined
  instance: Host | undefined
  readonly #clock = this.time.clock()
  readonly #traced: number | undefined
  readonly #requests = new Map<number, number>()
  readonly #own: Actor = { id: String(NOBODY), draws: 0, commands: 0 }
  /** The minute of the last line of the trace. */
  #minute = -1

  constructor(profile: Profile, first: number, seed: number, traced?: number) {
    this.profile = profile
    this.first = first
    this.choices = new Choices(seed)
    this.#traced = traced
    if (profile.hosts) this.processes = new Processes(this, profile.hosts === 'several')
    this.refreshTokens = this.processes?.refreshTokens
    this.judge = new Judge(this)
  }

  get now(): number {
    return this.time.now
  }

  /** How many logins or renewals it has run. */
  get size(): number {
    return this.processes ? Math.max(1, this.judge.families.renewals) : this.profile.logins
  }

  /** Milliseconds by which the clocks of two instances may differ. */
  get tolerance(): number {
    return this.profile.skew * 2000
  }

  /** Runs all of it, until nothing is left to happen. After each event, Node runs what waits for promises alone. */
  async run(): Promise<void> {
    const { choices, first, processes, profile } = this
    if (profile.binds) this.bound = new Bound(this)
    this.bound?.plan()
    for (let count = 0; count < profile.instances; count += 1) startInstance(this)
    for (let number = first; number < first + profile.logins && !processes; number += 1) {
      const login = new Login(this, 'device', number)
      this.login = number
      this.after(choices.between(0, profile.span, number, 'begins') * 1000, () => login.begin())
    }
    flood(this)
    processes?.plan()
    let isOver = false
    const turn = () => {
      isOver ||= !this.#turn()
    }
    while (!isOver) {
      for (let count = 0; count < BATCH; count += 1) setImmediate(turn)
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.judge.finish()
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

  /** Runs something later. What a host does vanishes with it, and waits while it stands still. */
  after(milliseconds: number, run: () => void, host?: Host): Handle {
    const { login, exchange } = this
    const fire = () => {
      if (host?.isDead) return
      if (host && host.stalledUntil > this.now) {
        handle.timer = this.#clock.setTimeout(fire, Math.ceil(host.stalledUntil - this.now))
        return
      }
      this.login = login
      this.exchange = exchange
      this.instance = host
      run()
    }
    const handle: Handle = { timer: this.#clock.setTimeout(fire, milliseconds) }
    return handle
  }

  clear(handle: Handle | undefined): void {
    if (handle !== undefined) this.#clock.clearTimeout(handle.timer)
  }

  pause(milliseconds: number, host?: Host): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve, host))
  }

  /** 32 random bits: named by the request that is being handled, or by the host that does something. */
  draw(): number {
    const owner = this.exchange ?? this.instance ?? this.#own
    owner.draws += 1
    return this.choices.bits('draw', owner.id, owner.draws)
  }

  /** What goes wrong here, if anything does: it is counted, written down, and may explain a loss. */
  fault<Kind extends keyof Faults>(kind: Kind, login: number, ...names: Name[]) {
    if (this.processes?.isCalm) return undefined
    const chances: Chances = this.profile
    const fault = this.choices.oneOf<Faults[Kind]>(chances[kind], kind, ...names)
    if (fault === undefined) return undefined
    this.count('fault', `${kind}: ${fault}`)
    this.note(login, kind, fault)
    this.judge.faulted(login, `${kind}: ${fault}`)
    return fault
  }

  count(kind: 'end' | 'fault' | 'loss', what: string): void {
    const name = `${kind} ${what}`
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  /** Whether a fault was ever played here. */
  hasHad(fault: string): boolean {
    return this.counts.has(`fault ${fault}`)
  }

  /** Begins a request of a login. */
  begin(login: number, kind: Exchange['kind'], about: Partial<Exchange> = {}): Exchange {
    const count = (this.#requests.get(login) ?? 0) + 1
    this.#requests.set(login, count)
    const begun = { id: `${login}.${count}`, login, kind, draws: 0, commands: 0, instance: undefined }
    return { ...begun, sentAt: this.now, arrivedAt: 0, isGone: false, isExcused: false, ...about }
  }

  /** The host ends tokens. */
  async revoke(login: number, what: Revocable): Promise<void> {
    const exchange = this.begin(login, 'host')
    const fault = this.fault('request', login, exchange.id)
    const reply = await transmit(this, exchange, fault, ({ service }) =>
      service.revoke(what).then(String, () => 'unavailable'),
    ).catch(() => 'unavailable')
    if (reply !== 'unavailable') this.judge.tokens.revoked(exchange, what, reply === 'true')
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

  /** What must hold: by default, of the login whose event is being run. */
  check(holds: boolean, what: string, login = this.login): void {
    this.checks += 1
    if (!holds) this.fail(this.processes ? this.first : login, what)
  }

  /** A loss is documented if there is a reason for it. */
  lose(login: number, reason: string | undefined, what = ''): void {
    this.check(reason !== undefined, what, login)
    if (reason === undefined) return
    this.count('loss', reason)
    this.note(login, 'judge', `a documented loss: ${reason}`)
  }

  fail(login: number, what: string): void {
    this.note(login, 'judge', `VIOLATION: ${what}`)
    this.violations.push({ login, what })
  }
}

/** Remembers what it has hashed: the judge looks up each token many times. */
export function sha256(text: string): string {
  const known = hashes.get(text)
  if (known !== undefined) return known
  const made = hash('sha256', text)
  if (hashes.size > MOST_HASHES) hashes.clear()
  hashes.set(text, made)
  return made
}
