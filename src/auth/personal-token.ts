import type { Secret } from '../secret.ts'
import type { Auth } from './auth.ts'
import { bearer } from './bearer.ts'
import { FixedHeader } from './fixed-header.ts'

/**
 * Authenticates with a personal access token.
 *
 * @throws {@link BadOptionError} for a token that no header may carry.
 * @group Client authentication
 * @see Spec 2.1, 5.3 (the header is not stated; it goes as `Bearer`)
 */
export function personalToken(token: string | Secret): Auth {
  return new FixedHeader('personalToken', bearer(token))
}
