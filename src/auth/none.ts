import type { Auth } from './auth.ts'

/**
 * Sends no credential. This is the default.
 *
 * @group Client authentication
 * @see Spec 2.1, 5.1
 */
export function none(): Auth {
  return new None()
}

class None implements Auth {
  readonly form = 'none'

  authorization(): undefined {}
}
