import type { Revocable } from '../../../src/service/create-service.ts'
import type { ServiceResponse } from '../../../src/service/http/types.ts'
import type { Family } from '../../../src/service/tokens/families.ts'
import type { Json } from '../../../src/store/store.ts'
import type { Boxed } from '../instance.ts'
import { holderOf, Judge, keyIn, ofUser, sha256 } from '../judge.ts'
import type { Exchange, Shown } from '../world.ts'
import { type Program, SKEW } from './program.ts'
import type { SessionWorld } from './session-world.ts'

/** Seconds after which a process gives up a refresh request. */
const REFRESH_TIMEOUT = 8

/** Milliseconds after which a request that arrived has found that another one is issuing the pair. */
const HELD = 200

/** Milliseconds that a response may be on its way: a slow one, and a freeze. */
const LONGEST_RECEIPT = 180_000

/** The steps that a family may take, written down once more: not those of its machine. */
const STEPS: Readonly<Record<Family['state'] | 'none', readonly Family['state'][]>> = {
  none: ['active'],
  active: ['active', 'issuing', 'revoked', 'expired'],
  issuing: ['issuing', 'active', 'revoked', 'expired'],
  revoked: [],
  expired: [],
}

/** One login as the writes to the store tell it. */
interface Login {
  readonly id: string
  family: Family
  /** When its end was written. */
  overAt: number
  /** When a failover last lost a write of it: what was said before does not count. */
  undoneAt: number
  /** Whether a failover has lost all of it. */
  isForgotten: boolean
  /** A thief has copied its token: it may end, but a process must not be refused while it goes on. */
  isStolen: boolean
}

/** A refresh token that was a login's newest one. */
interface Spendable {
  readonly login: Login
  readonly generation: number
  /** When its successor was written. */
  rotatedAt: number
  /** The pair that it was exchanged for. */
  successor?: string
  /** The requests that have spent it. */
  readonly requests: Set<Exchange>
  /** Whether a failover has lost it. */
  isLost: boolean
}

interface AccessToken {
  readonly login: Login | undefined
  /** Until when it is good, and for how much longer a session may think so. Epoch milliseconds, and milliseconds. */
  readonly until: number
  readonly slack: number
}

/** Checks what must hold of a login that several processes share, and of the refresh tokens of the service. */
export class SessionJudge extends Judge {
  declare protected readonly world: SessionWorld
  readonly #logins = new Map<string, Login>()
  /** By the hash of the refresh token. */
  readonly #spendables = new Map<string, Spendable>()
  /** By its hash. */
  readonly #accessTokens = new Map<string, AccessToken>()
  /** Logins whose end the file of the processes has held. */
  readonly #over = new Set<Login>()
  /** Refresh requests that surely have looked at their login a moment after they arrived. */
  readonly #held = new Set<Exchange>()
  /** Those that the running logout of each process has removed from the file. */
  readonly #loggedOut = new Map<Program, Login[]>()
  renewals = 0

  /** All processes share one login of the simulation. */
  protected override check(holds: boolean, what: string | (() => string)): void {
    super.check(holds, what, this.world.first)
  }

  /** The newest login: attackers have learned its id. */
  get newest(): Login | undefined {
    return [...this.#logins.values()].at(-1)
  }

  /** The refresh token in the file, which somebody copies. */
  stolen(): string | undefined {
    const login = this.#kept?.login
    if (login === undefined) return undefined
    login.isStolen = !this.world.isConfidential
    this.world.count('theft')
    this.world.note(this.world.first, 'thief', `copies the token of ${login.id.slice(0, 4)}`)
    return (this.world.disk.record as { readonly token?: { readonly refreshToken: string } }).token
      ?.refreshToken
  }

  override wrote(key: string, record: unknown, lifetime: number): void {
    super.wrote(key, record, lifetime)
    const { update = '', value } = (record ?? {}) as Partial<Boxed>
    const [kind, name = ''] = keyIn(key).split(':')
    if (kind === 'revocations')
      for (const login of this.#logins.values())
        login.overAt = Math.min(login.overAt, this.#revokedAt(login.family))
    if (kind === 'family' && value) this.#stepped(name, value as unknown as Family, this.maker(update))
    const login = this.#logins.get((value as { readonly family?: string } | undefined)?.family ?? '')
    // The lifetime of a login counts from its receipt.
    const slack = login?.family.generation === 0 ? LONGEST_RECEIPT : 0
    if (kind === 'token' && value)
      this.#accessTokens.set(name, { login, until: this.world.now + lifetime, slack })
  }

  override undone(key: string, lost: unknown, before: unknown): void {
    super.undone(key, lost, before)
    const [kind, name = ''] = keyIn(key).split(':')
    const { update = '', value } = (lost ?? {}) as Partial<Boxed>
    const { id, family } = (value ?? {}) as { readonly id?: string; readonly family?: string }
    const known = this.#accessTokens.get(name)
    if (known) this.#accessTokens.set(name, { ...known, login: undefined })
    if (kind === 'revocations') for (const login of this.#logins.values()) this.#setBack(login, login.family)
    const maker = sha256(this.maker(update)?.shown?.token ?? '')
    const login =
      this.#logins.get(kind === 'family' ? name : (family ?? id ?? '')) ?? this.#spendables.get(maker)?.login
    const { value: kept } = (before ?? {}) as Partial<Boxed>
    if (login) this.#setBack(login, kind === 'family' ? (kept as unknown as Family) : login.family)
  }

  /** From now on, what the store holds of a login is true again. */
  #setBack(login: Login, family: Family | undefined): void {
    login.undoneAt = this.world.now
    login.isForgotten = family === undefined
    if (family) login.family = family
    login.overAt = family && !isEnded(family) ? this.#revokedAt(family) : this.world.now
    for (const spendable of this.#spendables.values()) {
      if (spendable.login !== login || spendable.generation < login.family.generation) continue
      delete spendable.successor
      spendable.isLost = family === undefined || spendable.generation > family.generation
    }
  }

  /** When all tokens of its user were revoked. */
  #revokedAt({ user, revocations }: Family): number {
    return this.revocationsOf(ofUser('revocations', String(user)))[revocations] ?? Number.POSITIVE_INFINITY
  }

  #stepped(id: string, after: Family, exchange: Exchange | undefined): void {
    const { now, first: number } = this.world
    const known = this.#logins.get(id)
    const before = known?.isForgotten ? undefined : known?.family
    const login = known ?? {
      id,
      family: after,
      overAt: Number.POSITIVE_INFINITY,
      undoneAt: Number.NEGATIVE_INFINITY,
      isForgotten: false,
      isStolen: false,
    }
    this.#logins.set(id, login)
    login.family = after
    if (before === undefined) Object.assign(login, { overAt: this.#revokedAt(after), isForgotten: false })
    const { state, generation, newest, expiresAt } = after
    const from = before?.state ?? 'none'
    this.world.note(number, 'family', `${id.slice(0, 4)} ${from} -> ${state} ${generation}`)
    this.check(STEPS[from].includes(state), `a family went ${from} -> ${state}`)
    if (newest !== before?.newest)
      this.#spendables.set(newest, {
        ...{ login, generation, rotatedAt: now },
        ...{ requests: this.#spendables.get(newest)?.requests ?? new Set(), isLost: false },
      })
    if (before && newest !== before.newest) this.#rotated(before, login)
    if (isEnded(after)) login.overAt = Math.min(login.overAt, now)
    if (state === 'expired') this.check(now >= expiresAt - this.tolerance, 'a login expired early')
    if (state === 'revoked' && before) this.#revoked(before, login, exchange)
  }

  #rotated(before: Family, { family, isStolen }: Login): void {
    if (!isStolen) this.renewals += 1
    const spent = this.#spendables.get(before.newest)
    if (spent) spent.rotatedAt = this.world.now
    const isRight = family.generation === before.generation + 1 && family.previous === before.newest
    this.check(isRight, 'a refresh token was replaced by one that does not follow it')
  }

  /** The host was told that a login has ended. */
  override revoked(_: Exchange, what: Revocable, wasValid: boolean): void {
    const id = 'family' in what ? what.family : ''
    const token = 'token' in what && wasValid ? sha256(String(what.token)) : ''
    for (const login of [this.#logins.get(id), this.#accessTokens.get(token)?.login])
      this.check(!login || this.#mayBeOver(login), 'a login is valid that the host has revoked')
  }

  /** A login was ended by a request. */
  #revoked(before: Family, login: Login, exchange: Exchange | undefined): void {
    if (exchange?.kind === 'host') return
    if (login.isStolen) {
      this.world.lose(this.world.first, 'a theft')
      return
    }
    const token = exchange?.shown && sha256(exchange.shown.token)
    const spent = this.#spendables.get(token ?? '')
    if (spent?.login !== login || exchange?.shown === undefined)
      this.check(false, 'a login was revoked by a request without a token of it')
    else if (exchange.kind === 'refresh') this.#reused(before, spent, exchange)
  }

  /** A login was revoked, since a refresh token was spent again. */
  #reused(before: Family, spent: Spendable, exchange: Exchange): void {
    if (spent.isLost || exchange.arrivedAt <= spent.login.undoneAt) {
      this.world.lose(this.world.first, 'a failover lost a write')
      return
    }
    const { reuseWindow } = this.world.refreshTokens
    const isOlder = spent.generation < before.generation - 1
    const isLate = this.world.now >= spent.rotatedAt + reuseWindow * 1000 - this.tolerance
    const wasSpent = spent.generation < before.generation
    this.check(wasSpent && (isOlder || isLate), 'a login was revoked within the reuse window')
    const wasHeld = this.#held.has(exchange) && exchange.arrivedAt < spent.rotatedAt - HELD
    this.check(!wasHeld, 'a request that was held was taken for a reuse')
    const last = this.#spendables.get(before.previous ?? '')
    const senders = sendersOf(last)
    const isKept = this.#kept?.spendable === this.#spendables.get(before.newest)
    const isHeld = senders.some(({ by, end }) => !by.isDead && end === 'pair')
    const unclear = senders.filter(({ end }) => end === 'unclear').length
    const isShort = reuseWindow < REFRESH_TIMEOUT
    const isRepeated = (exchange.shown?.arrivals ?? 0) > 1
    const leftUntil = (last?.rotatedAt ?? 0) + (reuseWindow - REFRESH_TIMEOUT) * 1000
    const causes: Readonly<Record<string, boolean>> = {
      'a request that the network repeated after the reuse window': isRepeated,
      'a kill between the rotation and the write': senders.some(({ by }) => by.isDead),
      'a lost response with a reuse window shorter than a request': isShort && unclear > 0,
      'a stop that left no time for a request in the reuse window':
        this.world.areApart && senders.some(({ by }) => by.stalledUntil >= leftUntil - this.tolerance),
      'two lost responses': unclear > 1,
      'a lost response and a freeze': unclear > 0 && senders.some(({ by }) => by.stood > 0),
    }
    const cause = Object.keys(causes).find((name) => causes[name])
    this.check(cause !== undefined, 'a login was revoked for no reason')
    if (cause) this.world.lose(this.world.first, cause)
    const isGivenUp = isShort && exchange.shown?.end === 'unclear'
    // One that took over a claim may be late too: nobody knows when the stopped one has spent the token.
    const isNobodys =
      exchange.shown?.by.isDead || isRepeated || isGivenUp || this.world.areApart || (!isKept && !isHeld)
    this.check(isNobodys, 'a login was revoked whose newest pair was kept')
  }

  override issuer(_number: number, family = ''): string | undefined {
    const claim = this.#logins.get(family)?.family.claim
    return claim ? holderOf(claim.id) : undefined
  }

  override arrived(exchange: Exchange): void {
    super.arrived(exchange)
    const { shown, kind } = exchange
    if (shown === undefined) return
    shown.arrivals += 1
    const spendable = this.#spendables.get(sha256(shown.token))
    if (kind === 'revoke' && !shown.by.isDead)
      this.check(this.#kept?.login !== spendable?.login, 'a login was revoked that the store still held')
    if (kind !== 'refresh') return
    spendable?.requests.add(exchange)
    // What goes wrong later does not take back what it has found.
    this.world.after(HELD, () => !this.isTroubled(exchange) && this.#held.add(exchange))
    this.#spends(shown, spendable)
  }

  /** A request that spends a refresh token is on its way. */
  sends(exchange: Exchange): void {
    this.#spendables.get(sha256(exchange.shown?.token ?? ''))?.requests.add(exchange)
  }

  /** A refresh token has arrived at the service. One that its process waits for no more harms nobody. */
  #spends(shown: Shown, spendable: Spendable | undefined): void {
    if (shown.by.isDead || shown.end !== 'under way') return
    // On another host, a process that stood still may have lost its claim meanwhile.
    const isAway = ({ by }: Shown) => by.isDead || (this.world.areApart && by.stood > 0)
    const others = sendersOf(spendable).filter((other) => other !== shown && !isAway(other))
    const isFree = (end: Shown['end']) => others.every((other) => other.end !== end)
    this.check(isFree('pair'), 'a refresh token was spent that a living process had renewed')
    this.check(isFree('under way'), 'a refresh token was spent that a living process was spending')
  }

  override responded(exchange: Exchange, reply: ServiceResponse | string): void {
    super.responded(exchange, reply)
    const { kind, shown } = exchange
    if (typeof reply === 'string' || shown === undefined) return
    const { status, body } = reply
    const token = sha256(shown.token)
    if (kind === 'user') this.#recognised(exchange, token, status)
    const spendable = this.#spendables.get(token)
    if (spendable === undefined || spendable.isLost || status === 503) return
    if (exchange.arrivedAt <= spendable.login.undoneAt) return
    if (kind === 'refresh') this.#refreshed(exchange, spendable, JSON.parse(body))
    if (kind === 'revoke') this.check(this.#mayBeOver(spendable.login), 'a logout has left the login valid')
  }

  #refreshed(
    { arrivedAt }: Exchange,
    spendable: Spendable,
    { access_token, refresh_token = '', error }: Record<string, string>,
  ): void {
    const { login, rotatedAt } = spendable
    if (access_token === undefined) {
      this.check(error === 'bad_refresh_token', `a refresh was refused with ${error}`)
      this.check(this.#isOver(login), 'a refresh was refused though the login was valid')
      return
    }
    const { reuseWindow } = this.world.refreshTokens
    const pair = `${access_token} ${refresh_token}`
    spendable.successor ??= pair
    this.check(spendable.successor === pair, 'a refresh token has brought a second successor')
    const isNext = this.#spendables.get(sha256(refresh_token))?.generation === spendable.generation + 1
    this.check(isNext, 'a refresh has brought a token that is not the next one')
    this.check(arrivedAt <= login.overAt, 'a login was renewed after its end')
    const end = rotatedAt + reuseWindow * 1000 + this.tolerance
    this.check(arrivedAt <= end, 'a successor was handed out after the reuse window')
  }

  /** An access token was shown to the service. */
  #recognised({ arrivedAt }: Exchange, token: string, status: number): void {
    const { login, until } = this.#accessTokens.get(token) ?? { login: undefined, until: 0 }
    if (login === undefined || arrivedAt <= login.undoneAt || status === 503) return
    const isOver = arrivedAt > Math.min(login.overAt, until + this.tolerance)
    this.check(status === 401 || !isOver, 'a token was accepted after the end of its login')
    const isGood = !this.#isOver(login) && this.world.now < until - this.tolerance
    this.check(status === 200 || !isGood, `a good token was refused with status ${status}`)
  }

  /** A request is told to try again only where the one that issues the pair was slow, failed or hung up. */
  protected override mayBeBusy(exchange: Exchange): boolean {
    const token = exchange.shown && sha256(exchange.shown.token)
    const { requests = [], login } = this.#spendables.get(token ?? '') ?? {}
    const isSlow = (request: Exchange) =>
      this.excuses.has(request.id) || request.isGone || request.instance?.isDead || this.isTroubled(request)
    const isUndone = login !== undefined && login.undoneAt > 0
    return login?.isStolen === true || isUndone || [exchange, ...requests].some(isSlow)
  }

  /** The logout of a process has ended. One that says that it has revoked must have ended what it removed from the file. */
  loggedOut(program: Program, isRevoked: boolean): void {
    const isOver = (this.#loggedOut.get(program) ?? []).every((login) => this.#mayBeOver(login))
    this.#loggedOut.delete(program)
    this.check(!isRevoked || isOver, 'a logout has left the login valid')
  }

  /** The record of the processes was written. */
  stored(before: Json | undefined, after: Json | undefined, program: Program): void {
    const was = this.#read(before)
    const is = this.#read(after)
    if (is?.status === 'signedOut' && was?.login)
      this.#loggedOut.set(program, [...(this.#loggedOut.get(program) ?? []), was.login])
    if (is?.status === 'ended')
      this.check(was?.claimant === program.name, 'an end was written over the claim of another process')
    if (is?.login && was?.login === is.login)
      this.check(is.id === was.id, 'a login was stored under a second id')
    this.world.note(
      this.world.first,
      'file',
      `${is?.status} ${is?.generation ?? ''} ${is?.claimant ? `claimed by ${is.claimant}` : ''}`,
    )
    if (is?.login === undefined) {
      if (was?.login) this.#over.add(was.login)
      const isTrue =
        is?.status !== 'ended' ||
        was?.login === undefined ||
        was.spendable?.isLost ||
        this.#mayBeOver(was.login)
      this.check(isTrue === true, 'a login was ended without a true refusal')
    } else if (was?.login === is.login) {
      this.check(is.generation >= was.generation, 'an older pair has replaced a newer one')
    } else {
      // Only a login that was not kept at once may come over another one.
      this.check(is.generation === 0 && !this.#over.has(is.login), 'a login has come back that had ended')
    }
  }

  /** A process was given a token, and uses it. */
  used(token: string): void {
    const { until = 0, slack = 0 } = this.#accessTokens.get(sha256(token)) ?? {}
    const skew = this.world.areApart ? 2 * SKEW : this.tolerance
    const mayBe = this.world.now < until + slack + skew
    this.check(mayBe || this.world.hadClockSet, 'a token was handed out that had expired')
  }

  /** All is quiet, and the last rounds were calm. */
  override finish(): void {
    const { programs } = this.world
    const kept = this.#kept
    const isNewest =
      !kept?.login || this.#isOver(kept.login) || kept.generation === kept.login.family.generation
    this.check(isNewest || kept.spendable?.isLost === true, 'the file has lost the newest pair')
    for (const { isDead, isIdle } of programs) this.check(isDead || isIdle, 'a session has not settled')
    super.finish()
  }

  #isOver({ overAt, family }: Login): boolean {
    const { now } = this.world
    return overAt <= now || now >= family.expiresAt - this.tolerance
  }

  /** Whether it is over, or was before a failover, of which somebody may have been told. */
  #mayBeOver(login: Login): boolean {
    return this.#isOver(login) || this.world.now <= login.undoneAt + LONGEST_RECEIPT
  }

  get #kept() {
    return this.#read(this.world.disk.record)
  }

  #read(record: Json | undefined) {
    if (record === undefined) return undefined
    const {
      status,
      token,
      claim,
      login: id,
    } = record as {
      readonly status: string
      readonly login?: string
      readonly token?: { readonly refreshToken: string }
      readonly claim?: { readonly owner: string }
    }
    const spendable = token && this.#spendables.get(sha256(token.refreshToken))
    const isIssued = (spendable !== undefined) === (status === 'signedIn')
    this.check(isIssued, 'the file holds a refresh token that was never issued')
    const claimant = claim?.owner.split('#')[0]
    return {
      status,
      id,
      claimant,
      spendable,
      login: spendable?.login,
      generation: spendable?.generation ?? 0,
    }
  }
}

function isEnded({ state }: Family): boolean {
  return state === 'revoked' || state === 'expired'
}

function sendersOf(spendable: Spendable | undefined): Shown[] {
  const requests = [...(spendable?.requests ?? [])]
  return [...new Set(requests.flatMap(({ shown }) => shown ?? []))]
}
