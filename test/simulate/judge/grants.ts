import type { Grant } from '../../../src/service/grants/grant-steps.ts'
import type { ServiceEvent } from '../../../src/service/host/events.ts'
import type { History } from '../database.ts'
import type { Instance } from '../instance.ts'
import type { Login } from '../login.ts'
import { LATE, verdictOf } from '../verdict.js'
import { type Exchange, sha256 } from '../world.ts'
import { holderOf, type Judge, LONGEST_REQUEST, type Rules } from './judge.ts'

const PREFIX = 'grant:'

/** Milliseconds in which failed polls in a row make each other's pauses longer. */
const LONGEST_PAUSES = 300_000

/** Milliseconds after which a delivery is marked in the store, so that its instance notices a store that was set back. */
const MARKED = 1000

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

/** What those who asked about a grant were told. */
interface Told {
  readonly tokens: Set<string>
  /** Which instance first delivered its token, and when. */
  deliveredBy: Instance | undefined
  deliveredAt: number
  isUsed: boolean
  /** Whether a decision was confirmed; and what a listener was told. */
  isConfirmed: boolean
  heardDecision: boolean
  heardToken: boolean
}

/** Who decided, and when. */
interface Decided {
  readonly state: 'approved' | 'denied'
  readonly at: number
  readonly user: string
}

/** What must hold of the grants, and of the devices that poll them. */
export class Grants implements Rules {
  readonly #judge: Judge
  readonly #told = new Map<History, Told>()
  /** By the id that events name. */
  readonly #byId = new Map<string, History>()
  /** When an instance last found that the store was set back. */
  #setBackAt = -1

  constructor(judge: Judge) {
    this.#judge = judge
  }

  find(key: string): Grant | undefined {
    return grantIn(this.#judge.database.historyOf(key))
  }

  wrote(history: History): void {
    const { world } = this.#judge
    const { versions, name } = history
    const after = grantIn(history)
    if (after === undefined) return
    if (versions.length === 1) this.#byId.set(name.slice(0, 32), history)
    const before = grantIn(history, versions.length - 2)
    const login = loginOf(after)
    const check = (holds: boolean, what: string | (() => string)) => this.#judge.check(holds, what, login)
    const from = before?.state ?? 'none'
    if (before?.openedBy === undefined && after.openedBy !== undefined) {
      world.note(login, 'store', `${from} opened`)
      check(before?.state === after.state && before.interval === after.interval, 'a look has changed a grant')
      return
    }
    world.note(login, 'store', from === after.state ? `${from} again` : `${from} -> ${after.state}`)
    check(STEPS[from].includes(after.state), () => `the grant went from ${from} to ${after.state}`)
    if (before === undefined) return
    const isRaised = after.interval - before.interval === (after.state === 'slowed' ? 5 : 0)
    check(isRaised, () => `the interval went from ${before.interval} to ${after.interval} in ${after.state}`)
    const isTheirs = after.user === null || decisionOn(history)?.user === after.user
    check(isTheirs, 'the user of the grant has changed')
    const isTaken = from === 'issuing' && after.state === 'issuing'
    const isFree = !isTaken || (before.claim?.until ?? 0) - world.tolerance <= world.now
    check(isFree, 'a claim was taken that another poll still had')
  }

  /** From now on, what the store holds is true again. */
  undone(history: History): void {
    if (decisionOn(history) === undefined)
      Object.assign(this.#toldOf(history), { isConfirmed: false, heardDecision: false })
  }

  /** An instance may say that the store was set back: codes from before are then refused. */
  foundSetBack({ versions, undoneAt }: History): void {
    const { setBackAt = -1 } = (versions.at(-1)?.value ?? {}) as { readonly setBackAt?: number }
    if (setBackAt <= this.#setBackAt) return
    this.#setBackAt = setBackAt
    this.#judge.check(undoneAt > 0, 'the store was said to be set back, and was not')
  }

  arrived({ kind, shown }: Exchange): void {
    const { issued, exchanges, database } = this.#judge
    const { by = '' } = issued.get(shown?.token ?? '') ?? {}
    const { grant } = exchanges.get(by) ?? {}
    if (kind === 'user' && grant) this.#toldOf(database.historyOf(grant)).isUsed = true
  }

  /** A user was told what has become of a decision, or of a code. */
  decided({ decision, arrivedAt, login, told: outcome }: Exchange): void {
    const history = this.#ofLogin(login)
    if (history === undefined || decision === undefined || arrivedAt <= history.undoneAt) return
    const decided = decisionOn(history)
    const told = this.#toldOf(history)
    const check = (holds: boolean, what: string) => this.#judge.check(holds, what, login)
    const isRefused = outcome === 'policy'
    if (outcome === 'done' || isRefused) {
      const state = decision.plan === 'approve' && !isRefused ? 'approved' : 'denied'
      const isTheirs = state === 'denied' || decided?.user === decision.user
      check(decided?.state === state && isTheirs, 'a decision was confirmed that does not count')
      check(!told.isConfirmed, 'two decisions of one grant were confirmed')
      told.isConfirmed = true
    }
    if (outcome === 'decided') check(decided !== undefined, 'a grant was said to be decided that is not')
    if (outcome === 'expired') this.#isOver(history, login)
  }

  polled(exchange: Exchange, { access_token, error }: Record<string, string>): void {
    const { world, issued } = this.#judge
    const { login, arrivedAt, grant: key = '', instance } = exchange
    const history = this.#judge.database.historyOf(key)
    const grant = grantIn(history)
    const told = this.#toldOf(history)
    if (access_token !== undefined) told.tokens.add(access_token)
    if (told.tokens.size === 1 && told.deliveredBy === undefined)
      Object.assign(told, { deliveredBy: instance, deliveredAt: world.now })
    if (error === 'expired_token' && grant && grant.issuedAt <= this.#setBackAt + world.tolerance) {
      history.undoneAt = world.now
      return
    }
    if (arrivedAt <= history.undoneAt) return
    const { settledBy, deliveredUntil, deliveryWindow } = settlementOf(history)
    const decided = decisionOn(history)
    const before = decided && decided.at < arrivedAt ? decided.state : undefined
    const check = (holds: boolean, what: string) => this.#judge.check(holds, what, login)
    const [delivered] = told.tokens
    const revokedAt = this.#endOf(history, access_token ?? delivered)
    const isRevoked = revokedAt <= world.now
    if (access_token !== undefined) {
      check(arrivedAt <= revokedAt, 'a token was delivered after its login was revoked')
      // Only the instance that delivered a token can notice that the store has lost it.
      const mayForget = history.undoneAt < told.deliveredAt + MARKED || told.deliveredBy !== instance
      check(told.tokens.size === 1 || mayForget, 'a grant has brought a second token')
      const { by, user } = issued.get(access_token) ?? {}
      const isSettled = settledBy !== undefined && settledBy === by
      check(isSettled, 'a token was delivered under the claim of another poll')
      check(world.now <= LONGEST_REQUEST + deliveredUntil, 'a token was delivered again too late')
      check(decided?.user === user, 'a token stands for another user')
    } else if (error === 'authorization_pending') {
      const end = grant?.expiresAt ?? 0
      check(arrivedAt <= end + world.tolerance, 'a code was still pending after its end')
      check(before !== 'denied', 'a denied grant was said to be pending')
      // A poll that came as the codes expired loses its claim to another one, which is told that they have.
      const isExcused = this.#isExcused(exchange, history) || grant?.state === 'expired'
      check(before !== 'approved' || isExcused, 'an approved grant was said to be pending')
    } else if (error === 'slow_down') {
      check(before === undefined, 'a decision hid behind slow_down')
    } else if (error === 'access_denied') {
      check(decided?.state === 'denied' || isRevoked, 'a device was told of a denial that there is not')
    } else if (error === 'expired_token') {
      this.#isOver(history, login)
    } else {
      // Where its instance stood still, the window begins when the poll came, not when the token was written.
      const cameAt = this.#judge.exchanges.get(settledBy ?? '')?.arrivedAt ?? 0
      const isClosed = world.now >= cameAt + deliveryWindow - world.tolerance
      const isOver = told.isUsed || isRevoked || isClosed
      const isGone = error === 'incorrect_device_code' && settledBy !== undefined && isOver
      check(isGone || grant === undefined, `a poll was refused with ${error}`)
    }
  }

  #isOver(history: History, login: number): void {
    const { world } = this.#judge
    const isOver = world.now >= (grantIn(history)?.expiresAt ?? 0) - world.tolerance
    this.#judge.check(isOver, 'a code was said to have expired early', login)
  }

  /** Whether another poll holds the claim, or this one had it and failed for a reason that is known. */
  #isExcused({ id, arrivedAt, isGone }: Exchange, history: History): boolean {
    const { world } = this.#judge
    const isHeld = claimsOn(history).some(
      ({ holder, until }) => holder !== id && until + world.tolerance >= arrivedAt,
    )
    const isStalled = world.now - arrivedAt > 9000
    return isHeld || isStalled || isGone
  }

  /** The listener of an instance was told an event. */
  heard(event: ServiceEvent): void {
    if (event.type !== 'decision' && event.type !== 'token.issued') return
    const history = this.#byId.get(event.grant ?? '')
    if (history === undefined) return
    const isUndone = history.undoneAt > 0
    const told = this.#toldOf(history)
    if (event.type === 'decision') {
      const isTrue = decisionOn(history)?.state === event.decision && !told.heardDecision
      this.#judge.check(isTrue || isUndone, 'the listener was told of a decision that does not count')
      told.heardDecision = true
    } else if (!event.replayed) {
      const isKnown = told.heardToken && !isUndone
      this.#judge.check(!isKnown, 'the listener was told of two tokens of one grant')
      told.heardToken = true
    }
  }

  /** A login has ended. Where its token has gone shows when all that was on its way has arrived. */
  ended(login: Login): void {
    const { world } = this.#judge
    world.ends.push(String(login.status))
    if (login.status === 'expired' && !login.wasToldOfEnd) login.checkEnd()
    world.after(LONGEST_REQUEST, () => this.#conclude(login))
  }

  #conclude(login: Login): void {
    const { number, status, fault, token } = login
    const { world, issued } = this.#judge
    const history = this.#ofLogin(number)
    if (history === undefined) {
      this.#judge.lose(number, fault && `no codes: ${fault.why}`, `${status} without codes`)
      return
    }
    const isUndone = history.undoneAt > 0
    const isRevoked = this.#endOf(history) <= world.now
    if (isUndone || status === 'failed' || (isRevoked && status === 'denied')) {
      const ended = isRevoked ? 'the host has revoked it' : this.#missed(login, history)
      const reason = isUndone ? 'a failover lost a write' : ended
      if (status !== 'authorized') this.#judge.lose(number, reason, `failed: ${login.error}`)
      return
    }
    const { tokens } = this.#toldOf(history)
    const decided = decisionOn(history)
    // Later decisions may not reach the device.
    const lastMoment = (grantIn(history)?.expiresAt ?? 0) - LATE * 1000 - world.tolerance
    const isInTime = decided !== undefined && decided.at <= lastMoment
    const wrong = verdictOf({
      ...{ status, decided: decided && { ...decided, isInTime }, tokens: tokens.size },
      ...{ user: decided?.user, owner: issued.get(token)?.user },
    })
    const isLost = isInTime && status !== 'authorized' && status !== 'denied'
    const reason = isRevoked ? 'the host has revoked it' : this.#missed(login, history)
    if (isLost) this.#judge.lose(number, reason ?? excuseOf(login, decided.at), `${wrong}`)
    else this.#judge.check(wrong === undefined, `${wrong}`, number)
    const isSent = status !== 'authorized' || tokens.has(token)
    this.#judge.check(isSent, 'authorized with a token that was never sent', number)
  }

  /** One lost response never loses a token: its device has asked again before the delivery window was over. */
  #missed({ error, failedAt }: Login, history: History): string | undefined {
    const decided = decisionOn(history)
    const { settledBy } = settlementOf(history)
    if (!settledBy || !decided || !error.includes('incorrect_device_code')) return undefined
    const since = decided.at - LONGEST_PAUSES
    const failed = failedAt.filter((at) => at >= since).length
    return failed > 1 ? 'several polls failed until the delivery window was over' : undefined
  }

  /** When the login of a grant was ended by the host. */
  #endOf(history: History, token = ''): number {
    const { tokens } = this.#judge
    const { revocations = 0 } = grantIn(history) ?? {}
    const byUser = tokens.revokedAt(decisionOn(history)?.user ?? '', revocations)
    return Math.min(byUser, tokens.removedAt(token))
  }

  /** The host was told that it has ended something of a user, or that there was nothing to end. */
  revoked({ login, arrivedAt }: Exchange, user: string | undefined, token: string | undefined): void {
    const history = this.#ofLogin(login)
    const decided = history && decisionOn(history)
    if (!history || !decided || history.undoneAt > 0 || decided.at >= arrivedAt) return
    if (user !== undefined && decided.user !== user) return
    const isEnded = this.#endOf(history, token) <= this.#judge.world.now
    this.#judge.check(isEnded, 'the host was told of a revocation that there is not', login)
  }

  /** What is left of each grant: all were decided or have expired, and what a device has is what its grant says. */
  finish(): void {
    for (const login of this.#judge.logins.values()) {
      const history = this.#ofLogin(login.number)
      const state = history && grantIn(history)?.state
      if (history === undefined || history.undoneAt > 0 || state === undefined) continue
      const isTrue = login.status !== 'authorized' || state === 'authorized'
      this.#judge.check(isTrue, `a device has a token, and its grant is ${state}`, login.number)
      const isOpen = ['requested', 'pending', 'slowed'].includes(state)
      const isForgotten = login.status === 'authorized' || login.status === 'denied'
      this.#judge.check(!isOpen || !isForgotten, `a grant is still ${state}`, login.number)
    }
  }

  #ofLogin(number: number): History | undefined {
    const { grantKey: key } = this.#judge.logins.get(number) ?? {}
    return key === undefined ? undefined : this.#judge.database.historyOf(key)
  }

  #toldOf(history: History): Told {
    const known = this.#told.get(history)
    if (known) return known
    const none = { isUsed: false, isConfirmed: false, heardDecision: false, heardToken: false }
    const told = { ...none, tokens: new Set<string>(), deliveredBy: undefined, deliveredAt: 0 }
    this.#told.set(history, told)
    return told
  }
}

/** The key of the grant of a device code. */
export function grantKey(deviceCode: string): string {
  return PREFIX + sha256(deviceCode)
}

function grantIn({ versions }: History, index = versions.length - 1): Grant | undefined {
  return versions[index]?.value as unknown as Grant | undefined
}

/** The decision that counts. */
function decisionOn({ versions }: History): Decided | undefined {
  for (const { at, value } of versions) {
    const { state, user } = (value ?? {}) as unknown as Partial<Grant>
    if (state === 'approved' || state === 'denied') return { state, at, user: String(user ?? '') }
  }
  return undefined
}

/** The polls that have held the claim, and until when. */
function claimsOn({ versions }: History): { readonly holder: string; readonly until: number }[] {
  return versions.flatMap(({ value }, index) => {
    const { claim } = (value ?? {}) as unknown as Partial<Grant>
    const until = Math.min(claim?.until ?? 0, versions[index + 1]?.at ?? Number.POSITIVE_INFINITY)
    return claim ? [{ holder: holderOf(claim.id), until }] : []
  })
}

/** The poll whose claim held when the token was settled, and until when each poll must get that token. */
function settlementOf(history: History) {
  const { versions } = history
  const index = versions.findIndex((_, each) => grantIn(history, each)?.state === 'authorized')
  const { claim, interval = 0 } = grantIn(history, index - 1) ?? {}
  if (index === -1 || !claim) return { settledBy: undefined, deliveredUntil: 0, deliveryWindow: 0 }
  const deliveryWindow = 1000 * Math.min(600, Math.max(60, 30 + 3 * interval))
  const deliveredUntil = (versions[index]?.at ?? 0) + deliveryWindow
  return { settledBy: holderOf(claim.id), deliveredUntil, deliveryWindow }
}

/** Why a decision has not reached its device. */
function excuseOf({ fault, hasNoTimeLeft, hadClockSet }: Login, decidedAt: number): string | undefined {
  if (fault && fault.at >= decidedAt) return `no poll got through: ${fault.why}`
  if (hadClockSet) return 'the clock of the device was set'
  return hasNoTimeLeft ? 'slow_down left no time for a poll' : undefined
}

/** Which login a grant is of: its scope says. */
function loginOf({ scope }: Grant): number {
  return Number(scope.slice('login:'.length))
}
