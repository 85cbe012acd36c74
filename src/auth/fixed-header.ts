import type { Secret } from '../secret.ts'
import type { Auth } from './auth.ts'

/** Authentication with the same header on every request, or without one. Debug output shows only its form. */
export class FixedHeader implements Auth {
  readonly form: string
  readonly #header: Secret | undefined

  constructor(form: string, header?: Secret) {
    this.form = form
    this.#header = header
  }

  authorization(): Secret | undefined {
    return this.#header
  }
}
