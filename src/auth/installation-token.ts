import { BadResponseError } from '../errors.ts'
import { isToken } from '../protocol/syntax.ts'
import { memberOf, readDate, textMemberOf } from '../request/http.ts'
import { Secret } from '../secret.ts'
import type { ApiResponse } from './create-api.ts'

/** Milliseconds before its end at which a token is replaced, at most half of its lifetime. */
const MARGIN = 300_000

/** An installation token. Times are epoch milliseconds of our clock. */
export interface InstallationToken {
  readonly token: Secret
  readonly mintedAt: number
  readonly expiresAt: number
}

/** Reads the response to a request that was sent at `mintedAt`. Throws BadResponseError, with the name of the response. */
export function readInstallationToken(
  { headers, _data: body }: ApiResponse<unknown>,
  mintedAt: number,
  name: string,
): InstallationToken {
  const token = memberOf(body, 'token')
  const end = Date.parse(textMemberOf(body, 'expires_at') ?? '')
  if (!isToken(token)) throw new BadResponseError(`the ${name} has no valid "token"`)
  if (Number.isNaN(end)) throw new BadResponseError(`the ${name} has no valid "expires_at"`)
  // Measured by the clock of the API: ours may be hours off.
  const lifetime = Math.max(0, end - (readDate(headers.get('date')) ?? mintedAt))
  return { token: new Secret(token), mintedAt, expiresAt: mintedAt + lifetime }
}

export function isNearExpiry(
  { mintedAt, expiresAt }: Omit<InstallationToken, 'token'>,
  now: number,
): boolean {
  return now >= expiresAt - Math.min(MARGIN, (expiresAt - mintedAt) / 2)
}
