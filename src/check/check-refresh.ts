import { memberOf, textMemberOf } from '../protocol/response.ts'
import {
  BAD_REFRESH_TOKEN,
  type CheckContext,
  mayBeStored,
  refresh,
  tokenProblem,
  tokensIn,
  UNKNOWN_CLIENT,
  wants,
} from './context.ts'
import type { CheckedResponse } from './wire.ts'

/** A scope that no user has approved. */
const NEVER_APPROVED = 'authgraph_check'

/** The requirements that need a refresh token. */
export const OF_REFRESH = [
  'refreshed',
  'refresh-no-store',
  'token-lifetime',
  'refresh-rotation',
  'foreign-refresh-token',
  'refresh-scope',
  'spent-refresh-token',
  'refresh-reuse',
] as const

/** Checks the refresh token of a login, which has ended afterwards. */
export async function checkRefresh(context: CheckContext, login: CheckedResponse): Promise<void> {
  const { verdicts, dialect = 'rfc8628', otherClientId = UNKNOWN_CLIENT } = context
  const first = tokensIn(context, login)?.refreshToken
  if (first === undefined) {
    verdicts.skip(OF_REFRESH, 'the service issues no refresh tokens')
    return
  }
  const response = await refresh(context, first)
  const second = tokensIn(context, response)?.refreshToken
  const problem = tokenProblem(response)
  verdicts.judge('refreshed', response, problem)
  if (problem !== undefined) {
    verdicts.skip(OF_REFRESH, 'the refresh failed')
    return
  }
  verdicts.judge('refresh-no-store', response, mayBeStored(response))
  const endless = [login, response].find(({ body }) => typeof memberOf(body, 'expires_in') !== 'number')
  verdicts.advise('token-lifetime', endless, endless && 'missing expires_in')

  // Without a new refresh token, the old one remains valid.
  const foreign = await refresh(context, second ?? first, { client_id: otherClientId })
  const isStolen = tokensIn(context, foreign) !== undefined
  verdicts.judge('foreign-refresh-token', foreign, isStolen ? 'the other client got a token' : undefined)
  const again = isStolen ? response : await checkScope(context, login, second ?? first)
  const third = tokensIn(context, again)?.refreshToken
  const isReplaced =
    ![undefined, first].includes(second) && (isStolen || ![undefined, second].includes(third))
  verdicts.judge('refresh-rotation', again, isReplaced ? undefined : 'the refresh token was not replaced')
  if (isStolen || !isReplaced || third === undefined) {
    verdicts.skip(OF_REFRESH, isStolen ? 'another client got a token' : 'refresh tokens are not replaced')
    return
  }

  // The one before the newest may get its successor again, since the response may have been lost.
  const spent = await refresh(context, first)
  tokensIn(context, spent)
  verdicts.judge('spent-refresh-token', spent, wants(BAD_REFRESH_TOKEN[dialect], spent))
  const newest = await refresh(context, third)
  tokensIn(context, newest)
  verdicts.judge('refresh-reuse', newest, wants(BAD_REFRESH_TOKEN[dialect], newest))
}

/** Asks for one more scope at a refresh. Returns the response of a refresh that was not refused. */
async function checkScope(
  context: CheckContext,
  login: CheckedResponse,
  refreshToken: string,
): Promise<CheckedResponse> {
  const { verdicts, options } = context
  const told = textMemberOf(login.body, 'scope')
  const granted = told === undefined ? (options.scopes ?? []) : scopesIn(told)
  const wider = await refresh(context, refreshToken, { scope: [...granted, NEVER_APPROVED].join(' ') })
  verdicts.judge('refresh-scope', wider, widerProblem(wider))
  return tokenProblem(wider) === undefined ? wider : refresh(context, refreshToken)
}

function widerProblem(response: CheckedResponse): string | undefined {
  const { body } = response
  if (memberOf(body, 'access_token') === undefined) return wants('invalid_scope', response)
  const scope = textMemberOf(body, 'scope')
  // RFC 6749, section 5.1: without "scope", the requested scopes were granted.
  if (scope === undefined) return 'the token has every requested scope: the response contains no scope'
  return scopesIn(scope).includes(NEVER_APPROVED)
    ? 'the token has a scope that the user did not approve'
    : undefined
}

/** The dialects separate scopes differently. */
function scopesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((scope) => scope !== '')
}
