import type { ServiceEvent } from '../../../src/service/host/events.ts'
import type { ServiceResponse } from '../../../src/service/http/types.ts'
import { claimsOf } from '../bound.ts'
import type { History, Version } from '../database.ts'
import { ACCESS_LIFETIME } from '../instance.ts'
import type { Login } from '../login.ts'
import { type Exchange, NOBODY, type World } from '../world.ts'
import { Counts } from './counts.ts'
import { Families } from './families.ts'
import { Grants } from './grants.ts'
import { holderOf, Rules } from './rules.ts'
import { Sessions } from './sessions.ts'
import { Tokens } from './tokens.ts'

const DAY = 24 * 3600 * 1000

/** Milliseconds for which a grant is remembered after it has expired. */
const MEMORY = 10 * 60 * 1000

/** Milliseconds that a request may take: some updates of two seconds each, and an `issueToken` of ten. */
export const LONGEST_REQUEST = 60_000

/** Milliseconds for which a fault of the database explains a request that failed. */
export const TROUBLE = 8000

/** A device code, a token, a client secret or a user code. */
const SECRET =
  /\b[0-9a-f]{40}\b|the-secret-of|gh[or]_|\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b|\beyJ/

/**
 * Checks after every step what must hold: of each request, and by its rules of each record. What happened is read from the
 * writes to the store, never from what a device says; and a loss is excused by a fault that was really played on that
 * login, never by the look of it.
 */
export class Judge extends Rules {
  readonly logins = new Map<number, Login>()
  readonly exchanges = new Map<string, Exchange>()
  /** Whom the tokens stand for that the host has made, or allowed, and the requests for which it did: by their key, if any. */
  readonly made = new Map<string, { readonly user: string; readonly by: string }>()
  /** How often each proof was accepted. */
  readonly #accepted = new Map<string, number>()
  readonly grants = new Grants(this.world)
  readonly tokens = new Tokens(this.world)
  readonly families = new Families(this.world)
  readonly counts = new Counts(this.world)
  readonly sessions = new Sessions(this.world)
  readonly #longestKept = longestKept(this.world)

  /** Whom a token stands for, and the request for which it was made. A JWT names the key of its login. */
  issuedAs(token: string | undefined = '') {
    return this.made.get(claimsOf(token)?.cnf.jkt ?? token)
  }

  wrote(history: History): void {
    const { kind, versions } = history
    const last = versions.at(-1)
    if (last?.update !== undefined) {
      // Where its record has expired meanwhile, a retry cannot know that it was made.
      const isTwice = versions.some(
        (other) => other !== last && other.update === last.update && other.until > last.at,
      )
      this.check(!isTwice, `an update of ${kind} was made twice`)
      const lifetime = last.until - last.at
      const isShort = lifetime <= (this.#longestKept[kind] ?? 0) + this.world.tolerance
      this.check(isShort, `a record ${kind} is kept for ${lifetime} ms`)
    }
    if (kind === 'grant') this.grants.wrote(history)
    if (kind === 'generation') this.grants.foundSetBack(history)
    if (kind === 'family') this.families.wrote(history)
    if (kind === 'session') this.sessions.wrote(history)
  }

  undone(history: History, lost: readonly Version[]): void {
    if (history.kind === 'grant') this.grants.undone(history)
    this.families.undone(history, lost)
  }

  /** A fault was played on a login, or met it. */
  faulted(number: number, why: string): void {
    const login = this.logins.get(number)
    if (login && login.status === undefined) login.fault = { why, at: this.world.now }
  }

  /** A device has received the response to one copy of its poll, and the token came to the other one. */
  missed(number: number): void {
    this.logins.get(number)?.failedAt.push(this.world.now)
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
    const check = (holds: boolean, what: string) => this.check(holds, what, login)
    const took = this.world.now - exchange.arrivedAt
    check(took <= LONGEST_REQUEST, `a request took ${took} ms`)
    if (kind === 'decision') this.grants.decided(exchange)
    if (typeof reply === 'string') return
    const { status, body } = reply
    if (kind === 'flood') {
      this.counts.attacked(exchange, reply)
      return
    }
    check(status !== 429, 'somebody was limited who is no attacker')
    // So that the next one does not wait until its claim lapses.
    const isTroubled = this.isTroubled(exchange)
    check(!this.#holdsClaim(exchange) || isTroubled, 'a request has left its claim behind')
    if (status === 503) {
      this.faulted(login, 'the store was away')
      const mayBe = exchange.isExcused || isTroubled || this.families.mayBeBusy(exchange)
      check(mayBe, 'the service was busy for no reason')
      return
    }
    if (kind === 'poll' && this.#isProven(exchange, body)) this.grants.polled(exchange, JSON.parse(body))
    if (kind === 'user' && !reply.headers['dpop-nonce']) this.tokens.recognized(exchange, reply)
    if (kind === 'refresh' || kind === 'revoke') this.families.responded(exchange, JSON.parse(body || '{}'))
  }

  /** Whether a poll was accepted with its proof. Of two copies, one is; the other is refused for no other reason. */
  #isProven({ proof, login }: Exchange, body: string): boolean {
    if (proof === undefined) return true
    const { error } = JSON.parse(body)
    const times = this.#accepted.get(proof) ?? 0
    if (error === 'use_dpop_nonce') return false
    if (error === 'invalid_dpop_proof') {
      const copies = [...this.exchanges.values()].filter((each) => each.proof === proof)
      this.check(copies.length > 1, 'a proof was refused that was new', login)
      return false
    }
    this.#accepted.set(proof, times + 1)
    this.check(times === 0 || this.hasFailed, 'a proof was accepted twice', login)
    return true
  }

  /** Which request issues a token, of a login or of a family: the one that has claimed it. */
  issuerOf(exchange: Exchange | undefined, family = ''): string {
    // Where updates of one record take turns, a poll may go on in the turn of a decision on its grant.
    const grant = exchange?.grant ?? this.logins.get(exchange?.login ?? 0)?.grantKey ?? ''
    return holderOf((this.families.find(family)?.family ?? this.grants.find(grant))?.claim?.id)
  }

  #holdsClaim({ id, kind, grant, shown }: Exchange): boolean {
    if (kind !== 'poll' && kind !== 'refresh') return false
    const record = grant ? this.grants.find(grant) : this.families.spendable(shown?.token)?.login.family
    return record?.state === 'issuing' && holderOf(record.claim?.id) === id
  }

  /** Something was logged by an instance. */
  logged(what: string, said: unknown): void {
    this.check(!SECRET.test(textOf(said)), `${what} was told a secret`)
  }

  /** An instance has reported an error. Its store fails with one class, the host with another; any other is a bug. */
  reported(error: unknown): void {
    this.logged('onError', error)
    const isKnown = ['Error', 'StoreUnavailableError'].includes((error as Error).name)
    this.check(isKnown, `the service failed: ${error}`)
  }

  /** The listener of an instance was told an event. */
  heard(event: ServiceEvent): void {
    this.logged('onEvent', event)
    this.grants.heard(event)
  }

  /** The world has come to its end. */
  finish(): void {
    const { world } = this
    for (const { id, login, told, instance } of this.exchanges.values())
      world.check(told !== undefined || instance?.isDead === true, `request ${id} was never answered`, login)
    world.check(world.time.timers === 0, 'timers are left', NOBODY)
    const isAlive = world.instances.some(({ isDead }) => !isDead)
    world.check(isAlive, 'no instance is left', NOBODY)
    this.counts.finish()
    if (world.processes) this.sessions.finish()
    world.time.now += 400 * DAY
    const left = this.#recordsLeft()
    world.check(left === 0, `${left} records are left`, NOBODY)
    for (const [number, { status }] of this.logins) world.check(status !== undefined, 'never ended', number)
  }

  /** Records that are there although they have expired. */
  #recordsLeft(): number {
    const { database, memory, now } = this.world
    const histories = [...database.histories.values()].filter(({ versions }) => versions.length > 0)
    const kept = histories.filter(({ kind }) => this.#longestKept[kind] === Number.POSITIVE_INFINITY).length
    if (memory === undefined)
      return histories.filter(({ key }) => (database.read(key)?.until ?? 0) > now).length - kept
    // Each update first sweeps two of its records.
    for (let count = memory.size; count >= 0; count -= 1)
      for (const key of ['swept', 'limit:swept']) void memory.update(key, () => ({ result: undefined }))
    return memory.size - kept
  }

  /** The request that made an update. */
  maker(update: string | undefined): Exchange | undefined {
    return this.exchanges.get(holderOf(update))
  }

  /** The database has failed lately, or the instance stood still: its timers may then fire before replies that are there. */
  isTroubled({ arrivedAt, instance }: Exchange): boolean {
    return this.world.database.troubledAt >= arrivedAt - TROUBLE || (instance?.stalledUntil ?? 0) >= arrivedAt
  }

  /** Whether the database has ever failed here, or an instance was lost. */
  get hasFailed(): boolean {
    const { world } = this
    return world.database.troubledAt > 0 || world.hasHad('request: kill') || world.hasHad('request: stall')
  }
}

/** The longest that a record of each kind may still be kept, in milliseconds. */
function longestKept({ profile, refreshTokens, tolerance }: World): Readonly<Record<string, number>> {
  const { lifetime, reuseWindow } = refreshTokens ?? { lifetime: 0, reuseWindow: 0 }
  const grant = profile.lifetime * 1000 + MEMORY + tolerance
  const token = lifetime > 0 ? ACCESS_LIFETIME * 1000 : 365 * DAY
  const forever = Number.POSITIVE_INFINITY
  return {
    ...{ grant, 'user-code': grant, limit: 900_000, token, access: token, proof: 120_000 },
    ...{ logins: lifetime * 1000 || token, family: lifetime * 1000, successor: reuseWindow * 1000 + 10_000 },
    ...{ 'form-secret': 30 * DAY, generation: forever, revocations: forever, session: forever },
  }
}

/** What a user was told by the page, or anybody by the service. */
function toldOf({ kind }: Exchange, reply: ServiceResponse | string): string {
  if (typeof reply === 'string') return reply
  if (kind !== 'decision') return String(reply.status)
  const { type, reason = type } = JSON.parse(reply.body)
  return reason
}

/** What something says, with all that an error holds. */
function textOf(said: unknown): string {
  if (!(said instanceof Error)) return JSON.stringify(said) ?? ''
  const { message, cause } = said
  return `${message} ${JSON.stringify(said)} ${cause === undefined ? '' : textOf(cause)}`
}
