import type { Secret } from '../secret.ts'
import type { Auth } from './auth.ts'
import { bearer } from './bearer.ts'

/**
 * Authenticates with a personal access token.
 *
 * @throws {BadOptionError} for a token that no header may carry.
 * @group Client authentication
 * @see Spec 2.1, 5.3 (the header is not stated; it goes as `Bearer`)
 */
export function personalToken(token: string | Secret): Auth {
  return new PersonalToken(bearer(token))
}

class PersonalToken implements Auth {
  readonly form = 'personalToken'
  readonly #header: Secret

  constructor(header: Secret) {
    this.#header = header
  }

  authorization(): Secret {
    return this.#header
  }
}
