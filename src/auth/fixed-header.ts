import type { Secret } from '../secret.ts'
import type { Auth } from './auth.ts'

/** Authentication with the same header on every request. Debug output shows only its form. */
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
