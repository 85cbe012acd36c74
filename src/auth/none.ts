import type { Auth } from './auth.ts'

/** Sends no credentials. This is the default. */
export function none(): Auth {
  return new None()
}

class None implements Auth {
  readonly form = 'none'

  authorization(): undefined {}
}
