import type { ServiceEvent } from '../../../src/service/host/events.ts'
import type { ServiceResponse } from '../../../src/service/http/types.ts'
import type { Database, History, Version } from '../database.ts'
import { ACCESS_LIFETIME } from '../instance.ts'
import type { Login } from '../login.ts'
import { type Exchange, NOBODY, type World } from '../world.ts'
import { Counts } from './counts.ts'
import { Families } from './families.ts'
import { Grants } from './grants.ts'
import { Sessions } from './sessions.ts'
import { Tokens } from './tokens.ts'

export const DAY = 24 * 3600 * 1000

/** Milliseconds for which a grant is remembered after it has expired. */
const MEMORY = 10 * 60 * 1000

/** Milliseconds that a request may take: some updates of two seconds each, and an `issueToken` of ten. */
export const LONGEST_REQUEST = 60_000

/** Milliseconds for which a fault of the database explains a request that failed. */
export const TROUBLE = 8000

/** The longest that a record may still be kept, in milliseconds. */
const LONGEST_KEPT: Readonly<Record<string, (world: World) => number>> = {
  grant: lifetimeOf,
  'user-code': lifetimeOf,
  limit: () => 900_000,
  token: tokenLifetimeOf,
  access: tokenLifetimeOf,
  logins: (world) => familyLifetimeOf(world) || tokenLifetimeOf(world),
  family: familyLifetimeOf,
  successor: ({ refreshTokens }) => 1000 * (refreshTokens?.reuseWindow ?? 0) + 10_000,
  'form-secret': () => 30 * DAY,
  generation: forever,
  revocations: forever,
  session: forever,
}

/** A device code, a token, a client secret or a user code. */
const SECRET =
  /\b[0-9a-f]{40}\b|the-secret-of|gh[or]_|\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/

/** What must hold of one kind of record. */
export interface Rules {
  /** A record was written. */
  wrote(history: History): void
  /** A failover has lost writes of a record. */
  undone?(history: History, lost: readonly Version[]): void
}

/**
 * Checks after every step what must hold: of each request, and by its rules of each record. What happened is read from the
 * writes to the store, never from what a device says; and a loss is excused by a fault that was really played on that
 * login, never by the look of it.
 */
export class Judge {
  readonly world: World
  readonly database: Database
  readonly logins = new Map<number, Login>()
  readonly exchanges = new Map<string, Exchange>()
  /** Whom the tokens stand for that the host has made, and the requests for which it did. */
  readonly issued = new Map<string, { readonly user: string; readonly by: string }>()
  readonly grants = new Grants(this)
  readonly tokens = new Tokens(this)
  readonly families = new Families(this)
  readonly counts = new Counts(this)
  readonly sessions = new Sessions(this)
  readonly #rules: Readonly<Record<string, Rules>> = {
    grant: this.grants,
    family: this.families,
    session: this.sessions,
    generation: { wrote: (history) => this.grants.foundSetBack(history) },
  }

  constructor(world: World) {
    this.world = world
    this.database = world.database
  }

  /** What must hold of a login: by default, of the one whose event is being run. */
  check(holds: boolean, what: string | (() => string), login?: number): void {
    const { processes, first, login: current } = this.world
    this.world.holds(holds, processes ? first : (login ?? current), what)
  }

  /** A loss that is documented, if there is a reason for it. */
  lose(login: number, reason: string | undefined, what: string): void {
    this.check(reason !== undefined, what, login)
    if (reason !== undefined) this.world.lose(login, reason)
  }

  wrote(history: History): void {
    const { kind, versions } = history
    const last = versions.at(-1)
    if (last?.update !== undefined) {
      // Where its record has expired meanwhile, a retry cannot know that it was made.
      const isTwice = versions.some(
        ({ update, until }, index) =>
          update === last.update && until > last.at && index < versions.length - 1,
      )
      this.check(!isTwice, () => `an update of ${kind} was made twice`)
      const longest = (LONGEST_KEPT[kind]?.(this.world) ?? 0) + this.world.tolerance
      const lifetime = last.until - last.at
      this.check(lifetime <= longest, () => `a record ${kind} is kept for ${lifetime} ms`)
    }
    this.#rules[kind]?.wrote(history)
  }

  undone(history: History, lost: readonly Version[]): void {
    this.#rules[history.kind]?.undone?.(history, lost)
    this.families.lost(history, lost)
  }

  /** A fault was played on a login, or met it. */
  faulted(number: number, why: string): void {
    const login = this.logins.get(number)
    if (login?.status === undefined && login) login.fault = { why, at: this.world.now }
  }

  arrived(exchange: Exchange): void {
    this.exchanges.set(exchange.id, exchange)
    this.grants.arrived(exchange)
    this.families.arrived(exchange)
  }

  /** An instance has made its response: it may be lost yet. */
  responded(exchange: Exchange, reply: ServiceResponse | string): void {
    const { login, kind } = exchange
    exchange.told = toldOf(exchange, reply)
    const took = this.world.now - exchange.arrivedAt
    this.check(took <= LONGEST_REQUEST, () => `a request took ${took} ms`, login)
    if (kind === 'decision') this.grants.decided(exchange)
    if (typeof reply === 'string') return
    const { status, body } = reply
    if (kind === 'flood') {
      this.counts.attacked(exchange, reply)
      return
    }
    this.check(status !== 429, 'somebody was limited who is no attacker', login)
    this.#freesItsClaim(exchange)
    if (status === 503) {
      this.faulted(login, 'the store was away')
      const mayBe = exchange.isExcused || this.isTroubled(exchange) || this.families.mayBeBusy(exchange)
      this.check(mayBe, 'the service was busy for no reason', login)
      return
    }
    if (kind === 'poll') this.grants.polled(exchange, JSON.parse(body))
    if (kind === 'user') this.tokens.recognized(exchange, reply)
    if (kind === 'refresh' || kind === 'revoke') this.families.responded(exchange, JSON.parse(body || '{}'))
  }

  /** Which request issues a token, of a login or of a family: the one that has claimed it. */
  issuerOf(exchange: Exchange | undefined, family = ''): string {
    // Where updates of one record take turns, a poll may go on in the turn of a decision on its grant.
    const grant = exchange?.grant ?? this.logins.get(exchange?.login ?? 0)?.grantKey ?? ''
    const { claim } = this.families.find(family)?.family ?? this.grants.find(grant) ?? {}
    return claim ? holderOf(claim.id) : ''
  }

  /** A request that is done has freed its claim, so that the next one does not wait until it lapses. */
  #freesItsClaim(exchange: Exchange): void {
    if (exchange.kind !== 'poll' && exchange.kind !== 'refresh') return
    const { grant, shown } = exchange
    const record = grant ? this.grants.find(grant) : this.families.ofToken(shown?.token)?.family
    const isHeld = record?.state === 'issuing' && holderOf(record.claim?.id ?? '') === exchange.id
    this.check(!isHeld || this.isTroubled(exchange), 'a request has left its claim behind', exchange.login)
  }

  /** A response did not reach the device. */
  dropped({ login }: Exchange, { body }: ServiceResponse, why: string): void {
    if (!body.includes('"access_token"')) return
    this.world.note(login, 'network', `a token is lost: ${why}`)
    this.faulted(login, why)
  }

  /** Something was logged by an instance. */
  logged(what: string, said: unknown): void {
    const text = textOf(said)
    this.check(!SECRET.test(text), `${what} was told a secret`)
  }

  /** An instance has reported an error. Its store fails with one class, the host with another; any other is a bug. */
  reported(error: unknown): void {
    this.logged('onError', error)
    const { name } = error as Error
    this.check(['Error', 'StoreUnavailableError'].includes(name), () => `the service failed: ${error}`)
  }

  /** The listener of an instance was told an event. */
  heard(event: ServiceEvent): void {
    this.logged('onEvent', event)
    this.grants.heard(event)
  }

  /** The world has come to its end. */
  finish(): void {
    const { instances, time } = this.world
    for (const { id, login, told, instance } of this.exchanges.values()) {
      const isDone = told !== undefined || instance?.isDead === true
      this.check(isDone, () => `request ${id} was never answered`, login)
    }
    this.check(time.timers === 0, 'timers are left', NOBODY)
    const isAlive = instances.some(({ isDead }) => !isDead)
    this.check(isAlive, 'no instance is left', NOBODY)
    this.grants.finish()
    this.counts.finish()
    if (this.world.processes) this.sessions.finish()
    time.now += 400 * DAY
    const left = this.#recordsLeft()
    this.check(left === 0, `${left} records are left`, NOBODY)
    for (const [number, { status }] of this.logins) this.check(status !== undefined, 'never ended', number)
  }

  /** Records that are there although they have expired. */
  #recordsLeft(): number {
    const { memory, now } = this.world
    const histories = [...this.database.histories.values()].filter(({ versions }) => versions.length > 0)
    const kept = histories.filter(({ kind }) => LONGEST_KEPT[kind] === forever)
    if (memory === undefined) {
      const left = histories.filter(({ key }) => (this.database.read(key)?.until ?? 0) > now)
      return left.length - kept.length
    }
    // Each update first sweeps two of its records.
    for (let count = memory.size; count >= 0; count -= 1)
      for (const key of ['swept', 'limit:swept']) void memory.update(key, () => ({ result: undefined }))
    return memory.size - kept.length
  }

  /** The request that made an update. */
  maker(update = ''): Exchange | undefined {
    return this.exchanges.get(holderOf(update))
  }

  /** The database has failed lately, or the instance stood still: its timers may then fire before replies that are there. */
  isTroubled({ arrivedAt, instance }: Exchange): boolean {
    const stalledUntil = instance?.stalledUntil ?? 0
    return this.database.troubledAt >= arrivedAt - TROUBLE || stalledUntil >= arrivedAt
  }

  /** Whether the database has ever failed here, or an instance was lost. */
  get hasFailed(): boolean {
    const { faults } = this.world
    return this.database.troubledAt > 0 || faults.has('request: kill') || faults.has('request: stall')
  }
}

/** What a user was told by the page, or anybody by the service. */
function toldOf({ kind }: Exchange, reply: ServiceResponse | string): string {
  if (typeof reply === 'string') return reply
  if (kind !== 'decision') return String(reply.status)
  const { type, reason = type } = JSON.parse(reply.body) as {
    readonly type: string
    readonly reason?: string
  }
  return reason
}

/** What something says, with all that an error holds. */
function textOf(said: unknown): string {
  if (!(said instanceof Error)) return JSON.stringify(said) ?? ''
  const { message, cause } = said
  return `${message} ${JSON.stringify(said)} ${cause === undefined ? '' : textOf(cause)}`
}

/** The request or the process that drew a claim, or made an update. */
export function holderOf(name: string): string {
  return name.split('/')[0] ?? ''
}

function lifetimeOf({ profile: { lifetime }, tolerance }: World): number {
  return lifetime * 1000 + MEMORY + tolerance
}

function forever(): number {
  return Number.POSITIVE_INFINITY
}

function tokenLifetimeOf({ refreshTokens }: World): number {
  return refreshTokens ? ACCESS_LIFETIME * 1000 : 365 * DAY
}

function familyLifetimeOf({ refreshTokens }: World): number {
  return 1000 * (refreshTokens?.lifetime ?? 0)
}
