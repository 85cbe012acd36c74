import type { Grant } from '../../../src/service/grants/grant-steps.ts'
import type { ServiceEvent } from '../../../src/service/host/events.ts'
import { claimsOf } from '../bound.ts'
import type { History } from '../database.ts'
import type { Instance } from '../instance.ts'
import type { Login } from '../login.ts'
import { LATE, verdictOf } from '../verdict.js'
import { type Exchange, sha256 } from '../world.ts'
import { LONGEST_REQUEST } from './judge.ts'
import { holderOf, Rules, valueIn } from './rules.ts'

const PREFIX = 'grant:'

/** Milliseconds in which failed polls in a row make each other's pauses longer. */
const LONGEST_PAUSES = 300_000

/** Milliseconds after which a delivery is marked in the store, so that its instance notices a store that was set back. */
const MARKED = 1000

/** The steps that a grant may take, written down once more: not those of its machine. */
const UNDECIDED = ['pending', 'slowed', 'approved', 'denied', 'expired']
const STEPS: Readonly<Record<Grant['state'] | 'none', readonly string[]>> = {
  none: ['requested'],
  requested: UNDECIDED,
  pending: UNDECIDED,
  slowed: UNDECIDED,
  approved: ['issuing', 'expired'],
  issuing: ['issuing', 'approved', 'authorized', 'expired'],
  denied: ['expired'],
  // Its delivery ends.
  authorized: ['authorized'],
  expired: [],
}

/** What those who asked about a grant were told. */
class Told {
  readonly tokens = new Set<string>()
  /** Which instance first delivered its token, and when. */
  deliveredBy: Instance | undefined
  deliveredAt = 0
  isUsed = false
  /** Whether a decision was confirmed; and what a listener was told. */
  isConfirmed = false
  heardDecision = false
  heardToken = false
}

/** What must hold of the grants, and of the devices that poll them. */
export class Grants extends Rules {
  readonly #told = new Map<History, Told>()
  /** By the id that events name. */
  readonly #byId = new Map<string, History>()
  /** When an instance last found that the store was set back. */
  #setBackAt = -1

  find(key: string): Grant | undefined {
    return valueIn(this.world.database.historyOf(key))
  }

  /** A grant was written. */
  wrote(history: History): void {
    const { world } = this
    const { versions, name } = history
    const after = valueIn<Grant>(history)
    if (after === undefined) return
    if (versions.length === 1) this.#byId.set(name.slice(0, 32), history)
    const before = valueIn<Grant>(history, -2)
    // Its scope says which login it is of.
    const login = Number(after.scope.slice('login:'.length))
    const check = (holds: boolean, what: string) => this.check(holds, what, login)
    const from = before?.state ?? 'none'
    if (before?.openedBy === undefined && after.openedBy !== undefined) {
      world.note(login, 'store', `${from} opened`)
      check(before?.state === after.state && before.interval === after.interval, 'a look has changed a grant')
      return
    }
    world.note(login, 'store', from === after.state ? `${from} again` : `${from} -> ${after.state}`)
    check(STEPS[from].includes(after.state), `the grant went from ${from} to ${after.state}`)
    if (before === undefined) return
    const isRaised = after.interval - before.interval === (after.state === 'slowed' ? 5 : 0)
    check(isRaised, `the interval went from ${before.interval} to ${after.interval} in ${after.state}`)
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
  foundSetBack(history: History): void {
    const { setBackAt = -1 } = valueIn<{ readonly setBackAt?: number }>(history) ?? {}
    if (setBackAt <= this.#setBackAt) return
    this.#setBackAt = setBackAt
    this.check(history.undoneAt > 0, 'the store was said to be set back, and was not')
  }

  arrived({ kind, shown }: Exchange): void {
    if (kind !== 'user') return
    const { by = '' } = this.judge.issuedAs(shown?.token) ?? {}
    const { grant } = this.judge.exchanges.get(by) ?? {}
    if (grant) this.#toldOf(this.world.database.historyOf(grant)).isUsed = true
  }

  /** A user was told what has become of a decision, or of a code. */
  decided({ decision, arrivedAt, login, told: outcome }: Exchange): void {
    const history = this.#ofLogin(login)
    if (history === undefined || decision === undefined || arrivedAt <= history.undoneAt) return
    const decided = decisionOn(history)
    const told = this.#toldOf(history)
    const check = (holds: boolean, what: string) => this.check(holds, what, login)
    if (outcome === 'done' || outcome === 'policy') {
      const state = decision.plan === 'approve' && outcome === 'done' ? 'approved' : 'denied'
      const isTheirs = state === 'denied' || decided?.user === decision.user
      check(decided?.state === state && isTheirs, 'a decision was confirmed that does not count')
      check(!told.isConfirmed, 'two decisions of one grant were confirmed')
      told.isConfirmed = true
    }
    if (outcome === 'decided') check(decided !== undefined, 'a grant was said to be decided that is not')
    if (outcome === 'expired') this.#isOver(history, login)
  }

  polled(exchange: Exchange, { access_token, error }: Record<string, string>): void {
    const { world } = this
    const { login, arrivedAt, grant: key = '', instance } = exchange
    const history = world.database.historyOf(key)
    const grant = valueIn<Grant>(history)
    const told = this.#toldOf(history)
    if (access_token !== undefined) told.tokens.add(access_token)
    if (told.tokens.size === 1 && told.deliveredBy === undefined)
      Object.assign(told, { deliveredBy: instance, deliveredAt: world.now })
    if (error === 'expired_token' && grant && grant.issuedAt <= this.#setBackAt + world.tolerance) {
      history.undoneAt = world.now
      return
    }
    if (arrivedAt <= history.undoneAt) return
    const decided = decisionOn(history)
    const before = decided && decided.at < arrivedAt ? decided.state : undefined
    const check = (holds: boolean, what: string) => this.check(holds, what, login)
    const [delivered] = told.tokens
    const isRevoked = () => this.#endOf(history, delivered) <= world.now
    if (access_token !== undefined) {
      const { settledBy, deliveredUntil } = settlementOf(history)
      check(
        arrivedAt <= this.#endOf(history, access_token),
        'a token was delivered after its login was revoked',
      )
      // Only the instance that delivered a token can notice that the store has lost it.
      const mayForget = history.undoneAt < told.deliveredAt + MARKED || told.deliveredBy !== instance
      check(told.tokens.size === 1 || mayForget, 'a grant has brought a second token')
      const { by, user } = this.judge.issuedAs(access_token) ?? {}
      const isSettled = settledBy !== undefined && settledBy === by
      check(isSettled, 'a token was delivered under the claim of another poll')
      check(world.now <= LONGEST_REQUEST + deliveredUntil, 'a token was delivered again too late')
      check(decided?.user === user, 'a token stands for another user')
    } else if (error === 'authorization_pending') {
      const end = grant?.expiresAt ?? 0
      check(arrivedAt <= end + world.tolerance, 'a code was still pending after its end')
      check(before !== 'denied', 'a denied grant was said to be pending')
      // A poll that came as the codes expired loses its claim to another one, which is told that they have.
      const isTrue = before !== 'approved' || grant?.state === 'expired' || this.#isExcused(exchange, history)
      check(isTrue, 'an approved grant was said to be pending')
    } else if (error === 'slow_down') {
      check(before === undefined, 'a decision hid behind slow_down')
    } else if (error === 'access_denied') {
      check(decided?.state === 'denied' || isRevoked(), 'a device was told of a denial that there is not')
    } else if (error === 'expired_token') {
      this.#isOver(history, login)
    } else {
      // Where its instance stood still, the window begins when the poll came, not when the token was written.
      const { settledBy, deliveryWindow } = settlementOf(history)
      const cameAt = this.judge.exchanges.get(settledBy ?? '')?.arrivedAt ?? 0
      const isClosed = world.now >= cameAt + deliveryWindow - world.tolerance
      const isOver = told.isUsed || isClosed || isRevoked()
      const isGone = error === 'incorrect_device_code' && settledBy !== undefined && isOver
      check(isGone || grant === undefined, `a poll was refused with ${error}`)
    }
  }

  #isOver(history: History, login: number): void {
    const isOver = this.world.now >= (valueIn<Grant>(history)?.expiresAt ?? 0) - this.world.tolerance
    this.check(isOver, 'a code was said to have expired early', login)
  }

  /** Whether another poll held the claim, or this one had it and failed for a reason that is known. */
  #isExcused({ id, arrivedAt, grant, instance, isGone }: Exchange, { versions }: History): boolean {
    const { now, tolerance } = this.world
    const isHeld = versions.some(({ value }, index) => {
      const { claim } = (value ?? {}) as unknown as Partial<Grant>
      const until = Math.min(claim?.until ?? 0, versions[index + 1]?.at ?? Number.POSITIVE_INFINITY)
      return claim && holderOf(claim.id) !== id && until + tolerance >= arrivedAt
    })
    // Polls of a grant at one instance take turns: the claim of one may be drawn in the turn of another, such as a late copy.
    const takesTurns = [...this.judge.exchanges.values()].some(
      (other) =>
        other.id !== id && other.grant === grant && other.instance === instance && other.told === undefined,
    )
    const isStalled = now - arrivedAt > 9000
    return isHeld || takesTurns || isStalled || isGone
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
      this.check(isTrue || isUndone, 'the listener was told of a decision that does not count')
      told.heardDecision = true
    } else if (!event.replayed) {
      this.check(!told.heardToken || isUndone, 'the listener was told of two tokens of one grant')
      told.heardToken = true
    }
  }

  /** A login has ended some time ago: all that was on its way has arrived. */
  ended(login: Login): void {
    const { world, judge } = this
    const { number, status, fault, token } = login
    const history = this.#ofLogin(number)
    if (history === undefined) {
      world.lose(number, fault && `no codes: ${fault.why}`, `${status} without codes`)
      return
    }
    const isRevoked = this.#endOf(history) <= world.now
    const ended = isRevoked ? 'the host has revoked it' : this.#missed(login, history)
    const isUndone = history.undoneAt > 0
    if (isUndone || status === 'failed' || (isRevoked && status === 'denied')) {
      const reason = isUndone ? 'a failover lost a write' : ended
      if (status !== 'authorized') world.lose(number, reason, `failed: ${login.error}`)
      return
    }
    const { tokens } = this.#toldOf(history)
    const decided = decisionOn(history)
    // Later decisions may not reach the device.
    const lastMoment = (valueIn<Grant>(history)?.expiresAt ?? 0) - LATE * 1000 - world.tolerance
    const isInTime = decided !== undefined && decided.at <= lastMoment
    const wrong = verdictOf({
      ...{ status, decided: decided && { ...decided, isInTime }, tokens: tokens.size },
      ...{ user: decided?.user, owner: judge.issuedAs(token)?.user },
    })
    if (isInTime && status !== 'authorized' && status !== 'denied')
      world.lose(number, ended ?? login.excuseSince(decided.at), `${wrong}`)
    else this.check(wrong === undefined, `${wrong}`, number)
  }

  /** One lost response never loses a token: its device has asked again before the delivery window was over. */
  #missed({ error, failedAt }: Login, history: History): string | undefined {
    const decided = decisionOn(history)
    const { settledBy } = settlementOf(history)
    if (!settledBy || !decided || !error.includes('incorrect_device_code')) return undefined
    const failed = failedAt.filter((at) => at >= decided.at - LONGEST_PAUSES).length
    return failed > 1 ? 'several polls failed until the delivery window was over' : undefined
  }

  /** An instance has noticed since then that the store was set back: no grant of before it gets a token. */
  isSetBackSince(time: number): boolean {
    return this.#setBackAt >= time - this.world.tolerance
  }

  /** When the login of a grant was ended by the host. */
  #endOf(history: History, token = ''): number {
    const { tokens } = this.judge
    const { revocations = 0 } = valueIn<Grant>(history) ?? {}
    const byUser = tokens.revokedAt(decisionOn(history)?.user ?? '', revocations)
    return Math.min(byUser, tokens.removedAt(token))
  }

  /** The host was told that it has ended something of a user, or that there was nothing to end. */
  revoked({ login, arrivedAt }: Exchange, user: string | undefined, token: string): void {
    const history = this.#ofLogin(login)
    const decided = history && decisionOn(history)
    if (!decided || history.undoneAt > 0 || decided.at >= arrivedAt) return
    if (user !== undefined && decided.user !== user) return
    // Of a JWT that has expired, there is nothing to end.
    if (this.world.now >= claimsOf(token)?.exp * 1000 - this.world.tolerance) return
    const isEnded = this.#endOf(history, token) <= this.world.now
    this.check(isEnded, 'the host was told of a revocation that there is not', login)
  }

  #ofLogin(number: number): History | undefined {
    const { grantKey: key } = this.judge.logins.get(number) ?? {}
    return key === undefined ? undefined : this.world.database.historyOf(key)
  }

  #toldOf(history: History): Told {
    const told = this.#told.get(history) ?? new Told()
    this.#told.set(history, told)
    return told
  }
}

/** The key of the grant of a device code. */
export function grantKey(deviceCode: string): string {
  return PREFIX + sha256(deviceCode)
}

/** The decision that counts: who decided, and when. */
function decisionOn({ versions }: History) {
  for (const { at, value } of versions) {
    const { state, user } = (value ?? {}) as unknown as Partial<Grant>
    if (state === 'approved' || state === 'denied') return { state, at, user: String(user ?? '') }
  }
  return undefined
}

/** The poll whose claim held when the token was settled, and until when each poll must get that token. */
function settlementOf(history: History) {
  const index = history.versions.findIndex(
    ({ value }) => (value as unknown as Grant | undefined)?.state === 'authorized',
  )
  const { claim, interval = 0 } = (index > 0 && valueIn<Grant>(history, index - 1)) || {}
  if (!claim) return { settledBy: undefined, deliveredUntil: 0, deliveryWindow: 0 }
  const deliveryWindow = 1000 * Math.min(600, Math.max(60, 30 + 3 * interval))
  const deliveredUntil = (history.versions[index]?.at ?? 0) + deliveryWindow
  return { settledBy: holderOf(claim.id), deliveredUntil, deliveryWindow }
}
