import { memberOf } from '../request/http.ts'
import { type Check, MORE, NotApplicable, type StartedGrant } from './check.ts'
import { checkRefresh } from './check-refresh.ts'
import { decide } from './logins.ts'
import { isStorable, noToken, notFinal, type Problem, wants } from './problems.ts'
import { requirementsFrom } from './requirements.ts'
import { tokensIn } from './tokens.ts'
import type { CheckedResponse } from './wire.ts'

/** The check waits for codes to expire by default if they live at most this many seconds. */
const SHORT_LIFETIME = 60

/** A poll within this part of the interval is early, whatever leeway a service has. */
const EARLY = 0.75

const TOO_LATE = 'the codes expire before a device may poll'

/** The requirements that cannot be checked if nobody approves. */
export const OF_APPROVAL = [
  ...requirementsFrom('approved'),
  ...requirementsFrom('refreshed'),
  'token-once',
] as const

/** Checks how fast a device may poll while the user has not decided. */
export async function checkPace(check: Check, grant: StartedGrant): Promise<void> {
  const { interval } = grant.shown
  const isInTime = check.fits(grant, interval)
  if (isInTime) await check.wait(interval)
  const timely = await check.poll(grant.deviceCode)
  if (isInTime) check.judge('pending', timely, wants('authorization_pending'))
  else check.judge('pending', grant.response, TOO_LATE)
  checkForms(check, grant, timely)
  if (!isInTime) throw new NotApplicable(TOO_LATE)

  const early = await check.poll(grant.deviceCode)
  const outcome = check.dialect === 'github' ? 'failed' : 'advised'
  check.judge('slow-down', early, wants('slow_down'), undefined, outcome)
  if (early.error !== 'slow_down') throw new NotApplicable('the service did not send slow_down')
  const longer = memberOf(early.body, 'interval')
  const isLonger = typeof longer === 'number' && longer >= interval + MORE
  const problem = isLonger ? undefined : `wanted an interval of ${interval + MORE} or more`
  check.judge('slow-down-interval', early, problem, `from ${interval} to ${longer} seconds`)
  const later = await check.pollAgain(grant, early)
  if (later === early) throw new NotApplicable(TOO_LATE)
  check.judge('recovery', later, wants('authorization_pending'))
}

/** Detects the dialect by the first poll, and checks the form of the codes, which only the GitHub dialect defines. */
function checkForms(
  check: Check,
  { response, deviceCode, shown }: StartedGrant,
  { status }: CheckedResponse,
): void {
  check.dialect ??= status === 200 ? 'github' : 'rfc8628'
  const length = deviceCode.length === 40 ? undefined : `it has ${deviceCode.length} characters`
  check.judge('device-code-form', response, length)
  const isUserCode = /^[A-Z0-9]{4}-[A-Z0-9]{4}$/i.test(shown.userCode)
  check.judge('user-code-form', response, isUserCode ? undefined : 'it has a different form')
}

/** Checks an approval, the token that it gives, and its refresh token. */
export async function checkApproval(check: Check, unused: StartedGrant | undefined): Promise<void> {
  const { clock } = check.options
  const grant = await validGrant(check, unused)
  const before = clock.now()
  const undecided = await check.poll(grant.deviceCode)
  await decide(check, 'approve', grant)
  const isSoon = clock.now() - before < grant.shown.interval * 1000 * EARLY
  const early = await check.poll(grant.deviceCode)
  if (undecided.error !== 'authorization_pending' || !isSoon)
    check.skip(['early-decision'], 'the decision took so long that the next poll was not early')
  else {
    const hidden = early.error === 'slow_down' ? 'the early poll got slow_down' : undefined
    check.advise('early-decision', early, hidden)
  }
  const response = await check.pollAgain(grant, early)
  check.judge('approved', response, afterDecision('approve', noToken))
  const tokens = tokensIn(response)
  if (tokens === undefined) throw new NotApplicable('the service sent no token')
  check.judge('token-type', response, notBearer)
  checkScope(check, response)
  check.judge('token-no-store', response, isStorable)
  // Before the device code is used again, for which a service may end the login.
  await check.attempt(requirementsFrom('refreshed'), () => checkRefresh(check, tokens))
  const again = await check.poll(grant.deviceCode)
  // A service may deliver its token again, for a client that did not receive it.
  const isSame = tokensIn(again)?.accessToken === tokens.accessToken
  check.judge('token-once', again, isSame ? undefined : notFinal)
}

const notBearer: Problem = ({ body }) => {
  const type = memberOf(body, 'token_type')
  if (type === undefined) return 'missing token_type'
  return typeof type === 'string' && type.toLowerCase() === 'bearer' ? undefined : 'token_type is not bearer'
}

function checkScope(check: Check, response: CheckedResponse): void {
  const isGitHub = check.dialect === 'github'
  const scope = memberOf(response.body, 'scope')
  if (scope === undefined && isGitHub) check.judge('token-scope', response, 'missing scope')
  else if (typeof scope !== 'string' || !/[\s,]/.test(scope))
    check.skip(['token-scope'], 'fewer than two scopes were granted')
  else {
    const separated = isGitHub ? /^[^\s,]+(?:,[^\s,]+)*$/ : /^[^\s,]+(?: [^\s,]+)*$/
    const problem = separated.test(scope) ? undefined : 'they are separated differently'
    check.judge('token-scope', response, problem)
  }
}

/** Checks a denial. */
export async function checkDenial(check: Check, unused: StartedGrant | undefined): Promise<void> {
  const grant = await validGrant(check, unused)
  await decide(check, 'deny', grant)
  const response = await check.pollAgain(grant, await check.poll(grant.deviceCode))
  check.judge('denied', response, afterDecision('deny', wants('access_denied')))
}

/** The decision may have failed without an error. */
function afterDecision(as: 'approve' | 'deny', problem: Problem): Problem {
  return (response) => {
    const found = problem(response)
    return found && response.error === 'authorization_pending'
      ? `${found}: make sure that ${as} (--${as}) decides about the code that it gets`
      : found
  }
}

/** Returns the grant, or a new one if it is about to expire. */
async function validGrant(check: Check, grant: StartedGrant | undefined): Promise<StartedGrant> {
  const isValid = grant !== undefined && check.options.clock.now() + 1000 < grant.shown.expiresAt
  return isValid ? grant : check.begin()
}

/** Checks a poll after the codes have expired. */
export async function checkExpiry(check: Check, { deviceCode, shown }: StartedGrant): Promise<void> {
  const left = (shown.expiresAt - check.options.clock.now()) / 1000
  if (left > SHORT_LIFETIME && !check.options.waitExpiry)
    throw new NotApplicable(`the codes are valid for ${Math.ceil(left)} more seconds`)
  await check.wait(left + 1)
  check.judge('expired', await check.poll(deviceCode), wants('expired_token'))
}
