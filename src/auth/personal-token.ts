import type { Secret } from '../secret.ts'
import type { Auth } from './auth.ts'
import { bearer } from './bearer.ts'
import { FixedHeader } from './fixed-header.ts'

/**
 * Authenticates with a personal access token, sent as a `Bearer` token.
 *
 * @throws {@link BadOptionError} if a header cannot carry the token.
 * @see {@link https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api GitHub: authenticating to
 * the REST API}
 */
export function personalToken(token: string | Secret): Auth {
  return new FixedHeader('personalToken', bearer(token))
}
