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
   * Early polls, and polls after the one that got the token, per device code; counted separately by each instance. Default:
   * 30 in ten seconds. Further polls get 429 without access to the store.
   */
  readonly earlyPolls: Limit
  /**
   * Refreshes per login that issue a pair. Default: 30 per minute. Responses with a pair that was issued before do not
   * count.
   */
  readonly refreshes: Limit
  /**
   * Refreshes of all logins in one network. Default: 1,000 per minute, so that an office or a build farm may wake at once.
   * Beyond that, each login still has one in the window of `refreshes`, so that nobody can lock a neighbor out.
   */
  readonly refreshesInNetwork: Limit
  /** Requests with an unknown client ID or a wrong client secret per network. Default: 100 per minute. */
  readonly unknownClients: Limit
  /**
   * Wrong client secrets per client, from all networks. Default: 100 in five minutes. Beyond that, wrong ones get 429; the
   * right one is accepted at any time, so that nobody can lock a client out. That does not stop a guess that is right:
   * choose random secrets of at least 128 bits.
   */
  readonly wrongSecrets: Limit
  /**
   * Wrong HTTP Basic credentials at the API per user name and network or, if the address is unknown, per user name.
   * Default: 30 in five minutes. Beyond that, correct ones must wait too, since people choose passwords that can be
   * guessed.
   */
  readonly wrongPasswords: Limit
  /**
   * Wrong HTTP Basic credentials at the API per user name, from all networks. Default: 1,000 in five minutes. Beyond that,
   * a network that has sent a wrong one must wait; every other network still has one try.
   */
  readonly wrongPasswordsInAll: Limit
  /** Registrations per network, with the option `registration`. Default: 100 per hour. */
  readonly registrations: Limit
  /** Registrations in all. Default: 10,000 per day, so that those without a login do not fill the store. */
  readonly registrationsInAll: Limit
  /** Client ID metadata documents that are fetched for the first time, per network. Default: 30 per minute. */
  readonly clientDocuments: Limit
  /** Device code requests per network. Default: 100 per minute. */
  readonly codesRequests: Limit
  /**
   * Grants that are issued to one network. Default: 1,000 in fifteen minutes, which is the default lifetime of codes. A
   * grant counts once for each 250 characters of its scopes.
   */
  readonly grantsInNetwork: Limit
  /**
   * Grants that are issued in all. Default: 50,000 in fifteen minutes. They are counted like those of a network. Beyond
   * half of them, only a network without a grant in the window of `grantsInNetwork` gets one, up to this limit. A grant is
   * stored until ten minutes after its codes expire, so the store may hold up to three times as many.
   */
  readonly grantsInAll: Limit
  /**
   * Logins of one user whose tokens the service stores. Default: 100, enough for a new machine every day with refresh
   * tokens of 90 days; `Infinity` for no limit. Beyond that, a new login ends the oldest.
   */
  readonly loginsOfUser: number
}

/** The defaults of {@link Limits}. */
export const DEFAULT_LIMITS: Limits = {
  wrongUserCodes: { max: 5, window: 300 },
  wrongUserCodesInNetwork: { max: 50, window: 300 },
  wrongUserCodesInAll: { max: 10_000, window: 300 },
  wrongDeviceCodes: { max: 100, window: 60 },
  earlyPolls: { max: 30, window: 10 },
  refreshes: { max: 30, window: 60 },
  refreshesInNetwork: { max: 1000, window: 60 },
  unknownClients: { max: 100, window: 60 },
  wrongSecrets: { max: 100, window: 300 },
  wrongPasswords: { max: 30, window: 300 },
  wrongPasswordsInAll: { max: 1000, window: 300 },
  registrations: { max: 100, window: 3600 },
  registrationsInAll: { max: 10_000, window: 24 * 3600 },
  clientDocuments: { max: 30, window: 60 },
  codesRequests: { max: 100, window: 60 },
  grantsInNetwork: { max: 1000, window: 900 },
  grantsInAll: { max: 50_000, window: 900 },
  loginsOfUser: 100,
}
