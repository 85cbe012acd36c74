import type { ShownCodes } from '../client/options.ts'
import { memberOf } from '../request/response.ts'
import type { Begun } from './check-codes.ts'
import { checkRefresh, OF_REFRESH } from './check-refresh.ts'
import {
  alive,
  type CheckContext,
  fits,
  type Grant,
  isAsked,
  MORE,
  mayBeStored,
  poll,
  pollLater,
  tokenProblem,
  tokensIn,
  wait,
  wants,
} from './context.ts'
import type { CheckedResponse } from './wire.ts'

/** The check waits for codes to expire by default if they live at most this many seconds. */
const SHORT_LIFETIME = 60

/** A poll within this part of the interval is early, whatever leeway a service has. */
const EARLY = 0.75

const TOO_LATE = 'the codes expire before a device may poll'

/** Checks polls before and after the decision of a user. Returns why there is no token, if there is none. */
export async function checkPolls(
  context: CheckContext,
  { first, others }: Begun,
): Promise<string | undefined> {
  await checkPace(context, first)
  const approval = await alive(context, others[0])
  const problem = approval ? await checkApproval(context, approval) : 'the service sent no codes'
  const denial = await alive(context, others[1])
  if (denial) await checkDenial(context, denial)
  return problem
}

/** Checks how fast a device may poll while the user has not decided. */
async function checkPace(context: CheckContext, grant: Grant): Promise<void> {
  const { verdicts } = context
  const { interval } = grant.shown
  if (!fits(context, grant, interval)) {
    verdicts.judge('pending', grant.response, TOO_LATE)
    verdicts.skip(['slow-down', 'slow-down-interval', 'recovery'], TOO_LATE)
    await poll(context, grant.deviceCode)
    checkForms(context, grant)
    return
  }
  await wait(context, interval)
  const timely = await poll(context, grant.deviceCode)
  verdicts.judge('pending', timely, wants('authorization_pending', timely))
  checkForms(context, grant)

  const early = await poll(context, grant.deviceCode)
  const judge = context.dialect === 'github' ? verdicts.judge : verdicts.advise
  judge('slow-down', early, wants('slow_down', early))
  if (early.error !== 'slow_down') {
    verdicts.skip(['slow-down-interval', 'recovery'], 'the service did not send slow_down')
    return
  }
  const told = memberOf(early.body, 'interval')
  const longer = typeof told === 'number' && told >= interval + MORE
  if (isAsked(context, 'slow-down-interval')) {
    const problem = longer ? undefined : `wanted an interval of ${interval + MORE} or more`
    verdicts.judge('slow-down-interval', early, problem, `from ${interval} to ${told} seconds`)
  }
  const next = longer ? told : interval + MORE
  if (!fits(context, grant, next)) {
    verdicts.skip(['recovery'], TOO_LATE)
    return
  }
  await wait(context, next)
  const patient = await poll(context, grant.deviceCode)
  verdicts.judge('recovery', patient, wants('authorization_pending', patient))
}

/** Detects the dialect by the first poll, and checks the form of the codes, which only the GitHub dialect defines. */
function checkForms(context: CheckContext, { response, deviceCode, shown }: Grant): void {
  const { verdicts, polls } = context
  context.dialect ??= polls[0]?.status === 200 ? 'github' : 'rfc8628'
  if (isAsked(context, 'device-code-form')) {
    const problem = deviceCode.length === 40 ? undefined : `it has ${deviceCode.length} characters`
    verdicts.judge('device-code-form', response, problem)
  }
  if (isAsked(context, 'user-code-form')) {
    const problem = /^[A-Z0-9]{4}-[A-Z0-9]{4}$/i.test(shown.userCode) ? undefined : 'it has a different form'
    verdicts.judge('user-code-form', response, problem)
  }
}

/** Lets the user decide. Returns `false` if nobody does. */
async function decided(
  context: CheckContext,
  as: 'approved' | 'denied',
  { shown }: Grant,
  decide: ((codes: ShownCodes) => unknown) | undefined,
): Promise<boolean> {
  if (decide === undefined) {
    context.verdicts.skip(AFTER[as], `nobody ${as}`)
    return false
  }
  try {
    await decide(shown)
    return true
  } catch (error) {
    context.verdicts.skip([as], `nobody ${as}: ${(error as Error).message}`)
    context.verdicts.skip(AFTER[as], `nobody ${as}`)
    return false
  }
}

/** The requirements that cannot be checked if nobody decides. */
const AFTER = {
  approved: [
    'approved',
    'early-decision',
    'token-type',
    'token-scope',
    'token-no-store',
    ...OF_REFRESH,
    'token-once',
  ],
  denied: ['denied'],
} as const

/** Returns why there is no token, if there is none. */
async function checkApproval(context: CheckContext, grant: Grant): Promise<string | undefined> {
  const { verdicts, options } = context
  const { clock } = options
  const before = clock.now()
  const undecided = await poll(context, grant.deviceCode)
  if (!(await decided(context, 'approved', grant, options.approve))) return 'nobody approved'
  const soon = clock.now() - before < grant.shown.interval * 1000 * EARLY
  const early = await poll(context, grant.deviceCode)
  if (undecided.error !== 'authorization_pending' || !soon)
    verdicts.skip(['early-decision'], 'the decision took so long that the next poll was not early')
  else {
    const hidden = early.error === 'slow_down' ? 'the early poll got slow_down' : undefined
    verdicts.advise('early-decision', early, hidden)
  }
  const response = early.error === 'slow_down' ? await pollLater(context, grant, early) : early
  const tokens = tokensIn(context, response)
  verdicts.judge('approved', response, tokenProblem(response))
  if (tokens === undefined) {
    const problem = 'the service sent no token'
    verdicts.skip(AFTER.approved, problem)
    return problem
  }
  verdicts.judge('token-type', response, typeProblem(response.body))
  checkScope(context, response)
  verdicts.judge('token-no-store', response, mayBeStored(response))
  // Before the device code comes again, for which a service may end the login.
  await checkRefresh(context, response)
  const again = await poll(context, grant.deviceCode)
  // A service may deliver its token again, for a client that did not receive it.
  const isSame = memberOf(again.body, 'access_token') === tokens.accessToken
  verdicts.judge('token-once', again, isSame ? undefined : notFinal(again))
  return undefined
}

function typeProblem(body: unknown): string | undefined {
  const type = memberOf(body, 'token_type')
  if (type === undefined) return 'missing token_type'
  return typeof type === 'string' && type.toLowerCase() === 'bearer' ? undefined : 'token_type is not bearer'
}

function checkScope({ verdicts, dialect }: CheckContext, response: CheckedResponse): void {
  const scope = memberOf(response.body, 'scope')
  if (scope === undefined && dialect === 'github') verdicts.judge('token-scope', response, 'missing scope')
  else if (typeof scope !== 'string' || !/[\s,]/.test(scope))
    verdicts.skip(['token-scope'], 'fewer than two scopes were granted')
  else {
    const separated = dialect === 'github' ? /^[^\s,]+(?:,[^\s,]+)*$/ : /^[^\s,]+(?: [^\s,]+)*$/
    verdicts.judge(
      'token-scope',
      response,
      separated.test(scope) ? undefined : 'they are separated differently',
    )
  }
}

async function checkDenial(context: CheckContext, grant: Grant): Promise<void> {
  const { verdicts, options } = context
  if (!(await decided(context, 'denied', grant, options.deny))) return
  const early = await poll(context, grant.deviceCode)
  const response = early.error === 'slow_down' ? await pollLater(context, grant, early) : early
  verdicts.judge('denied', response, wants('access_denied', response))
}

/** Checks a poll after the codes have expired. */
export async function checkExpiry(context: CheckContext, { deviceCode, shown }: Grant): Promise<void> {
  const { verdicts, options } = context
  const left = (shown.expiresAt - options.clock.now()) / 1000
  if (left > SHORT_LIFETIME && !options.waitExpiry) {
    verdicts.skip(['expired'], `the codes are valid for ${Math.ceil(left)} more seconds`)
    return
  }
  await wait(context, left + 1)
  const late = await poll(context, deviceCode)
  verdicts.judge('expired', late, wants('expired_token', late))
}

/** Describes a response that does not end the polling, or that contains a token. */
export function notFinal({ status, error, body }: CheckedResponse): string | undefined {
  if (memberOf(body, 'access_token') !== undefined) return 'got a token'
  if (status === 0) return 'no response'
  if (error === undefined) return `status ${status} without an error`
  return error === 'authorization_pending' || error === 'slow_down' ? `got ${error}` : undefined
}
