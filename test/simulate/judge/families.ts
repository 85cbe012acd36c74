import type { Family } from '../../../src/service/tokens/families.ts'
import type { AccessTokenRecord } from '../../../src/service/tokens/tokens.ts'
import type { History, Version } from '../database.ts'
import { LONG_WINDOW } from '../processes.ts'
import { type Exchange, type Shown, sha256 } from '../world.ts'
import { Rules, readValue } from './rules.ts'
import { LONGEST_RECEIPT, type Tokens } from './tokens.ts'

/** Seconds after which a process gives up a refresh request. */
const REFRESH_TIMEOUT = 8

/** Milliseconds after which a request that arrived has found that another one is issuing the pair. */
const HELD = 200

/** The refresh tokens of one login. */
export class Login {
  readonly id: string
  /** When a failover last lost a write of it: what was said before does not count. */
  undoneAt = Number.NEGATIVE_INFINITY
  /** A thief has copied its token: it may end, but a process must not be refused until then. */
  isStolen = false
  readonly #tokens: Tokens
  readonly #versions: readonly Version[]
  #last: Family

  constructor(tokens: Tokens, { name, versions }: History) {
    this.#tokens = tokens
    this.id = name
    this.#versions = versions
    this.#last = this.family
  }

  /** As the store has it. Of a login that a failover has lost, the last one that it had. */
  get family(): Family {
    this.#last = familyIn(this.#versions.at(-1)) ?? this.#last
    return this.#last
  }

  /** Whether a refresh token was its newest one, and no failover has lost that. */
  hasHad(hash: string): boolean {
    return this.#versions.some((version) => familyIn(version)?.newest === hash)
  }

  /** When its end was written. */
  get overAt(): number {
    const { user, revocations } = this.family
    const byUser = this.#tokens.revokedAt(String(user), revocations)
    const end = this.#versions.find((each) => ['revoked', 'expired'].includes(`${familyIn(each)?.state}`))
    const { at = byUser } = this.#versions.length === 0 ? { at: this.undoneAt } : (end ?? {})
    return Math.min(at, byUser)
  }

  /** When the successor of a generation was written or, of the newest one, itself. */
  rotatedAt(generation: number): number {
    const versions = this.#versions.filter((version) => (familyIn(version)?.generation ?? 0) >= generation)
    const next = versions.find((version) => familyIn(version)?.generation === generation + 1)
    return (next ?? versions[0])?.at ?? 0
  }
}

/** A refresh token that was a login's newest one. */
interface Spendable {
  readonly hash: string
  readonly login: Login
  readonly generation: number
  /** The pair that it was exchanged for. */
  successor?: string
  /** The requests that have spent it. */
  readonly requests: Set<Exchange>
}

/** What must hold of refresh tokens: each has one successor, and only a reuse ends a login. */
export class Families extends Rules {
  readonly #logins = new Map<string, Login>()
  /** By the hash of the refresh token. */
  readonly #spendables = new Map<string, Spendable>()
  /** Refresh requests that surely have looked at their login a moment after they arrived. */
  readonly #held = new Set<Exchange>()
  renewals = 0

  /** The newest login: attackers have learned its id. */
  get newest(): Login | undefined {
    return [...this.#logins.values()].at(-1)
  }

  find(id: string): Login | undefined {
    return this.#logins.get(id)
  }

  spendable(token = ''): Spendable | undefined {
    return this.#spendables.get(sha256(token))
  }

  /** A login was written. */
  wrote(history: History): void {
    const { name: id, versions } = history
    const { world } = this
    const last = versions.at(-1)
    const after = familyIn(last)
    if (after === undefined) return
    const before = familyIn(versions.at(-2))
    const login = this.#logins.get(id) ?? new Login(this.judge.tokens, history)
    this.#logins.set(id, login)
    const { state, generation, newest, expiresAt } = after
    const from = before?.state ?? 'none'
    world.note(world.first, 'family', `${id.slice(0, 4)} ${from} -> ${state} ${generation}`)
    if (newest !== before?.newest) {
      const { requests = new Set<Exchange>() } = this.#spendables.get(newest) ?? {}
      this.#spendables.set(newest, { hash: newest, login, generation, requests })
    }
    if (before && newest !== before.newest) {
      if (!login.isStolen) this.renewals += 1
      const isNext = generation === before.generation + 1 && after.previous === before.newest
      this.check(isNext, 'a refresh token was replaced by one that does not follow it')
    }
    if (state === 'expired') this.check(world.now >= expiresAt - world.tolerance, 'a login expired early')
    if (state === 'revoked' && before) this.#revoked(before, login, this.judge.maker(last?.update))
  }

  /** A failover has lost writes. Of a login that they concern, what was said before does not count. */
  undone({ kind, name }: History, lost: readonly Version[]): void {
    for (const { update, value } of lost) {
      const { family = '' } = (value ?? {}) as unknown as Partial<AccessTokenRecord>
      const login = this.#logins.get(kind === 'family' ? name : family)
      this.#setBack(login ?? this.spendable(this.judge.maker(update)?.shown?.token)?.login)
    }
    if (kind === 'revocations') for (const login of this.#logins.values()) this.#setBack(login)
  }

  #setBack(login: Login | undefined): void {
    if (login === undefined) return
    login.undoneAt = this.world.now
    for (const spendable of this.#spendables.values())
      if (spendable.login === login && spendable.generation >= login.family.generation)
        delete spendable.successor
  }

  /** A login was ended by a request. */
  #revoked(before: Family, login: Login, exchange: Exchange | undefined): void {
    const { world } = this
    if (exchange?.kind === 'host') return
    if (login.isStolen) {
      world.lose(world.first, 'a theft')
      return
    }
    const spent = exchange?.shown && this.spendable(exchange.shown.token)
    if (spent?.login !== login || exchange?.shown === undefined)
      this.check(false, 'a login was revoked by a request without a token of it')
    else if (exchange.kind === 'refresh') this.#reused(before, spent, exchange, exchange.shown)
  }

  /** A login was revoked, since a refresh token was spent again. */
  #reused(before: Family, spent: Spendable, exchange: Exchange, shown: Shown): void {
    const { world } = this
    const { login, generation } = spent
    if (this.isLost(spent) || exchange.arrivedAt <= login.undoneAt) {
      world.lose(world.first, 'a failover lost a write')
      return
    }
    const { reuseWindow } = before
    const areApart = world.processes?.areApart === true
    const rotatedAt = login.rotatedAt(generation)
    const isOlder = generation < before.generation - 1
    const isLate = world.now >= rotatedAt + reuseWindow * 1000 - world.tolerance
    const wasSpent = generation < before.generation
    this.check(wasSpent && (isOlder || isLate), 'a login was revoked within the reuse window')
    const wasHeld = this.#held.has(exchange) && exchange.arrivedAt < rotatedAt - HELD
    this.check(!wasHeld, 'a request that was held was taken for a reuse')
    const last = this.#spendables.get(before.previous ?? '')
    const senders = sendersOf(last)
    const unclear = senders.filter(({ end }) => end === 'unclear').length
    const isShort = reuseWindow < REFRESH_TIMEOUT
    const isRepeated = shown.arrivals > 1
    const leftUntil = login.rotatedAt(before.generation - 1) + (reuseWindow - REFRESH_TIMEOUT) * 1000
    const closedAt = rotatedAt + (reuseWindow + REFRESH_TIMEOUT) * 1000
    const hasFailed = world.processes?.store.troubles.some((at) => at >= rotatedAt && at < closedAt) === true
    const stopped = senders.filter(({ by }) => by.stalledUntil >= leftUntil - world.tolerance)
    const causes: Readonly<Record<string, boolean>> = {
      'a request that the network repeated after the reuse window': isRepeated,
      'a kill between the rotation and the write': senders.some(({ by }) => by.isDead),
      'a lost response with a reuse window shorter than a request': isShort && unclear > 0,
      'a stop that left no time for a request in the reuse window':
        areApart && reuseWindow < LONG_WINDOW && stopped.length > 0,
      'two lost responses': unclear > 1,
      'a lost response and a freeze': unclear > 0 && senders.some(wasStopped),
      'a lost response and an instance that stood still': unclear > 0 && wasStalled(exchange),
      'a lost response and a store that failed': unclear > 0 && hasFailed,
    }
    world.lose(
      world.first,
      Object.keys(causes).find((name) => causes[name]),
      'a login was revoked for no reason',
    )
    const isKept = this.judge.sessions.kept?.spendable === this.#spendables.get(before.newest)
    const isHeld = senders.some(({ by, end }) => !by.isDead && end === 'pair')
    const isGivenUp = isShort && shown.end === 'unclear'
    // One that took over a claim may be late too: nobody knows when the stopped one has spent the token.
    const isTakenOver = areApart && [shown, ...senders].some(wasStopped)
    const isNobodys = shown.by.isDead || isRepeated || isGivenUp || isTakenOver || (!isKept && !isHeld)
    this.check(isNobodys, 'a login was revoked whose newest pair was kept')
  }

  /** A request that spends a refresh token is on its way. */
  sends(exchange: Exchange): void {
    this.spendable(exchange.shown?.token)?.requests.add(exchange)
  }

  arrived(exchange: Exchange): void {
    const { shown, kind } = exchange
    if (shown === undefined) return
    shown.arrivals += 1
    const spendable = this.spendable(shown.token)
    if (kind === 'revoke' && !shown.by.isDead) {
      const isKept = this.judge.sessions.kept?.login === spendable?.login
      this.check(!isKept, 'a login was revoked that the store still held')
    }
    if (kind !== 'refresh') return
    spendable?.requests.add(exchange)
    // What goes wrong later does not take back what it has found.
    this.world.after(HELD, () => !this.judge.isTroubled(exchange) && this.#held.add(exchange))
    this.#spends(shown, spendable)
  }

  /** A refresh token has arrived at the service. One that its process waits for no more harms nobody. */
  #spends(shown: Shown, spendable: Spendable | undefined): void {
    if (shown.by.isDead || shown.end !== 'under way') return
    const areApart = this.world.processes?.areApart === true
    // On another host, a process that stood still may have lost its claim meanwhile.
    const isAway = (other: Shown) => other.by.isDead || (areApart && wasStopped(other))
    const isFree = (spent: Spendable | undefined, end: Shown['end']) =>
      sendersOf(spent).every((other) => other === shown || isAway(other) || other.end !== end)
    this.check(isFree(spendable, 'pair'), 'a refresh token was spent that a living process had renewed')
    this.check(isFree(spendable, 'under way'), 'a refresh token was spent that a living process was spending')
    const { newest = '', previous = '' } = spendable?.login.family ?? {}
    const older =
      this.#spendables.get(newest) === spendable ? this.#spendables.get(previous ?? '') : undefined
    this.check(
      isFree(older, 'under way'),
      'a refresh token was spent before a living process was done with the older one',
    )
  }

  responded({ shown, arrivedAt, kind }: Exchange, body: Record<string, string>): void {
    const spendable = shown && this.spendable(shown.token)
    if (spendable === undefined || this.isLost(spendable) || arrivedAt <= spendable.login.undoneAt) return
    if (kind === 'refresh') this.#refreshed(arrivedAt, spendable, body)
    else this.check(this.mayBeOver(spendable.login), 'a logout has left the login valid')
  }

  #refreshed(arrivedAt: number, spendable: Spendable, body: Record<string, string>): void {
    const { login, generation } = spendable
    const { access_token, refresh_token = '', error } = body
    if (access_token === undefined) {
      this.check(error === 'bad_refresh_token', `a refresh was refused with ${error}`)
      this.check(this.isOver(login), 'a refresh was refused though the login was valid')
      return
    }
    const { world } = this
    const pair = `${access_token} ${refresh_token}`
    spendable.successor ??= pair
    this.check(spendable.successor === pair, 'a refresh token has brought a second successor')
    const isNext = this.spendable(refresh_token)?.generation === generation + 1
    this.check(isNext, 'a refresh has brought a token that is not the next one')
    this.check(arrivedAt <= login.overAt, 'a login was renewed after its end')
    const end = login.rotatedAt(generation) + login.family.reuseWindow * 1000 + world.tolerance
    this.check(arrivedAt <= end, 'a successor was handed out after the reuse window')
  }

  /** A request is told to try again only where the one that issues the pair was slow, failed or hung up. */
  mayBeBusy(exchange: Exchange): boolean {
    if (exchange.kind !== 'refresh') return false
    const { requests = [], login } = this.spendable(exchange.shown?.token) ?? {}
    const isSlow = (request: Exchange) =>
      request.isExcused || request.isGone || request.instance?.isDead || this.judge.isTroubled(request)
    const isUndone = login !== undefined && login.undoneAt > 0
    return login?.isStolen === true || isUndone || [exchange, ...requests].some(isSlow)
  }

  /** Whether a failover has lost a refresh token. */
  isLost({ login, hash }: Spendable): boolean {
    return !login.hasHad(hash)
  }

  isOver({ overAt, family }: Login): boolean {
    const { now, tolerance } = this.world
    return overAt <= now || now >= family.expiresAt - tolerance
  }

  /** Whether it is over, or was before a failover, of which somebody may have been told. */
  mayBeOver(login: Login): boolean {
    return this.isOver(login) || this.world.now <= login.undoneAt + LONGEST_RECEIPT
  }
}

const familyIn = readValue<Family>

/** Whether the process that shows a token has stood still since it wrote its claim. */
function wasStopped({ by, stoodBefore }: Shown): boolean {
  return by.stood > stoodBefore
}

/** Whether the instance that handled a request has stood still since it was sent. */
function wasStalled({ instance, sentAt }: Exchange): boolean {
  return (instance?.stalledUntil ?? 0) >= sentAt
}

function sendersOf(spendable: Spendable | undefined): Shown[] {
  const requests = [...(spendable?.requests ?? [])]
  return [...new Set(requests.flatMap(({ shown }) => shown ?? []))]
}
