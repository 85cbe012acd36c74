import { memberOf, textMemberOf } from '../request/http.ts'
import { type Check, NotApplicable, NotChecked, type StartedGrant } from './check.ts'
import type { Problem } from './problems.ts'

/** Seconds that users need to fetch another device and sign in. A longer lifetime mostly helps a phisher. */
const LONG_CODES = 15 * 60

/** Seconds after which a phished token should have expired. */
const LONG_TOKEN = 24 * 60 * 60

const ACCEPTED_IN_URL = 'the resource accepted a token from its URL'

/** Policies under which a page tells other sites no path and no query. */
const DISCREET =
  /^(?:no-referrer|same-origin|origin|strict-origin|origin-when-cross-origin|strict-origin-when-cross-origin)$/i

/** Checks recommendations of the best current practices in what was seen. Sends nothing. */
export function checkAdvice(check: Check, { response }: StartedGrant): void {
  const { page, wire } = check
  const expiresIn = memberOf(response.body, 'expires_in')
  const isLong = typeof expiresIn === 'number' && Math.floor(expiresIn) > LONG_CODES
  check.advise('codes-short', response, isLong ? `they are valid for ${expiresIn} seconds` : undefined)
  checkToken(check)
  if (page) {
    check.advise('page-referrer', page, tellsItsAddress)
    check.advise('page-cors', page, isReadable)
  } else check.skip(['page-referrer', 'page-cors'], 'the page was not seen')
  const opened = wire.responses.find(({ request }) => /[?&]access_token=/.test(request.url))
  const isOpen = opened?.status === 200
  if (opened) check.advise('token-in-url', opened, isOpen ? ACCEPTED_IN_URL : undefined)
  else {
    const noHeader = new NotApplicable('no resource accepted the token in a header')
    check.skip(['token-in-url'], check.noToken instanceof NotChecked ? check.noToken : noHeader)
  }
}

function checkToken(check: Check): void {
  const login = check.polls.find(({ body }) => textMemberOf(body, 'access_token'))
  if (login === undefined) {
    check.skip(['token-short'], check.noToken)
    return
  }
  const expiresIn = memberOf(login.body, 'expires_in')
  if (typeof expiresIn === 'number') {
    const isLong = expiresIn > LONG_TOKEN
    check.advise('token-short', login, isLong ? `it is valid for ${expiresIn} seconds` : undefined)
  } else if (expiresIn !== undefined || textMemberOf(login.body, 'refresh_token'))
    check.skip(['token-short'], 'the service does not say when the token expires')
  else check.advise('token-short', login, 'missing expires_in')
}

const tellsItsAddress: Problem = ({ headers }) => {
  // Browsers use the last policy that they know.
  const policy = headers.get('referrer-policy')?.split(',').at(-1)?.trim() ?? 'none'
  return DISCREET.test(policy)
    ? undefined
    : `wanted referrer-policy: no-referrer or same-origin, got ${policy}`
}

const isReadable: Problem = ({ headers }) => {
  const readers = headers.get('access-control-allow-origin')
  return readers === null ? undefined : `any script of ${readers} can read it`
}
