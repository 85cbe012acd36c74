import { memberOf, textMemberOf } from '../request/response.ts'
import type { CheckContext, Grant } from './context.ts'
import type { CheckedResponse } from './wire.ts'

/** Seconds that users need to fetch another device and sign in. A longer lifetime mostly helps a phisher. */
const LONG_CODES = 15 * 60

/** Seconds after which a phished token should have expired. */
const LONG_TOKEN = 24 * 60 * 60

/** Policies under which a page tells other sites no path and no query. */
const DISCREET =
  /^(?:no-referrer|same-origin|origin|strict-origin|origin-when-cross-origin|strict-origin-when-cross-origin)$/i

/** Checks recommendations of the best current practices in what was seen. Sends nothing. */
export function checkAdvice(
  context: CheckContext,
  { response }: Grant,
  page: CheckedResponse | undefined,
): void {
  const { verdicts } = context
  const expiresIn = memberOf(response.body, 'expires_in')
  const isLong = typeof expiresIn === 'number' && Math.floor(expiresIn) > LONG_CODES
  verdicts.advise('codes-short', response, isLong ? `they are valid for ${expiresIn} seconds` : undefined)
  checkToken(context)
  checkPageHeaders(context, page)
  checkTokenInUrl(context)
}

function checkToken({ verdicts, polls }: CheckContext): void {
  const login = polls.find(({ body }) => textMemberOf(body, 'access_token'))
  if (login === undefined) {
    verdicts.skip(['token-short'], 'the service sent no token')
    return
  }
  const expiresIn = memberOf(login.body, 'expires_in')
  if (typeof expiresIn === 'number')
    verdicts.advise(
      'token-short',
      login,
      expiresIn > LONG_TOKEN ? `it is valid for ${expiresIn} seconds` : undefined,
    )
  else if (expiresIn !== undefined || textMemberOf(login.body, 'refresh_token'))
    verdicts.skip(['token-short'], 'the service does not say when the token expires')
  else verdicts.advise('token-short', login, 'missing expires_in')
}

function checkPageHeaders({ verdicts }: CheckContext, page: CheckedResponse | undefined): void {
  if (page === undefined) {
    verdicts.skip(['page-referrer', 'page-cors'], 'the page was not seen')
    return
  }
  // Browsers use the last policy that they know.
  const policy = page.headers.get('referrer-policy')?.split(',').at(-1)?.trim() ?? 'none'
  verdicts.advise(
    'page-referrer',
    page,
    DISCREET.test(policy) ? undefined : `wanted referrer-policy: no-referrer or same-origin, got ${policy}`,
  )
  const readers = page.headers.get('access-control-allow-origin')
  verdicts.advise('page-cors', page, readers === null ? undefined : `any script of ${readers} can read it`)
}

function checkTokenInUrl({ verdicts, wire }: CheckContext): void {
  const opened = wire.responses.find(({ request }) => /[?&]access_token=/.test(request.url))
  if (opened === undefined) verdicts.skip(['token-in-url'], 'no resource accepted the token in a header')
  else
    verdicts.advise(
      'token-in-url',
      opened,
      opened.status === 200 ? 'the resource accepted a token from its URL' : undefined,
    )
}
