import type { Dpop } from '../protocol/dpop.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import { assertDpop, isBearer, isDpop } from '../protocol/syntax.ts'
import { readDate } from '../request/http.ts'
import type { Secret } from '../secret.ts'
import type { AuthRequest } from './auth.ts'
import { bearer, notBearer } from './bearer.ts'

export type SentToken = Pick<OAuthToken, 'accessToken' | 'tokenType' | 'dpopKey'>

/** An error code of RFC 9449, sections 7.1 and 9, in a challenge of an API. */
const REFUSED_PROOF = /\berror="?(use_dpop_nonce|invalid_dpop_proof)\b/

/** The tokens of headers that need proofs. One map for all sessions, since ten thousand may be open at once. */
const bound = new WeakMap<Secret, SentToken>()

/** The headers of requests with a token: as a bearer token, or with proofs if it is bound to a key. */
export interface TokenHeaders {
  /** Throws a BadOptionError if the token has another type, or needs a key that is missing. */
  authorization(token: SentToken): Secret
  prove(request: AuthRequest, sent: Secret): Promise<Secret> | undefined
  /** Returns `undefined` if the response is not a refusal of the proof; otherwise, whether a new one may be accepted. */
  learn(response: Response, request: AuthRequest): boolean | undefined
}

/** Creates the headers of requests. They never carry a token that is bound to a key as a bearer token. */
export function tokenHeaders(
  { dpop }: { readonly dpop?: Dpop | undefined },
  clock: { now(): number },
): TokenHeaders {
  return {
    authorization(token) {
      const { accessToken, tokenType } = token
      if (isDpop(tokenType)) {
        assertDpop(dpop, token)
        const header = bearer(accessToken, 'DPoP')
        bound.set(header, token)
        return header
      }
      if (!isBearer(tokenType)) throw notBearer()
      if (token.dpopKey) dpop?.check(tokenType)
      return bearer(accessToken)
    },
    prove({ method, url }, sent) {
      const { accessToken, dpopKey } = bound.get(sent) ?? {}
      return dpopKey && dpop?.prove(dpopKey, { method, url, token: accessToken, now: clock.now() })
    },
    learn({ status, headers }, { url }) {
      const challenge = status === 401 ? (headers.get('www-authenticate') ?? '') : ''
      return dpop?.learn(url, {
        body: { error: REFUSED_PROOF.exec(challenge)?.[1] },
        nonce: headers.get('dpop-nonce') ?? undefined,
        date: readDate(headers.get('date')),
        at: clock.now(),
      })
    },
  }
}
