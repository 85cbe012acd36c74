/**
 * Whether a refusal is due to a rate limit that its headers name.
 *
 * @see {@link https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api GitHub: rate limits for the
 * REST API}
 */
export function isRateLimited(headers: Headers): boolean {
  return headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0'
}
