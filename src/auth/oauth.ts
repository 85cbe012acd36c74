import type { OAuthToken } from '../protocol/oauth-record.ts'
import { isBearer } from '../protocol/syntax.ts'
import type { Secret } from '../secret.ts'
import type { Auth } from './auth.ts'
import { bearer, notBearer } from './bearer.ts'
import { FixedHeader } from './fixed-header.ts'

/**
 * Authenticates with the access token of the device flow.
 *
 * @param token The token that `authorizeDevice` returned, or only its access token.
 * @throws {@link BadOptionError} if the token type is not `bearer`, or a header cannot carry the token.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-7.1 RFC 6749, section 7.1}
 */
export function oauth(token: Pick<OAuthToken, 'accessToken' | 'tokenType'> | string | Secret): Auth {
  if (typeof token !== 'object' || token === null || !('accessToken' in token))
    return new FixedHeader('oauth', bearer(token))
  if (!isBearer(String(token.tokenType))) throw notBearer()
  return new FixedHeader('oauth', bearer(token.accessToken))
}
