import { createHash } from 'node:crypto'
import type { Revocable } from '../../src/service/create-service.ts'
import type { Grant } from '../../src/service/grants/grant-steps.ts'
import type { ServiceEvent } from '../../src/service/host/events.ts'
import type { ServiceResponse } from '../../src/service/http/types.ts'
import { GRANT_PREFIX } from '../../src/service/stores/keys.ts'
import { ACCESS_LIFETIME, type Boxed, type Instance, LIMIT } from './instance.ts'
import type { Login } from './login.ts'
import { NOBODY } from './simulation.ts'
import { LATE, verdictOf } from './verdict.js'
import type { Exchange, World } from './world.ts'

const DAY = 24 * 3600 * 1000

/** Milliseconds for which a grant is remembered after it has expired. */
const MEMORY = 10 * 60 * 1000

/** Milliseconds that a request may take: some updates of two seconds each, and an `issueToken` of ten. */
const LONGEST_REQUEST = 60_000

/** Milliseconds in which failed polls in a row make each other's pauses longer. */
const LONGEST_PAUSES = 300_000

/** Milliseconds for which a fault of the database explains a request that failed. */
const TROUBLE = 8000

/** Milliseconds after which a delivery is marked in the store, so that its instance notices a store that was set back. */
const MARKED = 1000

/** The record that every instance marks, and the records that never expire. */
const KEPT = 'generation'
const FOREVER = /generation|revocations:/

/** The counts of what users have typed. */
const WRONG_CODES = 'limit:wrongUserCodes:'
const WRONG_CODES_WINDOW = 300_000

/** The longest that a record may still be kept, in milliseconds, by the beginning of its key. */
const LONGEST_KEPT: readonly (readonly [prefix: string, milliseconds: (world: World) => number])[] = [
  [GRANT_PREFIX, lifetimeOf],
  ['user-code:', lifetimeOf],
  ['limit:grants', () => 900_000],
  ['limit:', () => 300_000],
  ['token:', tokenLifetimeOf],
  ['access:', tokenLifetimeOf],
  ['logins:', (world) => familyLifetimeOf(world) || tokenLifetimeOf(world)],
  ['family:', familyLifetimeOf],
  ['successor:', ({ refreshTokens }) => 1000 * (refreshTokens?.reuseWindow ?? 0) + 10_000],
  ['form-secret', () => 30 * DAY],
  [KEPT, () => Number.POSITIVE_INFINITY],
  ['revocations:', () => Number.POSITIVE_INFINITY],
]

/** A device code, a token, a client secret or a user code. */
const SECRET =
  /\b[0-9a-f]{40}\b|the-secret-of|gh[or]_|\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/

/** The steps that a grant may take, written down once more: not those of its machine. */
const STEPS: Readonly<Record<Grant['state'] | 'none', readonly Grant['state'][]>> = {
  none: ['requested'],
  requested: ['pending', 'slowed', 'approved', 'denied', 'expired'],
  pending: ['pending', 'slowed', 'approved', 'denied', 'expired'],
  slowed: ['pending', 'slowed', 'approved', 'denied', 'expired'],
  approved: ['issuing', 'expired'],
  issuing: ['issuing', 'approved', 'authorized', 'expired'],
  denied: ['expired'],
  // Its delivery ends.
  authorized: ['authorized'],
  expired: [],
}

/** A grant as the writes to the store tell it. */
interface Truth {
  grant: Grant | undefined
  decided: { readonly state: 'approved' | 'denied'; readonly at: number; readonly user: string } | undefined
  /** The poll whose claim held when the token was settled. */
  settledBy: string | undefined
  /** Until when each poll must get that token: until a time, by the clock of an instance, or until it is used. */
  deliveredUntil: number
  isUsed: boolean
  /** Those that held the claim, the last one last, and until when. */
  readonly claims: { readonly holder: string; until: number }[]
  readonly tokens: Set<string>
  /** When a failover last lost a write of it: requests from before may be told anything. */
  undoneAt: number
  /** Which instance first delivered its token, and when. */
  deliveredBy: Instance | undefined
  deliveredAt: number
  /** Whether a decision was confirmed, and told to a listener. */
  isConfirmed: boolean
  isTold: boolean
}

/**
 * Checks after every step what must hold. What happened is read from the writes to the store, never from what a device
 * says; and a loss is excused by a fault that was really played on that login, never by the look of it.
 */
export class Judge {
  protected readonly world: World
  readonly #truths = new Map<string, Truth>()
  /** Until when the record of each update lives. */
  readonly #updates = new Map<string, number>()
  protected readonly excuses = new Set<string>()
  readonly #owners = new Map<string, string>()
  /** The requests that made the tokens. */
  readonly #makers = new Map<string, string>()
  readonly #undone = new Set<string>()
  /** The grants of whose token a listener was told. */
  readonly #issued = new Set<string>()
  readonly #logins = new Map<number, Login>()
  readonly #exchanges = new Map<string, Exchange>()
  /** What each request was told, in a word. */
  readonly #answered = new Map<Exchange, string>()
  /** What users have typed wrong, as the store counts it, and since when. */
  readonly #counts = new Map<string, { readonly times: number; readonly since: number }>()
  /** What attackers were told, by the limit and whom it is for. */
  readonly #attempts = new Map<string, { readonly at: number; readonly isServed: boolean }[]>()
  /** When all tokens of each user were revoked: the first time, the second time. */
  readonly #revocations = new Map<string, number[]>()
  /** When the records of tokens were removed. */
  readonly #removed = new Map<string, number>()
  /** The logins that are listed for each user. */
  readonly #lists = new Map<string, ReadonlySet<string>>()
  /** When an instance last found that the store was set back. */
  #setBackAt = Number.NEGATIVE_INFINITY

  constructor(world: World) {
    this.world = world
  }

  /** What must hold of a login: by default, of the one whose event is being run. */
  protected check(holds: boolean, what: string | (() => string), login = this.world.login): void {
    this.world.holds(holds, login, what)
  }

  begins(login: Login): void {
    this.#logins.set(login.number, login)
  }

  /** A record was written, or deleted. `lifetime` in milliseconds. */
  wrote(key: string, record: unknown, lifetime: number): void {
    const { update, value } = (record ?? {}) as Partial<Boxed>
    if (update !== undefined) {
      const { now } = this.world
      // Where its record has expired meanwhile, a retry cannot know that it was made.
      const isTwice = (this.#updates.get(update) ?? 0) > now
      this.check(!isTwice, () => `an update of ${nameOf(key)} was made twice`)
      this.#updates.set(update, now + lifetime)
      const [, longest] = LONGEST_KEPT.find(([prefix]) => key.includes(prefix)) ?? []
      const most = (longest?.(this.world) ?? 0) + this.tolerance
      this.check(lifetime <= most, () => `a record ${nameOf(key)} is kept for ${lifetime} ms`)
    }
    const name = keyIn(key)
    if (name.startsWith(WRONG_CODES))
      this.#counted(name, value as { readonly times: number; readonly until: number } | undefined)
    if (name.startsWith('revocations:')) this.revocationsOf(name)[Number(value) - 1] = this.world.now
    if (name.startsWith('token:') && isRemoved(value)) this.#removed.set(name, this.world.now)
    if (name.startsWith('logins:'))
      this.#lists.set(name, new Set((value as unknown as [string][] | undefined)?.map(([id]) => id)))
    if (name === KEPT) this.#foundSetBack((value as { setBackAt?: number } | undefined)?.setBackAt ?? -1)
    if (name.startsWith(GRANT_PREFIX) && value) this.#stepped(this.#truthOf(name), value as unknown as Grant)
  }

  /** An instance may say that the store was set back: codes from before are then refused. */
  #foundSetBack(at: number): void {
    if (at <= this.#setBackAt || at === -1) return
    this.#setBackAt = at
    this.check(this.#undone.has(KEPT), 'the store was said to be set back, and was not')
  }

  /** When all tokens of a user were revoked. */
  protected revocationsOf(key: string): number[] {
    const times = this.#revocations.get(key) ?? []
    this.#revocations.set(key, times)
    return times
  }

  /** When the login of a grant was ended by the host. */
  #endOf({ grant, decided }: Truth, token = ''): number {
    const times = this.#revocations.get(ofUser('revocations', decided?.user ?? ''))
    const byUser = times?.[grant?.revocations ?? 0] ?? Number.POSITIVE_INFINITY
    return Math.min(byUser, this.#removed.get(tokenKey(token)) ?? Number.POSITIVE_INFINITY)
  }

  /** The host was told that it has ended something, or that there was nothing to end. */
  revoked({ login, arrivedAt }: Exchange, what: Revocable, _wasValid: boolean): void {
    const truth = this.#truthBy(login)
    if (truth?.decided === undefined || isUndone(truth) || truth.decided.at >= arrivedAt) return
    if ('user' in what && truth.decided.user !== what.user) return
    const end = this.#endOf(truth, 'token' in what ? String(what.token) : '')
    this.check(end <= this.world.now, 'the host was told of a revocation that there is not', login)
  }

  /** The request that made an update. */
  protected maker(update: string): Exchange | undefined {
    return this.#exchanges.get(holderOf(update))
  }

  /** A failover has lost a write. */
  undone(key: string, lost: unknown, before: unknown): void {
    this.#updates.delete((lost as Boxed | undefined)?.update ?? '')
    this.#undone.add(keyIn(key))
    const name = keyIn(key)
    const { value } = (before ?? {}) as Partial<Boxed>
    if (name.startsWith('revocations:')) this.revocationsOf(name).splice(Number(value ?? 0))
    if (name.startsWith('token:') && !isRemoved(value)) this.#removed.delete(name)
    if (key.includes(GRANT_PREFIX))
      this.#setBack(this.#truthOf(keyIn(key)), (before as Boxed | undefined)?.value)
  }

  /** From now on, what the store holds is true again. */
  #setBack(truth: Truth, before: unknown): void {
    const grant = before as Grant | undefined
    truth.undoneAt = this.world.now
    truth.grant = grant
    if (grant === undefined || ['requested', 'pending', 'slowed'].includes(grant.state))
      Object.assign(truth, { decided: undefined, isConfirmed: false, isTold: false })
    if (grant?.state !== 'authorized') truth.settledBy = undefined
    if (grant?.claim) truth.claims.push({ holder: holderOf(grant.claim.id), until: grant.claim.until })
  }

  #stepped(truth: Truth, after: Grant): void {
    const { grant: before } = truth
    const { now } = this.world
    const login = loginOf(after)
    const check = (holds: boolean, what: string) => this.check(holds, what, login)
    const from = before?.state ?? 'none'
    if (before?.openedBy === undefined && after.openedBy !== undefined) {
      this.world.note(login, 'store', `${from} opened`)
      check(before?.state === after.state && before.interval === after.interval, 'a look has changed a grant')
      truth.grant = after
      return
    }
    const step = from === after.state ? `${from} again` : `${from} -> ${after.state}`
    this.world.note(login, 'store', step)
    check(STEPS[from].includes(after.state), `the grant went from ${from} to ${after.state}`)
    truth.grant = after
    if (before === undefined) return
    const isRaised = after.interval - before.interval === (after.state === 'slowed' ? 5 : 0)
    check(isRaised, `the interval went from ${before.interval} to ${after.interval} in ${after.state}`)
    if ((after.state === 'approved' && from !== 'issuing') || after.state === 'denied')
      truth.decided = { state: after.state, at: now, user: String(after.user ?? '') }
    const isTheirs = after.user === null || truth.decided?.user === after.user
    check(isTheirs, 'the user of the grant has changed')
    const last = truth.claims.at(-1)
    if (from === 'issuing' && before.claim && last) {
      const isFree = after.state !== 'issuing' || last.until - this.tolerance <= now
      check(isFree, 'a claim was taken that another poll still had')
      last.until = Math.min(last.until, now)
    }
    if (after.state === 'authorized' && before.claim) {
      truth.settledBy = holderOf(before.claim.id)
      truth.deliveredUntil = now + Math.min(600, Math.max(60, 30 + 3 * after.interval)) * 1000
    }
    if (after.state === 'issuing' && after.claim)
      truth.claims.push({ holder: holderOf(after.claim.id), until: after.claim.until })
  }

  /** Which request issues a token of a login: the one with the claim. */
  issuer(number: number, _family?: string): string | undefined {
    return this.#truthBy(number)?.claims.at(-1)?.holder
  }

  made(token: string, user: string, maker: string): void {
    this.#owners.set(token, user)
    this.#makers.set(token, maker)
  }

  /** A fault was played that explains why a request brings no token. */
  excuse(exchange: string): void {
    this.excuses.add(exchange)
  }

  /** A fault was played on a login, or met it. */
  faulted(number: number, why: string): void {
    const login = this.#logins.get(number)
    if (login?.status === undefined && login) login.fault = { why, at: this.world.now }
  }

  arrived(exchange: Exchange): void {
    this.#exchanges.set(exchange.id, exchange)
    const truth = exchange.kind === 'user' ? this.#truthBy(exchange.login) : undefined
    if (truth) truth.isUsed = true
  }

  /** An instance has made its response: it may be lost yet. */
  responded(exchange: Exchange, reply: ServiceResponse | string): void {
    this.#answered.set(exchange, typeof reply === 'string' ? reply : outcomeOf(exchange, reply))
    const { login, kind } = exchange
    const took = this.world.now - exchange.arrivedAt
    this.check(took <= LONGEST_REQUEST, `a request took ${took} ms`, login)
    if (kind === 'decision') this.#decided(exchange)
    if (typeof reply === 'string') return
    const { status, body } = reply
    this.check(status !== 500, 'the service failed with status 500', login)
    if (kind === 'flood') {
      this.#attacked(exchange, reply)
      return
    }
    this.check(status !== 429, 'somebody was limited who is no attacker', login)
    if (status === 503) {
      this.faulted(login, 'the store was away')
      this.check(this.mayBeBusy(exchange), 'the service was busy for no reason', login)
    } else if (kind === 'poll') this.#polled(exchange, JSON.parse(body))
  }

  /** An attacker was given nothing, and was limited neither too late nor too early. */
  #attacked({ limited, isAllowed, arrivedAt }: Exchange, { status, body }: ServiceResponse): void {
    const isGiven = body.includes('"access_token"') || body.includes('"device_code"')
    this.check(isAllowed === true || !isGiven, 'an attacker was given a code or a token', NOBODY)
    if (limited === undefined || status === 503 || this.#undone.size > 0) return
    const { now } = this.world
    const window = LIMIT.window * 1000
    const attempts = this.#attempts.get(limited) ?? []
    this.#attempts.set(limited, attempts)
    attempts.push({ at: now, isServed: status !== 429 })
    // The time windows of two instances may meet within one.
    const served = attempts.filter(({ at, isServed }) => isServed && at > now - window + this.tolerance)
    this.check(served.length <= 2 * LIMIT.max, 'an attacker was limited too late', NOBODY)
    const begun = [...this.#exchanges.values()].filter(
      (other) =>
        other.limited === limited && other.arrivedAt >= arrivedAt - window - this.tolerance - LONGEST_REQUEST,
    )
    this.check(status !== 429 || begun.length > LIMIT.max, 'an attacker was limited too early', NOBODY)
  }

  /** A user was told what has become of a decision, or of a code. */
  #decided(exchange: Exchange): void {
    const { decision, arrivedAt, login } = exchange
    const outcome = this.#answered.get(exchange) ?? ''
    const truth = this.#truthBy(login)
    if (truth === undefined || decision === undefined || arrivedAt <= truth.undoneAt) return
    const { decided, grant } = truth
    const check = (holds: boolean, what: string) => this.check(holds, what, login)
    const isRefused = outcome === 'policy'
    if (outcome === 'done' || isRefused) {
      const state = decision.plan === 'approve' && !isRefused ? 'approved' : 'denied'
      const isTheirs = state === 'denied' || decided?.user === decision.user
      check(decided?.state === state && isTheirs, 'a decision was confirmed that does not count')
      check(!truth.isConfirmed, 'two decisions of one grant were confirmed')
      truth.isConfirmed = true
    }
    if (outcome === 'decided') check(decided !== undefined, 'a grant was said to be decided that is not')
    if (outcome === 'expired')
      check(
        this.world.now >= (grant?.expiresAt ?? 0) - this.tolerance,
        'a code was said to have expired early',
      )
  }

  /** Whether there is a reason for a status of 503. */
  protected mayBeBusy(exchange: Exchange): boolean {
    return this.isTroubled(exchange)
  }

  #polled(exchange: Exchange, { access_token, error }: Record<string, string>): void {
    const { login, arrivedAt } = exchange
    const truth = this.#truthBy(login)
    if (truth === undefined) return
    const { grant, decided, settledBy, deliveredUntil, isUsed, tokens, undoneAt } = truth
    if (access_token !== undefined) tokens.add(access_token)
    if (tokens.size === 1 && truth.deliveredBy === undefined) {
      truth.deliveredBy = exchange.instance
      truth.deliveredAt = this.world.now
    }
    if (error === 'expired_token' && grant && grant.issuedAt <= this.#setBackAt + this.tolerance) {
      truth.undoneAt = this.world.now
      return
    }
    if (arrivedAt <= undoneAt) return
    const end = grant?.expiresAt ?? 0
    const before = decided && decided.at < arrivedAt ? decided.state : undefined
    const check = (holds: boolean, what: string) => this.check(holds, what, login)
    const revokedAt = this.#endOf(truth, access_token)
    const isRevoked = revokedAt <= this.world.now
    if (access_token !== undefined) {
      check(arrivedAt <= revokedAt, 'a token was delivered after its login was revoked')
      // Only the instance that delivered a token can notice that the store has lost it.
      const mayForget = undoneAt < truth.deliveredAt + MARKED || truth.deliveredBy !== exchange.instance
      check(tokens.size === 1 || mayForget, 'a grant has brought a second token')
      const isSettled = settledBy !== undefined && settledBy === this.#makers.get(access_token)
      check(isSettled, 'a token was delivered under the claim of another poll')
      check(this.world.now <= LONGEST_REQUEST + deliveredUntil, 'a token was delivered again too late')
      check(decided?.user === this.#owners.get(access_token), 'a token stands for another user')
    } else if (error === 'authorization_pending') {
      check(arrivedAt <= end + this.tolerance, 'a code was still pending after its end')
      check(before !== 'denied', 'a denied grant was said to be pending')
      // A poll that came as the codes expired loses its claim to another one, which is told that they have.
      const isExcused = this.#isExcused(exchange, truth) || grant?.state === 'expired'
      check(before !== 'approved' || isExcused, 'an approved grant was said to be pending')
    } else if (error === 'slow_down') {
      check(before === undefined, 'a decision hid behind slow_down')
    } else if (error === 'access_denied') {
      check(decided?.state === 'denied' || isRevoked, 'a device was told of a denial that there is not')
    } else if (error === 'expired_token') {
      check(this.world.now >= end - this.tolerance, 'a code was said to have expired early')
    } else {
      const isOver = isUsed || isRevoked || this.world.now >= deliveredUntil - this.tolerance
      const isGone = error === 'incorrect_device_code' && settledBy !== undefined && isOver
      check(isGone || grant === undefined, `a poll was refused with ${error}`)
    }
  }

  /** Whether another poll holds the claim, or this one had it and failed for a reason that is known. */
  #isExcused(exchange: Exchange, truth: Truth): boolean {
    const isHeld = truth.claims.some(
      ({ holder, until }) => holder !== exchange.id && until + this.tolerance >= exchange.arrivedAt,
    )
    const isStalled = this.world.now - exchange.arrivedAt > 9000
    return isHeld || isStalled || exchange.isGone || this.excuses.has(exchange.id)
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

  /** The listener of an instance was told an event. */
  told(event: ServiceEvent): void {
    this.logged('onEvent', event)
    // One number may have several grants, where processes log in at the same time.
    const truthOf = (grant: string) =>
      [...this.#truths].find(([key]) => key.startsWith(GRANT_PREFIX + grant))?.[1]
    if (event.type === 'decision') {
      const truth = truthOf(event.grant)
      const isTrue = truth?.decided?.state === event.decision && !truth.isTold
      this.check(isTrue || isUndone(truth), 'the listener was told of a decision that does not count')
      if (truth) truth.isTold = true
    }
    if (event.type !== 'token.issued' || event.replayed) return
    const isKnown = this.#issued.has(event.grant) && !isUndone(truthOf(event.grant))
    this.#issued.add(event.grant)
    this.check(!isKnown, 'the listener was told of two tokens of one grant')
  }

  /** A login has ended. Where its token has gone shows when all that was on its way has arrived. */
  ended(login: Login): void {
    this.world.ends.push(String(login.status))
    if (login.status === 'expired' && !login.wasToldOfEnd) login.checkEnd()
    this.world.after(LONGEST_REQUEST, () => this.#judge(login))
  }

  #judge(login: Login): void {
    const { number, status, fault, token } = login
    const truth = this.#truthBy(number)
    const isRevoked = truth !== undefined && this.#endOf(truth) <= this.world.now
    const ended = isRevoked ? 'the host has revoked it' : this.#missed(login, truth)
    const reason = isUndone(truth) ? 'a failover lost a write' : ended
    if (login.grantKey === undefined) {
      this.#lose(number, fault && `no codes: ${fault.why}`, `${status} without codes`)
      return
    }
    if (isUndone(truth) || status === 'failed' || (isRevoked && status === 'denied')) {
      if (status !== 'authorized') this.#lose(number, reason, `failed: ${login.error}`)
      return
    }
    const { tokens = new Set(), decided } = truth ?? {}
    const isInTime = decided !== undefined && decided.at <= this.#lastMoment(truth)
    const wrong = verdictOf({
      ...{ status, decided: decided && { ...decided, isInTime }, tokens: tokens.size },
      ...{ user: decided?.user, owner: this.#owners.get(token) },
    })
    const isLost = isInTime && status !== 'authorized' && status !== 'denied'
    if (isLost) this.#lose(number, reason ?? this.#excuseOf(login, decided.at), `${wrong}`)
    else this.check(wrong === undefined, `${wrong}`, number)
    const isSent = status !== 'authorized' || tokens.has(token)
    this.check(isSent, 'authorized with a token that was never sent', number)
  }

  /** One lost response never loses a token: its device has asked again before the delivery window was over. */
  #missed({ error, failedAt }: Login, truth: Truth | undefined): string | undefined {
    if (!truth?.settledBy || !truth.decided || !error.includes('incorrect_device_code')) return undefined
    const since = truth.decided.at - LONGEST_PAUSES
    const failed = failedAt.filter((at) => at >= since).length
    return failed > 1 ? 'several polls failed until the delivery window was over' : undefined
  }

  /** Why a decision has not reached its device. */
  #excuseOf({ fault, hasNoTimeLeft, hadClockSet }: Login, decidedAt: number): string | undefined {
    if (fault && fault.at >= decidedAt) return `no poll got through: ${fault.why}`
    if (hadClockSet) return 'the clock of the device was set'
    return hasNoTimeLeft ? 'slow_down left no time for a poll' : undefined
  }

  /** Until when a decision is sure to reach its device. */
  #lastMoment(truth: Truth | undefined): number {
    return (truth?.grant?.expiresAt ?? 0) - LATE * 1000 - this.tolerance
  }

  /** A loss that is documented, if there is a reason for it. */
  #lose(number: number, reason: string | undefined, what: string): void {
    this.check(reason !== undefined, what, number)
    if (reason !== undefined) this.world.lose(number, reason)
  }

  /** A token was shown to the service: it is good until the host has revoked it, and not a moment longer. */
  recognised({ number, token }: Login, { arrivedAt }: Exchange, { status, body }: ServiceResponse): void {
    const truth = this.#truthBy(number)
    if (truth === undefined || this.#undone.has(tokenKey(token)) || isUndone(truth)) return
    const end = this.#endOf(truth, token)
    const mayBe = end <= this.world.now
    this.check(status === 200 || mayBe, `the service knows a token no more: status ${status}`, number)
    this.check(status === 401 || arrivedAt <= end, 'a token was accepted that was revoked', number)
    if (status !== 200) return
    const isTheirs = JSON.parse(body).login === this.#owners.get(token)
    this.check(isTheirs, 'the service takes a token for that of another user', number)
    // A login that is not listed is not counted.
    const list = this.#lists.get(ofUser('logins', truth.decided?.user ?? ''))
    const isListed = list?.has(sha256(token)) === true || this.#hasFailed
    this.check(isListed || mayBe, 'a login is not in the list of its user', number)
  }

  /** Whether the database has ever failed here, or an instance was lost. */
  get #hasFailed(): boolean {
    const { database, faults } = this.world
    return database.troubledAt > 0 || faults.has('request: kill') || faults.has('request: stall')
  }

  /** The world has come to its end. */
  finish(): void {
    const { instances, time } = this.world
    for (const exchange of this.#exchanges.values()) {
      const isDone = this.#answered.has(exchange) || exchange.instance?.isDead === true
      this.check(isDone, `request ${exchange.id} was never answered`, exchange.login)
    }
    this.check(time.timers === 0, 'timers are left', NOBODY)
    const isAlive = instances.some(({ isDead }) => !isDead)
    this.check(isAlive, 'no instance is left', NOBODY)
    for (const [key, { times, since }] of this.#counts) this.#countEnds(key, times, since)
    time.now += 400 * DAY
    const left = this.#recordsLeft()
    this.check(left === 0, `${left} records are left`, NOBODY)
    for (const [number, { status }] of this.#logins) this.check(status !== undefined, 'never ended', number)
  }

  /** A count that is deleted goes on with the time window that it had. */
  #counted(name: string, count: { readonly times: number; readonly until: number } | undefined): void {
    const { since = 0 } = this.#counts.get(name) ?? {}
    this.#counts.set(name, {
      times: count?.times ?? 0,
      since: count ? count.until - WRONG_CODES_WINDOW - TROUBLE : since,
    })
  }

  /** Right codes do not count, nor a request that was counted twice; and each wrong one of the last time window does. */
  #countEnds(key: string, times: number, since: number): void {
    const asked = [...this.#exchanges.values()].filter(({ decision }) =>
      key.endsWith(JSON.stringify(decision?.user)),
    )
    const isWrong = (exchange: Exchange) => this.#answered.get(exchange) === 'unknown'
    const isUnclear = (exchange: Exchange) =>
      ['unavailable', undefined].includes(this.#answered.get(exchange))
    const wrong = asked.filter((exchange) => isWrong(exchange) && exchange.arrivedAt >= since).length
    const most = asked.filter((exchange) => isWrong(exchange) || isUnclear(exchange)).length
    const isRight = (times >= wrong && times <= most) || this.#undone.has(key)
    this.check(isRight, `a count of wrong codes stands at ${times} after ${wrong}`, NOBODY)
  }

  /** Records that are there although they have expired. */
  #recordsLeft(): number {
    const { database, memory } = this.world
    if (memory === undefined) return database.keys.filter((key) => !FOREVER.test(key)).length
    void memory.update(KEPT, () => ({ result: undefined, value: null }))
    // Each update first sweeps two of its records.
    for (let count = memory.size; count >= 0; count -= 1)
      for (const key of ['swept', 'limit:swept']) void memory.update(key, () => ({ result: undefined }))
    return memory.size - this.#revocations.size
  }

  /** The database has failed lately, or the instance stood still: its timers may then fire before replies that are there. */
  protected isTroubled({ arrivedAt, instance }: Exchange): boolean {
    const stalledUntil = instance?.stalledUntil ?? 0
    return this.world.database.troubledAt >= arrivedAt - TROUBLE || stalledUntil >= arrivedAt
  }

  /** Milliseconds by which the clocks of two instances may differ. */
  protected get tolerance(): number {
    return this.world.profile.skew * 2000
  }

  #truthBy(number: number): Truth | undefined {
    const key = this.#logins.get(number)?.grantKey
    return key === undefined ? undefined : this.#truths.get(key)
  }

  #truthOf(key: string): Truth {
    const known = this.#truths.get(key)
    if (known) return known
    const none = { grant: undefined, decided: undefined, settledBy: undefined }
    const made: Truth = {
      ...none,
      deliveredUntil: 0,
      isUsed: false,
      claims: [],
      tokens: new Set(),
      undoneAt: Number.NEGATIVE_INFINITY,
      deliveredBy: undefined,
      deliveredAt: 0,
      isConfirmed: false,
      isTold: false,
    }
    this.#truths.set(key, made)
    return made
  }
}

/** Whether the record of a token is gone, or says that the token is. */
function isRemoved(value: unknown): boolean {
  const { delivery } = (value ?? {}) as { readonly delivery?: { readonly endedBy?: string } }
  return value === undefined || delivery?.endedBy === 'removal'
}

/** What something says, with all that an error holds. */
function textOf(said: unknown): string {
  if (!(said instanceof Error)) return JSON.stringify(said) ?? ''
  const { message, cause } = said
  return `${message} ${JSON.stringify(said)} ${cause === undefined ? '' : textOf(cause)}`
}

/** What a user was told by the page, or anybody by the service. */
function outcomeOf({ kind }: Exchange, { status, body }: ServiceResponse): string {
  if (kind !== 'decision') return String(status)
  const { type, reason = type } = JSON.parse(body) as { readonly type: string; readonly reason?: string }
  return reason
}

function isUndone(truth: Truth | undefined): boolean {
  return truth !== undefined && truth.undoneAt > Number.NEGATIVE_INFINITY
}

/** The key of the grant of a device code. */
export function grantKey(deviceCode: string): string {
  return GRANT_PREFIX + sha256(deviceCode)
}

function tokenLifetimeOf({ refreshTokens }: World): number {
  return refreshTokens ? ACCESS_LIFETIME * 1000 : 365 * DAY
}

function familyLifetimeOf({ refreshTokens }: World): number {
  return 1000 * (refreshTokens?.lifetime ?? 0)
}

function tokenKey(token: string): string {
  return `token:${sha256(token)}`
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The key of a record of a user. */
export function ofUser(kind: string, user: string): string {
  return `${kind}:${sha256(JSON.stringify(user))}`
}

function lifetimeOf({ profile: { lifetime, skew } }: World): number {
  return lifetime * 1000 + MEMORY + skew * 2000
}

/** The request that drew a claim, or made an update. */
export function holderOf(name: string): string {
  return name.split('/')[0] ?? ''
}

/** Which login a grant is of: its scope says. */
function loginOf({ scope }: Grant): number {
  return Number(scope.slice('login:'.length))
}

/** A key without the prefix of the store and the braces of Redis Cluster, or the quotes of SQL. */
export function keyIn(key: string): string {
  return key.startsWith('"') ? JSON.parse(key) : (/{(.*)}/.exec(key)?.[1] ?? key)
}

/** What a key is of. */
function nameOf(key: string): string {
  return keyIn(key).split(':').slice(0, 2).join(':').slice(0, 32)
}
