import type { User } from '../../../machines/device-grant.ts'
import { networkOf } from '../http/client-address.ts'
import { hash } from '../stores/hash.ts'
import type { Records } from '../stores/records.ts'
import { userId } from '../stores/user-id.ts'
import { ALLOWED, type Allowance, type LimitRefusal, refuseUntil } from './allowance.ts'
import { keepUntilSettled } from './keep-until-settled.ts'
import type { Limits } from './limits.ts'

/** Whether something may happen. If so, call `keep` or `undo` once it is known whether it counts. */
export type Attempt = { readonly ok: true; keep(): Promise<void>; undo(): Promise<void> } | LimitRefusal

/** The limits that are counted here: those with a time window, across all instances. */
type CountedLimit = Exclude<keyof Limits, 'earlyPolls' | 'loginsOfUser'>

export interface Counted {
  readonly ok: true
  /** Whether it is the first one in this time window. */
  readonly isFirst: boolean
}

export interface Count {
  readonly times: number
  /** End of the time window. Epoch milliseconds. */
  readonly until: number
  /** Whether this time window has had an event. */
  readonly wasTold?: boolean
}

/** Characters of a scope for which a grant counts once: otherwise long scopes would fill the store. */
const SCOPE_UNIT = 250

/** The share of all grants that a network may take part in after its first one. The rest is for networks without a grant. */
const SHARED = 0.5

/** Hexadecimal digits of the hash of a user name: one network has this many counts at most, whatever names it sends. */
const NAME_DIGITS = 3

/**
 * Counts limited events in the store, so that the limits hold across all instances. For a client without a known
 * address, nothing is counted per network.
 */
export function createLimiter(limits: Limits, records: Records<Count>, clock: { now(): number }) {
  /**
   * Counts an event, unless the limit is reached.
   *
   * @param amount How many events it stands for: 0 only checks the limit.
   * @param share The share of the limit that is available for it.
   */
  async function take(
    kind: CountedLimit,
    subject: string,
    amount = 1,
    share = 1,
  ): Promise<Counted | LimitRefusal> {
    const { max, window } = limits[kind]
    if (max === Number.POSITIVE_INFINITY) return { ok: true, isFirst: false }
    return records.change<Counted | LimitRefusal>(keyOf(kind, subject), (known) => {
      const now = clock.now()
      const count = known ?? { times: 0, until: now + window * 1000 }
      const { times, until, wasTold = false } = count
      if (times >= max * share) {
        const result = refuseUntil(kind, until, now, !wasTold)
        return wasTold ? { result } : { result, value: { ...count, wasTold: true }, expiresAt: until }
      }
      const result = { ok: true, isFirst: times === 0 } as const
      return amount === 0
        ? { result }
        : { result, value: { ...count, times: times + amount }, expiresAt: until }
    })
  }

  /** Counts without a limit; a negative amount takes back what was counted. */
  async function add(kind: CountedLimit, subject: string, amount: number): Promise<void> {
    const { max, window } = limits[kind]
    if (max === Number.POSITIVE_INFINITY) return
    await records.change(keyOf(kind, subject), (known) => {
      const count = known ?? { times: 0, until: clock.now() + window * 1000 }
      const times = count.times + amount
      if (times <= 0) return { result: undefined, value: null }
      return { result: undefined, value: { ...count, times }, expiresAt: count.until }
    })
  }

  /**
   * Counts before it is known whether it counts: otherwise a thousand guesses at once would all be the first. Beyond a
   * shared limit, the first event of a subject is still allowed, so that nobody is locked out by a neighbor.
   */
  async function attempt(
    kind: CountedLimit,
    own: string,
    shared: readonly [CountedLimit, string][],
  ): Promise<Attempt> {
    const counted = await take(kind, own)
    if (!counted.ok) return counted
    const undo = () => add(kind, own, -1)
    for (const [kind, subject] of counted.isFirst ? [] : shared) {
      const allowed = await take(kind, subject, 0)
      if (allowed.ok) continue
      await undo()
      return allowed
    }
    return {
      ok: true,
      undo,
      keep: async () => {
        for (const [kind, subject] of shared) await add(kind, subject, 1)
      },
    }
  }

  // Right passwords in progress: the concurrent requests of one client count once.
  const rightPasswords = new Map<string, Promise<Allowance>>()

  async function password(own: string, name: string, isRight: boolean): Promise<Allowance> {
    const tried = await attempt('wrongPasswords', own, [['wrongPasswordsInAll', name]])
    if (tried.ok) await (isRight ? tried.undo() : tried.keep())
    return tried
  }

  const takeInNetwork = (kind: CountedLimit) => async (address: string | undefined) =>
    address === undefined ? ALLOWED : take(kind, networkOf(address))

  return {
    codesRequest: takeInNetwork('codesRequests'),
    wrongDeviceCode: takeInNetwork('wrongDeviceCodes'),
    unknownClient: takeInNetwork('unknownClients'),
    clientDocument: takeInNetwork('clientDocuments'),

    /** Counts a registration, whether or not it is valid. */
    async registration(address: string | undefined): Promise<Allowance> {
      const own = await takeInNetwork('registrations')(address)
      return own.ok ? take('registrationsInAll', 'all') : own
    },

    /**
     * Counts a grant before it is issued. Half of all grants are for networks without one, so that a hundred busy networks
     * keep nobody else from logging in.
     *
     * @param scope A grant with long scopes counts as several.
     */
    async grant(address: string | undefined, scope: string): Promise<Allowance> {
      const amount = Math.max(1, Math.ceil(scope.length / SCOPE_UNIT))
      const network = address === undefined ? undefined : networkOf(address)
      const own = network === undefined ? undefined : await take('grantsInNetwork', network, amount)
      if (own?.ok === false) return own
      const counted = await take('grantsInAll', 'all', amount, own?.isFirst ? 1 : SHARED)
      if (!counted.ok && network !== undefined) await add('grantsInNetwork', network, -amount)
      return counted
    },

    async refresh(family: string, address: string | undefined): Promise<Allowance> {
      const shared = inNetwork('refreshesInNetwork', address)
      const tried = await attempt('refreshes', family, shared)
      if (tried.ok) await tried.keep()
      return tried
    },

    /** Counts a wrong client secret. A right one is never counted and never refused: secrets are random and long. */
    wrongSecret: (client: string) => take('wrongSecrets', client),

    /**
     * Counts every password, and takes the count of a right one back: beyond the limit, a right password among a thousand
     * guesses at once must not stand out.
     */
    async password(
      address: string | undefined,
      { username, isRight }: { readonly username: string; readonly isRight: boolean },
    ): Promise<Allowance> {
      const name = (await hash(username)).slice(0, NAME_DIGITS)
      const own = `${name} ${address === undefined ? '' : networkOf(address)}`
      if (!isRight) return password(own, name, isRight)
      const key = JSON.stringify([own, username])
      return rightPasswords.get(key) ?? keepUntilSettled(rightPasswords, key, password(own, name, isRight))
    },

    userCode(user: User, address: string | undefined): Promise<Attempt> {
      return attempt('wrongUserCodes', JSON.stringify(userId(user)), [
        ...inNetwork('wrongUserCodesInNetwork', address),
        ['wrongUserCodesInAll', 'all'],
      ])
    },
  }
}

export type Limiter = ReturnType<typeof createLimiter>

function inNetwork(kind: CountedLimit, address: string | undefined): [CountedLimit, string][] {
  return address === undefined ? [] : [[kind, networkOf(address)]]
}

function keyOf(kind: CountedLimit, subject: string): string {
  return `${kind}:${subject}`
}
