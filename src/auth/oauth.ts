import { assertKnown, type Names } from '../assert-known.ts'
import type { Dpop } from '../protocol/dpop.ts'
import { systemClock } from '../request/clock.ts'
import type { Secret } from '../secret.ts'
import type { Auth } from './auth.ts'
import { bearer } from './bearer.ts'
import { FixedHeader } from './fixed-header.ts'
import { type SentToken, tokenHeaders } from './token-headers.ts'

/** Options of {@link oauth}. */
export interface OAuthOptions {
  /** What `dpop()` from `authgraph/dpop` returns, if the token is bound to a key. Default: nothing. */
  readonly dpop?: Dpop | undefined
}

const KNOWN: Names<OAuthOptions> = { dpop: true }

/**
 * Authenticates with the access token of the device flow.
 *
 * @param token The token that `authorizeDevice` returned, or only its access token.
 * @throws {@link BadOptionError} if the token type is neither `bearer`, nor `DPoP` with its key and the option `dpop`; or
 * if a header cannot carry the token.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-7.1 RFC 6749, section 7.1}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1 RFC 9449, section 7.1}
 */
export function oauth(token: SentToken | string | Secret, options: OAuthOptions = {}): Auth {
  assertKnown(options, KNOWN)
  if (typeof token !== 'object' || token === null || !('accessToken' in token))
    return new FixedHeader('oauth', bearer(token))
  const { authorization, prove, learn } = tokenHeaders(options, systemClock)
  const header = authorization({ ...token, tokenType: String(token.tokenType) })
  if (options.dpop === undefined) return new FixedHeader('oauth', header)
  return {
    form: 'oauth',
    authorization: () => header,
    prove,
    learn: (response, _, request) => (request && learn(response, request)) ?? false,
  }
}
