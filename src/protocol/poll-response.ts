import { type AnyAuthgraphError, BadResponseError } from '../errors.ts'
import { type Asked, type OAuthToken, parseOAuthRecord } from './oauth-record.ts'
import { refusalOf } from './refusal.ts'
import { brings, errorCodeOf, memberOf, type ReceivedResponse } from './response.ts'
import { readWholeSeconds } from './seconds.ts'

/**
 * What one poll brought. `at` is when the answer had arrived, epoch milliseconds.
 *
 * `fault` passes (no connection, a failing server, a body that is no answer); `refused` does not.
 *
 * @group Protocol
 * @see Spec 4.2, 7
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export type PollResponse =
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
export function parsePollResponse(response: ReceivedResponse, asked: Asked): PollResponse {
  const { body, at, retryAfter } = response
  if (brings(body, 'access_token')) return readToken(response, asked)
  switch (errorCodeOf(body)) {
    case 'authorization_pending':
      return { type: 'pending', at, retryAfter }
    case 'slow_down':
      return { type: 'slow_down', at, interval: readWholeSeconds(memberOf(body, 'interval')), retryAfter }
    case 'access_denied':
      return { type: 'denied', at }
    // Spec: not shown. `token_expired` is how one page of the service spells it.
    case 'expired_token':
    case 'token_expired':
      return { type: 'expired', at }
    default:
      return readRefusal(response)
  }
}

function readToken(response: ReceivedResponse, asked: Asked): PollResponse {
  const { at } = response
  try {
    return { type: 'token', at, token: parseOAuthRecord(response, asked) }
  } catch (error) {
    return { type: 'refused', at, error: error as BadResponseError }
  }
}

/** Codes that end a flow whatever the status. The first three are the service's own, the others of RFC 6749, 5.2. */
const FINAL_CODES: readonly (string | undefined)[] = [
  'incorrect_client_credentials',
  'incorrect_device_code',
  'device_flow_disabled',
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
]

/**
 * Any other code ends the flow (RFC 8628, 3.5: MUST), but where the server is busy or failing: what frameworks then
 * write under `error` is no code of OAuth, and the next poll may still bring the token.
 */
function readRefusal(response: ReceivedResponse): PollResponse {
  const { status, body, at, retryAfter } = response
  const code = errorCodeOf(body)
  const error = refusalOf(response)
  // Some limit requests with 403, and say by the header when to come back.
  const limited = status === 403 && code === undefined && retryAfter !== undefined
  const passing = status >= 500 || status === 429 || status === 408 || limited
  if (passing && !FINAL_CODES.includes(code)) return { type: 'fault', at, retryAfter, error }
  if (status >= 400 || code !== undefined) return { type: 'refused', at, error }
  return {
    type: 'fault',
    at,
    error: new BadResponseError('the poll response contains neither a token nor an error'),
  }
}
