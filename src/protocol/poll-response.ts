import { type AnyAuthgraphError, BadResponseError } from '../errors.ts'
import { errorCodeOf, hasMember, memberOf, textMemberOf } from '../request/http.ts'
import { nameResponse } from '../request/name-request.ts'
import type { ReceivedResponse } from '../request/received-response.ts'
import { readWholeSeconds } from './fields.ts'
import type { OAuthToken } from './oauth-token.ts'
import { isForbidden, refusalOf } from './refusal.ts'
import { type Asked, parseOAuthRecord } from './token-record.ts'

/**
 * The result of one poll. `at` is when the response arrived, in epoch milliseconds.
 *
 * A `fault` is temporary: no connection, a failing server, an unreadable body. `refused` is final.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export type PollResponse =
  | { readonly type: 'token'; readonly at: number; readonly token: OAuthToken }
  /** `retryAfter`: seconds to wait this once, if the service asks for more than its interval. */
  | { readonly type: 'pending'; readonly at: number; readonly retryAfter?: number | undefined }
  /** `interval`: the new interval in seconds, if the service sends a valid one. */
  | {
      readonly type: 'slow_down'
      readonly at: number
      readonly interval?: number | undefined
      readonly retryAfter?: number | undefined
    }
  | { readonly type: 'denied'; readonly at: number }
  | { readonly type: 'expired'; readonly at: number }
  | { readonly type: 'refused'; readonly at: number; readonly error: AnyAuthgraphError }
  /**
   * `retryAfter`: seconds to wait, if the service says so. `slow`: why the next polls must be slower at once, after a
   * `timeout`, or a `limit` that the service sets. After any other fault, they are slower if it is not the first in a row.
   */
  | {
      readonly type: 'fault'
      readonly at: number
      readonly retryAfter?: number | undefined
      readonly slow?: 'timeout' | 'limit' | undefined
      readonly error: AnyAuthgraphError
    }

/**
 * Interprets the response to a poll: first its body, then its status, because some services send errors with status 200
 * and others with 400. Never throws. RFC 8628, section 3.5.
 */
export function parsePollResponse(response: ReceivedResponse, asked: Asked): PollResponse {
  const { body, at, retryAfter } = response
  if (hasMember(body, 'access_token')) return readToken(response, asked)
  if (isForbidden(body)) return { type: 'refused', at, error: refusalOf(response) }
  // Twitch sends its code as a message: https://dev.twitch.tv/docs/authentication/getting-tokens-oauth
  switch (errorCodeOf(body) ?? textMemberOf(body, 'message')) {
    case 'authorization_pending':
      return { type: 'pending', at, retryAfter }
    case 'slow_down':
      return { type: 'slow_down', at, interval: readWholeSeconds(memberOf(body, 'interval')), retryAfter }
    case 'access_denied':
    // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-device-code#expected-errors
    case 'authorization_declined':
      return { type: 'denied', at }
    // `token_expired` is how one page of GitHub's documentation spells it.
    case 'expired_token':
    case 'token_expired':
    // The first version of Entra ID's endpoints.
    case 'code_expired':
      return { type: 'expired', at }
    case 'bad_verification_code':
      // Entra ID says only in words whether the code was ever valid.
      return /\bexpired\b/i.test(textMemberOf(body, 'error_description') ?? '')
        ? { type: 'expired', at }
        : readRefusal(response)
    // The next poll has a new proof. RFC 9449, section 5.
    case 'invalid_dpop_proof':
    case 'use_dpop_nonce':
      return { type: 'fault', at, retryAfter, error: refusalOf(response) }
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

/**
 * Error codes that end a flow whatever the status. The first three are GitHub's, the others are from RFC 6749, section
 * 5.2.
 */
const FINAL_CODES: readonly (string | undefined)[] = [
  'incorrect_client_credentials',
  'incorrect_device_code',
  'device_flow_disabled',
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unsupported_grant_type',
]

/**
 * Any other code ends the flow (RFC 8628, section 3.5: MUST), unless the server is busy or failing: what web frameworks
 * then write under `error` is not an OAuth error code, and the next poll may still succeed.
 */
function readRefusal(response: ReceivedResponse): PollResponse {
  const { status, body, at, retryAfter } = response
  const code = errorCodeOf(body)
  const error = refusalOf(response)
  // Some services rate-limit with status 403 and a `Retry-After` header.
  const rateLimited = status === 403 && !hasMember(body, 'error') && retryAfter !== undefined
  const isTemporary = status >= 500 || status === 429 || status === 408 || rateLimited
  if (isTemporary && !FINAL_CODES.includes(code)) {
    const isLimit = status < 500 || retryAfter !== undefined
    return { type: 'fault', at, retryAfter, error, ...(isLimit && { slow: 'limit' }) }
  }
  if (status >= 400 || code !== undefined) return { type: 'refused', at, error }
  return {
    type: 'fault',
    at,
    error: new BadResponseError(
      `the ${nameResponse('poll response', response)} contains neither a token nor an error`,
    ),
  }
}
