import { groupOf } from './client-address.ts'
import type { Store } from './store.ts'

/**
 * How often something may happen.
 *
 * @group Service
 */
export interface Limit {
  /** Times; `Infinity` for no limit. */
  readonly most: number
  /** Seconds, from the first time on, after which the count starts again. */
  readonly within: number
}

/**
 * What is limited. "An address" is that of the client, or of its network of 2^64 where it is of IPv6.
 *
 * @group Service
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-5.1 RFC 8628, sections 5.1 and 5.2}
 */
export interface Limits {
  /** Wrong user codes entered in one browser, and from one address: 5 in five minutes by default. */
  readonly wrongUserCodes: Limit
  /** Polls with an unknown device code, from one address: 100 a minute by default. */
  readonly wrongDeviceCodes: Limit
  /** Requests for codes, from one address: 100 a minute by default. */
  readonly codesRequests: Limit
  /** Grants issued in all: 100,000 within the lifetime of one by default, so that never more than twice as many wait. */
  readonly grants: Limit
}

/** Limits that are right for a service with people before it. */
export function defaultLimits(expiresIn: number): Limits {
  return {
    wrongUserCodes: { most: 5, within: 300 },
    wrongDeviceCodes: { most: 100, within: 60 },
    codesRequests: { most: 100, within: 60 },
    grants: { most: 100_000, within: expiresIn },
  }
}

/** Whether something may happen once more; if not, seconds until it may. */
export type Allowance = { readonly ok: true } | { readonly ok: false; readonly retryAfter: number }

/** How often something has happened since the count began. */
interface Count {
  readonly times: number
  /** Epoch milliseconds. */
  readonly until: number
}

const ALLOWED: Allowance = { ok: true }

/**
 * Counts what is limited, in the store: the limits hold over all instances together. A count is taken before the act,
 * so that a thousand attempts at the same moment are not all the first one.
 */
export function createLimiter(limits: Limits, store: Store, clock: { now(): number }) {
  async function take(kind: keyof Limits, subject: string): Promise<Allowance> {
    const { most, within } = limits[kind]
    if (most === Number.POSITIVE_INFINITY) return ALLOWED
    return store.update<Allowance>(keyOf(kind, subject), (value) => {
      const now = clock.now()
      const { times, until } = countIn(value) ?? { times: 0, until: now + within * 1000 }
      if (times >= most)
        return { result: { ok: false, retryAfter: Math.max(1, Math.ceil((until - now) / 1000)) } }
      return { result: ALLOWED, value: { times: times + 1, until }, expiresAt: until }
    })
  }

  async function giveBack(kind: keyof Limits, subject: string): Promise<void> {
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

  return {
    /** Counts one more request for codes, and one more grant. */
    async codesRequest(address: string | undefined): Promise<Allowance> {
      const allowed = address === undefined ? ALLOWED : await take('codesRequests', groupOf(address))
      return allowed.ok ? take('grants', 'all') : allowed
    },

    /** Counts an unknown device code. */
    wrongDeviceCode: async (address: string | undefined): Promise<Allowance> =>
      address === undefined ? ALLOWED : take('wrongDeviceCodes', groupOf(address)),

    /** Counts a user code as a wrong one, until `forgive` says that it was right. */
    async userCode(session: string, address: string | undefined) {
      // The address first: a browser chooses its session, and may leave no more records than its address has tries.
      const subjects = [
        ...(address === undefined ? [] : [`address ${groupOf(address)}`]),
        `session ${session}`,
      ]
      const taken: string[] = []
      const forgive = () => Promise.all(taken.map((subject) => giveBack('wrongUserCodes', subject)))
      for (const subject of subjects) {
        const allowed = await take('wrongUserCodes', subject)
        if (!allowed.ok) {
          await forgive()
          return allowed
        }
        taken.push(subject)
      }
      return { ok: true as const, forgive }
    },
  }
}

export type Limiter = ReturnType<typeof createLimiter>

function countIn(value: unknown): Count | undefined {
  return value as Count | undefined
}

function keyOf(kind: keyof Limits, subject: string): string {
  return `limit:${kind}:${subject}`
}
