import type { User } from '../../machines/device-grant.ts'
import { ALLOWED, type Allowance, type Refusal, refuseUntil } from './allowance.ts'
import { networkOf } from './client-address.ts'
import { hash } from './credentials/hash.ts'
import type { CheckedPassword } from './credentials/passwords.ts'
import type { Limits } from './limits.ts'
import { COUNT_PREFIX, type Store } from './store.ts'

/** Whether a user code may be looked up; if so, what to call when it is known whether it exists. */
export type CodeAttempt = { readonly ok: true; right(): Promise<void>; wrong(): Promise<void> } | Refusal

/** The limits that are counted here: those that have a window of time. */
type Kind = Exclude<keyof Limits, 'earlyPolls' | 'waitingGrants' | 'waitingGrantsInNetwork'>

/** One more was counted. */
interface Taken {
  readonly ok: true
  /** How often it has happened in this window of time, this time included. */
  readonly times: number
}

/** How often something has happened since the count began. */
interface Count {
  readonly times: number
  /** Epoch milliseconds. */
  readonly until: number
}

/**
 * Counts what is limited, in the store: the limits hold over all instances together. Where nothing is known of a
 * client's address, nothing is counted for its network.
 */
export function createLimiter(limits: Limits, store: Store, clock: { now(): number }) {
  /** Counts one more, unless there are too many. */
  async function take(kind: Kind, subject: string): Promise<Taken | Refusal> {
    const { max, window } = limits[kind]
    if (max === Number.POSITIVE_INFINITY) return { ok: true, times: max }
    return store.update<Taken | Refusal>(keyOf(kind, subject), (value) => {
      const now = clock.now()
      const { times, until } = countIn(value) ?? { times: 0, until: now + window * 1000 }
      if (times >= max) return { result: refuseUntil(until, now) }
      const taken = { times: times + 1, until }
      return { result: { ok: true, times: taken.times }, value: taken, expiresAt: until }
    })
  }

  /** Tells whether there are too many, and counts nothing. */
  async function look(kind: Kind, subject: string): Promise<Allowance> {
    const { max } = limits[kind]
    if (max === Number.POSITIVE_INFINITY) return ALLOWED
    return store.update<Allowance>(keyOf(kind, subject), (value) => {
      const count = countIn(value)
      if (count === undefined || count.times < max) return { result: ALLOWED }
      return { result: refuseUntil(count.until, clock.now()) }
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

  // Those that are being counted. A client may send many requests at once: they count as one.
  const rightPasswords = new Map<string, Promise<Allowance>>()

  const takeInNetwork = (kind: Kind) => async (address: string | undefined) =>
    address === undefined ? ALLOWED : take(kind, networkOf(address))

  return {
    codesRequest: takeInNetwork('codesRequests'),
    wrongDeviceCode: takeInNetwork('wrongDeviceCodes'),
    unknownClient: takeInNetwork('unknownClients'),

    /**
     * Counts a password as a wrong one, and gives it back where it was right: a right one among a thousand guesses at
     * the same moment has to find its place between them. Those of a user whose address is not known are counted by
     * the name of the user.
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
     * Counts a user code as a wrong one before it is looked up, so that a thousand guesses at the same moment are not
     * all the first one. The first try of a user is looked up even where others were wrong too often.
     */
    async userCode(user: User, address: string | undefined): Promise<CodeAttempt> {
      const own = JSON.stringify(typeof user === 'string' ? user : user.id)
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
