import * as v from 'valibot'
import { type AnyAuthgraphError, BadAnswerError, RefusedError } from '../errors.ts'
import { type Answer, brings, errorCodeOf, memberOf } from './answer.ts'
import { type OAuthToken, parseOAuthRecord } from './oauth-record.ts'
import type { ScopeSeparator } from './scopes.ts'
import { wholeSeconds } from './seconds.ts'

/**
 * What one poll brought. `at` is when the answer had arrived, epoch milliseconds.
 *
 * `fault` passes (no connection, a failing server, a body that is no answer); `refused` does not.
 *
 * @group Protocol
 * @see Spec 4.2, 7
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export type PollAnswer =
  | { readonly type: 'token'; readonly at: number; readonly token: OAuthToken }
  /** `retryAfter` in seconds: for one wait, where the service says more than its interval. */
  | { readonly type: 'pending'; readonly at: number; readonly retryAfter?: number | undefined }
  /** `interval` in seconds, where the service says one that can be used. */
  | {
      readonly type: 'slow_down'
      readonly at: number
      readonly interval?: number | undefined
      readonly retryAfter?: number | undefined
    }
  | { readonly type: 'denied'; readonly at: number }
  | { readonly type: 'expired'; readonly at: number }
  | { readonly type: 'refused'; readonly at: number; readonly error: AnyAuthgraphError }
  /** `retryAfter` in seconds. */
  | {
      readonly type: 'fault'
      readonly at: number
      readonly retryAfter?: number | undefined
      readonly error: AnyAuthgraphError
    }

/**
 * Understands the answer to a poll: by its body first, then by its status, since some send errors with status 200
 * and some with 400. Never throws.
 *
 * @see Spec 4.2
 */
export function parsePollAnswer(
  answer: Answer,
  asked: { readonly scopes: readonly string[]; readonly separator: ScopeSeparator },
): PollAnswer {
  const { body, at, retryAfter } = answer
  if (brings(body, 'access_token')) return readToken(answer, asked)
  switch (errorCodeOf(body)) {
    case 'authorization_pending':
      return { type: 'pending', at, retryAfter }
    case 'slow_down':
      return { type: 'slow_down', at, interval: usableInterval(body), retryAfter }
    case 'access_denied':
      return { type: 'denied', at }
    // Spec: not shown. `token_expired` is how one page of the service spells it.
    case 'expired_token':
    case 'token_expired':
      return { type: 'expired', at }
    default:
      return readRefusal(answer)
  }
}

function readToken(
  { body, at }: Answer,
  asked: { readonly scopes: readonly string[]; readonly separator: ScopeSeparator },
): PollAnswer {
  try {
    return { type: 'token', at, token: parseOAuthRecord(body, asked) }
  } catch (error) {
    return { type: 'refused', at, error: error as BadAnswerError }
  }
}

function usableInterval(body: unknown): number | undefined {
  const interval = v.safeParse(wholeSeconds, memberOf(body, 'interval'))
  return interval.success ? interval.output : undefined
}

/** A server that is busy or failing may still bring the token; any other refusal ends the flow (RFC 8628, 3.5: MUST). */
function readRefusal({ status, body, at, retryAfter }: Answer): PollAnswer {
  const error = errorCodeOf(body)
  const refusal = new RefusedError({ error, status, retryAfter })
  if (status >= 500 || status === 429 || status === 408)
    return { type: 'fault', at, retryAfter, error: refusal }
  if (status >= 400 || error !== undefined) return { type: 'refused', at, error: refusal }
  return {
    type: 'fault',
    at,
    error: new BadAnswerError('the answer to the poll is neither a token nor an error'),
  }
}
