import { type Check, NotApplicable } from './check.ts'
import { BAD_REFRESH_TOKEN } from './logins.ts'
import { isStorable, noToken, wants } from './problems.ts'
import { type CheckedTokens, tokensIn } from './tokens.ts'

/** Checks the refresh token of a login, which has ended afterwards. */
export async function checkRefresh(check: Check, { refreshToken: first }: CheckedTokens): Promise<void> {
  if (first === undefined) throw new NotApplicable('the service issues no refresh tokens')
  const notValid = wants(BAD_REFRESH_TOKEN[check.dialect ?? 'rfc8628'])
  const refreshed = await check.refresh(first)
  check.judge('refreshed', refreshed, noToken)
  if (noToken(refreshed) !== undefined) throw new NotApplicable('the refresh failed')
  check.judge('refresh-no-store', refreshed, isStorable)

  // Without a new refresh token, the old one remains valid.
  const second = tokensIn(refreshed)
  const again = await check.refresh(second?.refreshToken ?? first)
  const third = tokensIn(again)?.refreshToken
  const isReplaced =
    second?.refreshToken !== undefined && ![first, second.refreshToken].includes(third ?? first)
  const kept = noToken(again) ?? 'the refresh token was not replaced'
  check.judge('refresh-rotation', again, isReplaced ? undefined : kept)
  if (!isReplaced || third === undefined) throw new NotApplicable('refresh tokens are not replaced')

  // The one before the newest may get its successor again, since the response may have been lost.
  const spent = await check.refresh(first)
  if (tokensIn(spent)?.accessToken === second.accessToken)
    throw new NotApplicable('the service repeats the response to a spent refresh token for a while')
  check.judge('spent-refresh-token', spent, notValid)
  check.judge('refresh-reuse', await check.refresh(third), notValid)
}
