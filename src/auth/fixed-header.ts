import type { Secret } from '../secret.ts'
import type { Auth } from './auth.ts'

/** A form whose header is the same for every request. Debug output shows its name alone. */
export class FixedHeader implements Auth {
  readonly form: string
  readonly #header: Secret

  constructor(form: string, header: Secret) {
    this.form = form
    this.#header = header
  }

  authorization(): Secret {
    return this.#header
  }
}
