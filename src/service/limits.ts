import { BadOptionError } from '../errors.ts'

/**
 * How often something may happen.
 *
 * @group Service
 */
export interface Limit {
  /** Times; `Infinity` for no limit. */
  readonly max: number
  /** Seconds, from the first time on, after which the count starts again. */
  readonly window: number
}

/**
 * What is limited. "A network" is an IPv4 address, also where NAT64 translates it, or an IPv6 network of 48 bits.
 *
 * @group Service
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-5.1 RFC 8628, sections 5.1 and 5.2}
 */
export interface Limits {
  /** Wrong user codes of one signed-in user: 5 in five minutes by default. Then even a right one has to wait. */
  readonly wrongUserCodes: Limit
  /**
   * Wrong user codes of all users in one network: 50 in five minutes by default. Then a user who was wrong before has to
   * wait; everyone else still has one try, so that nobody locks a neighbor out.
   */
  readonly wrongUserCodesInNetwork: Limit
  /** Wrong user codes of all users: 10,000 in five minutes by default. Then the same holds for every network. */
  readonly wrongUserCodesInAll: Limit
  /** Polls with an unknown device code, from one network: 100 a minute by default. */
  readonly wrongDeviceCodes: Limit
  /**
   * Polls of one device code that came too early, counted by each instance for itself: 30 in ten seconds by default.
   * The next ones are answered with 429, and the store is not asked.
   */
  readonly earlyPolls: Limit
  /** Requests with an unknown client id, from one network: 100 a minute by default. */
  readonly unknownClients: Limit
  /**
   * Wrong HTTP Basic credentials at the API, from one network, or for one user name where the address is not known: 30 in
   * five minutes by default. Then all of that network, or that user, have to wait.
   */
  readonly wrongPasswords: Limit
  /** Requests for codes, from one network: 100 a minute by default. */
  readonly codesRequests: Limit
  /** Grants that wait for a decision, or for the device to fetch the token: 100,000 by default; `Infinity` for no limit. */
  readonly waitingGrants: number
  /** Those of them that one network asked for: 1,000 by default; `Infinity` for no limit. */
  readonly waitingGrantsInNetwork: number
}

/** Limits that suit a service with users. */
export const DEFAULT_LIMITS: Limits = {
  wrongUserCodes: { max: 5, window: 300 },
  wrongUserCodesInNetwork: { max: 50, window: 300 },
  wrongUserCodesInAll: { max: 10_000, window: 300 },
  wrongDeviceCodes: { max: 100, window: 60 },
  earlyPolls: { max: 30, window: 10 },
  unknownClients: { max: 100, window: 60 },
  wrongPasswords: { max: 30, window: 300 },
  codesRequests: { max: 100, window: 60 },
  waitingGrants: 100_000,
  waitingGrantsInNetwork: 1000,
}

/**
 * Refuses limits that cannot be used.
 *
 * @throws {@link BadOptionError} that names the limit.
 */
export function checkLimits(limits: Partial<Limits>): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new BadOptionError(`limits.${name} does not exist`)
    const isNumber = typeof DEFAULT_LIMITS[name as keyof Limits] === 'number'
    if (isNumber && !isNumberOfGrants(limit))
      throw new BadOptionError(`limits.${name} must be a number, 1 or more`)
    if (!isNumber && !isLimit(limit))
      throw new BadOptionError(`limits.${name} must have "max", 1 or more, and "window", seconds from 1`)
  }
}

function isNumberOfGrants(limit: unknown): boolean {
  return typeof limit === 'number' && limit >= 1
}

function isLimit(limit: number | Limit | null | undefined): boolean {
  if (typeof limit !== 'object' || limit === null) return false
  const { max, window } = limit
  return max >= 1 && window >= 1 && window < Number.POSITIVE_INFINITY
}
