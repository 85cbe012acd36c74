import type { User } from '../../machines/device-grant.ts'
import type { Store } from '../store/store.ts'
import { ALLOWED, type Allowance, type Refusal, refuseUntil } from './allowance.ts'
import { networkOf } from './client-address.ts'
import { hash } from './credentials/hash.ts'
import type { CheckedPassword } from './credentials/passwords.ts'
import type { Limits } from './limits.ts'
import { COUNT_PREFIX } from './store-keys.ts'
import { userId } from './user-id.ts'

/** Whether a user code may be looked up. If so, call `right` or `wrong` once the result is known. */
export type CodeAttempt = { readonly ok: true; right(): Promise<void>; wrong(): Promise<void> } | Refusal

/** The limits that are counted here: those with a time window. */
type Kind = Exclude<keyof Limits, 'earlyPolls' | 'waitingGrants' | 'waitingGrantsInNetwork'>

/** An event that was counted. */
interface Taken {
  readonly ok: true
  /** How often it has happened in this time window, this time included. */
  readonly times: number
}

/** How often something has happened in the current time window. */
interface Count {
  readonly times: number
  /** End of the time window. Epoch milliseconds. */
  readonly until: number
}

/**
 * Counts limited events in the store, so that the limits hold across all instances. For a client without a known
 * address, nothing is counted per network.
 */
export function createLimiter(limits: Limits, store: Store, clock: { now(): number }) {
  /** Counts one event, unless the limit is reached. */
  async function take(kind: Kind, subject: string): Promise<Taken | Refusal> {
    const { max, window } = limits[kind]
    if (max === Number.POSITIVE_INFINITY) return { ok: true, times: max }
    return store.update<Taken | Refusal>(keyOf(kind, subject), (value) => {
      const now = clock.now()
      const { times, until } = countIn(value) ?? { times: 0, until: now + window * 1000 }
      if (times >= max) return { result: refuseUntil(kind, until, now) }
      const taken = { times: times + 1, until }
      return { result: { ok: true, times: taken.times }, value: taken, expiresAt: until }
    })
  }

  /** Checks the limit without counting. */
  async function look(kind: Kind, subject: string): Promise<Allowance> {
    const { max } = limits[kind]
    if (max === Number.POSITIVE_INFINITY) return ALLOWED
    return store.update<Allowance>(keyOf(kind, subject), (value) => {
      const count = countIn(value)
      if (count === undefined || count.times < max) return { result: ALLOWED }
      return { result: refuseUntil(kind, count.until, clock.now()) }
    })
  }

  async function giveBack(kind: Kind, subject: string): Promise<void> {
    await store.update(keyOf(kind, subject), (value) => {
      const count = countIn(value)
      if (count === undefined) return { result: undefined }
      if (count.times <= 1) return { result: undefined, value: null }
      return {
        result: undefined,
        value: { times: count.times - 1, until: count.until },
        expiresAt: count.until,
      }
    })
  }

  async function takeAndGiveBack(kind: Kind, subject: string): Promise<Allowance> {
    const taken = await take(kind, subject)
    if (taken.ok) await giveBack(kind, subject)
    return taken
  }

  // Right passwords in progress: the concurrent requests of one client count once.
  const rightPasswords = new Map<string, Promise<Allowance>>()

  const takeInNetwork = (kind: Kind) => async (address: string | undefined) =>
    address === undefined ? ALLOWED : take(kind, networkOf(address))

  return {
    codesRequest: takeInNetwork('codesRequests'),
    wrongDeviceCode: takeInNetwork('wrongDeviceCodes'),
    unknownClient: takeInNetwork('unknownClients'),

    /** Counts a refresh of a family. */
    refresh: (family: string) => take('refreshes', family),

    /**
     * Counts every password, and takes the count of a right one back: beyond the limit, a right password among a thousand
     * guesses at once must not stand out. Without an address, passwords are counted per user name.
     */
    async password(address: string | undefined, { username, isRight }: CheckedPassword): Promise<Allowance> {
      const subject = address === undefined ? `user:${await hash(username)}` : networkOf(address)
      if (!isRight) return take('wrongPasswords', subject)
      const key = JSON.stringify([subject, username])
      const begun = rightPasswords.get(key)
      if (begun) return begun
      const counted = takeAndGiveBack('wrongPasswords', subject).finally(() => rightPasswords.delete(key))
      rightPasswords.set(key, counted)
      return counted
    },

    /**
     * Counts a user code as wrong before it is looked up, so that a thousand guesses at once do not all count as the
     * first. The first try of a user is always looked up, even if other users entered too many wrong codes.
     */
    async userCode(user: User, address: string | undefined): Promise<CodeAttempt> {
      const own = JSON.stringify(userId(user))
      const tried = await take('wrongUserCodes', own)
      if (!tried.ok) return tried
      const right = () => giveBack('wrongUserCodes', own)
      const shared: [Kind, string][] = [['wrongUserCodesInAll', 'all']]
      if (address !== undefined) shared.unshift(['wrongUserCodesInNetwork', networkOf(address)])
      for (const [kind, subject] of tried.times > 1 ? shared : []) {
        const allowed = await look(kind, subject)
        if (allowed.ok) continue
        await right()
        return allowed
      }
      return {
        ok: true,
        right,
        wrong: async () => {
          for (const [kind, subject] of shared) await take(kind, subject)
        },
      }
    },
  }
}

export type Limiter = ReturnType<typeof createLimiter>

function countIn(value: unknown): Count | undefined {
  return value as Count | undefined
}

function keyOf(kind: Kind, subject: string): string {
  return `${COUNT_PREFIX}${kind}:${subject}`
}
