import { readDate, readRetryAfter, textMemberOf } from '../request/http.ts'

/**
 * Why a call has to wait: the calls of an hour are used up (`rate_limit`), there were too many at once
 * (`secondary_rate_limit`), or the API is down and names the time (`unavailable`).
 *
 * @inline
 */
export type WaitReason = 'rate_limit' | 'secondary_rate_limit' | 'unavailable'

/** Seconds to wait after a secondary rate limit that names no time: doubled after each further one. */
const SECONDARY_WAIT = 60

/** How GitHub words a secondary rate limit with status 403. Without it, the same status means a missing permission. */
const SECONDARY = /\bsecondary rate\b/i

/** A response with an error status. The body is parsed JSON, or text. */
interface RateRefusal {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Whether a refusal is due to a rate limit, by its status, its headers and the wording of its body. */
export function isRateLimited({ status, headers, body }: RateRefusal): boolean {
  if (status !== 403) return status === 429
  const isNamed = headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0'
  return isNamed || SECONDARY.test(messageOf(body))
}

/**
 * Reads from a refusal how many seconds to wait before the call is sent again, if it may be sent again at all.
 *
 * @param at When it arrived, in epoch milliseconds.
 * @param tries How often the call was sent.
 * @see {@link https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api GitHub: best
 * practices for using the REST API}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3 RFC 9110, section 10.2.3}
 */
export function readWait(
  { status, headers, body }: RateRefusal,
  at: number,
  tries: number,
): { readonly reason: WaitReason; readonly seconds: number } | undefined {
  const retryAfter = readRetryAfter(headers, at)
  if (status === 503)
    return retryAfter === undefined ? undefined : { reason: 'unavailable', seconds: retryAfter }
  if (status !== 403 && status !== 429) return undefined
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0'
  const seconds = retryAfter ?? (isUsedUp ? untilReset(headers, at) : undefined)
  if (seconds !== undefined) return { reason: isUsedUp ? 'rate_limit' : 'secondary_rate_limit', seconds }
  if (status === 403 && !SECONDARY.test(messageOf(body))) return undefined
  return { reason: 'secondary_rate_limit', seconds: SECONDARY_WAIT * 2 ** (tries - 1) }
}

/** Measured by the clock of the API: ours may be hours off. */
function untilReset(headers: Headers, at: number): number | undefined {
  const reset = headers.get('x-ratelimit-reset') ?? ''
  const now = readDate(headers.get('date')) ?? at
  return /^\d+$/.test(reset) ? Math.max(0, Number(reset) - now / 1000) : undefined
}

function messageOf(body: unknown): string {
  return typeof body === 'string' ? body : (textMemberOf(body, 'message') ?? '')
}
