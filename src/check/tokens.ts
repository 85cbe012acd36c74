import { textMemberOf } from '../request/http.ts'
import type { CheckedResponse } from './wire.ts'

/** The tokens of a login. */
export interface CheckedTokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly scope: string | undefined
}

/** The tokens of a response; `undefined` if it contains no access token. */
export function tokensIn({ body }: CheckedResponse): CheckedTokens | undefined {
  const accessToken = textMemberOf(body, 'access_token')
  if (!accessToken) return undefined
  const refreshToken = textMemberOf(body, 'refresh_token') || undefined
  return { accessToken, refreshToken, scope: textMemberOf(body, 'scope') }
}
