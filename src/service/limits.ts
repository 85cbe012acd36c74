import { BadOptionError } from '../errors.ts'

/** How often something may happen in a time window. */
export interface Limit {
  /** How many times; `Infinity` for no limit. */
  readonly max: number
  /** Length of the time window in seconds. It starts at the first event; after it, the count starts again at zero. */
  readonly window: number
}

/**
 * The limits of a service. A "network" is one IPv4 address (also behind NAT64) or one IPv6 /48 network.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-5.1 RFC 8628, sections 5.1 and 5.2}
 */
export interface Limits {
  /** Wrong user codes per signed-in user. Default: 5 in five minutes. Beyond that, even a correct code must wait. */
  readonly wrongUserCodes: Limit
  /**
   * Wrong user codes of all users in one network. Default: 50 in five minutes. Beyond that, a user who has entered a
   * wrong code must wait. Every other user still has one try, so that nobody can lock a neighbor out.
   */
  readonly wrongUserCodesInNetwork: Limit
  /** Wrong user codes of all users. Default: 10,000 in five minutes. Beyond that, the same applies to every network. */
  readonly wrongUserCodesInAll: Limit
  /** Polls with an unknown device code, and refreshes with an unknown refresh token, per network. Default: 100 per minute. */
  readonly wrongDeviceCodes: Limit
  /**
   * Early polls per device code, counted separately by each instance. Default: 30 in ten seconds. Further polls get 429
   * without access to the store.
   */
  readonly earlyPolls: Limit
  /**
   * Refreshes per login that issue a pair. Default: 30 per minute. Responses with a pair that was issued before do not
   * count.
   */
  readonly refreshes: Limit
  /** Requests with an unknown client id per network. Default: 100 per minute. */
  readonly unknownClients: Limit
  /**
   * Wrong HTTP Basic credentials at the API and wrong client secrets, per network or, if the address is unknown, per user
   * name or client. Default: 30 in five minutes. Beyond that, correct ones must wait too.
   */
  readonly wrongPasswords: Limit
  /** Device code requests per network. Default: 100 per minute. */
  readonly codesRequests: Limit
  /** Grants that wait for a decision or for the device to fetch the token. Default: 100,000; `Infinity` for no limit. */
  readonly waitingGrants: number
  /** Waiting grants per network. Default: 1,000; `Infinity` for no limit. */
  readonly waitingGrantsInNetwork: number
}

/** The defaults of {@link Limits}. */
export const DEFAULT_LIMITS: Limits = {
  wrongUserCodes: { max: 5, window: 300 },
  wrongUserCodesInNetwork: { max: 50, window: 300 },
  wrongUserCodesInAll: { max: 10_000, window: 300 },
  wrongDeviceCodes: { max: 100, window: 60 },
  earlyPolls: { max: 30, window: 10 },
  refreshes: { max: 30, window: 60 },
  unknownClients: { max: 100, window: 60 },
  wrongPasswords: { max: 30, window: 300 },
  codesRequests: { max: 100, window: 60 },
  waitingGrants: 100_000,
  waitingGrantsInNetwork: 1000,
}

/**
 * Checks limits.
 *
 * @throws {@link BadOptionError} that names the limit.
 */
export function checkLimits(limits: Partial<Limits>): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new BadOptionError(`unknown limit limits.${name}`)
    const isNumber = typeof DEFAULT_LIMITS[name as keyof Limits] === 'number'
    if (isNumber && !isNumberOfGrants(limit))
      throw new BadOptionError(`limits.${name} must be a number, 1 or more`)
    if (!isNumber && !isLimit(limit))
      throw new BadOptionError(`limits.${name} must have "max", 1 or more, and "window", 1 second or more`)
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
