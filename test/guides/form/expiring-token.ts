import { type Auth, Secret } from 'authgraph/auth'

/**
 * Authenticates with tokens that are valid for a minute, and fetches a new
 * one when the last has expired.
 */
export function expiringToken(
  fetchToken: () => Promise<string>,
  clock = Date,
): Auth {
  return new ExpiringToken(fetchToken, clock)
}

class ExpiringToken implements Auth {
  readonly form = 'expiringToken'
  readonly #fetchToken: () => Promise<string>
  readonly #clock: { now(): number }
  #header: Promise<Secret> | undefined
  #until = 0

  constructor(fetchToken: () => Promise<string>, clock: { now(): number }) {
    this.#fetchToken = fetchToken
    this.#clock = clock
  }

  authorization(): Promise<Secret> {
    if (this.#header === undefined || this.#clock.now() >= this.#until) {
      this.#until = this.#clock.now() + 60_000
      this.#header = this.#fetchToken().then(
        (token) => new Secret(`Bearer ${token}`),
        (error) => {
          // Do not keep a failure: the next request fetches again.
          this.#header = undefined
          throw error
        },
      )
    }
    return this.#header
  }
}
