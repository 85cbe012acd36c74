import type { CodesAnswer, CodesRequest } from '../../machines/device-authorization.ts'
import { type Answer, brings, errorCodeOf } from '../protocol/response.ts'
import { parseDeviceCodes } from '../protocol/device-codes.ts'
import { refusalOf } from '../protocol/refusal.ts'
import { joinScopes } from '../protocol/scopes.ts'
import { post } from './exchange.ts'

/**
 * Asks for a device code and a user code.
 *
 * @throws RefusedError where the service gives an error instead of codes, and what `post` throws.
 * @see Spec 4.1
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.1 RFC 8628, section 3.1}
 */
export async function requestCodes(request: CodesRequest, signal: AbortSignal): Promise<CodesAnswer> {
  const { scopes, profile, clock } = request
  const sentAt = clock.now()
  const answer = await post(
    profile.deviceAuthorizationEndpoint,
    { scope: joinScopes(scopes, profile.scopeSeparator) },
    request,
    signal,
  )
  if (isRefusal(answer)) throw refusalOf(answer)
  return { codes: parseDeviceCodes(answer.body), sentAt, at: answer.at }
}

/** Some send errors with status 200. */
function isRefusal({ body, status }: Answer): boolean {
  return !brings(body, 'device_code') && (status >= 400 || errorCodeOf(body) !== undefined)
}
