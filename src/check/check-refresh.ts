import {
  BAD_REFRESH_TOKEN,
  type CheckContext,
  mayBeStored,
  refresh,
  tokenProblem,
  tokensIn,
  wants,
} from './context.ts'
import type { CheckedResponse } from './wire.ts'

/** The requirements of a login with a refresh token. */
export const OF_REFRESH = [
  'refreshed',
  'refresh-no-store',
  'refresh-rotation',
  'spent-refresh-token',
  'refresh-reuse',
] as const

/** Checks the refresh token of a login, which has ended afterwards. */
export async function checkRefresh(context: CheckContext, login: CheckedResponse): Promise<void> {
  const { verdicts, dialect = 'rfc8628' } = context
  const first = tokensIn(context, login)?.refreshToken
  if (first === undefined) {
    verdicts.skip(OF_REFRESH, 'the service issues no refresh tokens')
    return
  }
  const response = await refresh(context, first)
  const second = tokensIn(context, response)
  const problem = tokenProblem(response)
  verdicts.judge('refreshed', response, problem)
  if (problem !== undefined) {
    verdicts.skip(OF_REFRESH, 'the refresh failed')
    return
  }
  verdicts.judge('refresh-no-store', response, mayBeStored(response))

  // Without a new refresh token, the old one remains valid.
  const again = await refresh(context, second?.refreshToken ?? first)
  const third = tokensIn(context, again)?.refreshToken
  const known = [undefined, first, second?.refreshToken]
  const isReplaced = second?.refreshToken !== undefined && !known.includes(third)
  const kept = tokenProblem(again) ?? 'the refresh token was not replaced'
  verdicts.judge('refresh-rotation', again, isReplaced ? undefined : kept)
  if (!isReplaced || third === undefined) {
    verdicts.skip(OF_REFRESH, 'refresh tokens are not replaced')
    return
  }

  // The one before the newest may get its successor again, since the response may have been lost.
  const spent = await refresh(context, first)
  if (second !== undefined && tokensIn(context, spent)?.accessToken === second.accessToken) {
    verdicts.skip(OF_REFRESH, 'the service repeats the response to a spent refresh token for a while')
    return
  }
  verdicts.judge('spent-refresh-token', spent, wants(BAD_REFRESH_TOKEN[dialect], spent))
  const newest = await refresh(context, third)
  tokensIn(context, newest)
  verdicts.judge('refresh-reuse', newest, wants(BAD_REFRESH_TOKEN[dialect], newest))
}
