import type { PollRequest } from '../../machines/device-authorization.ts'
import { type AnyAuthgraphError, AuthgraphError } from '../errors.ts'
import { DEVICE_GRANT_TYPE } from '../protocol/endpoints.ts'
import { type PollAnswer, parsePollAnswer } from '../protocol/poll-response.ts'
import { post } from './exchange.ts'

/**
 * Asks once whether the user has decided. What goes wrong on the way is an answer too; only a defect rejects.
 *
 * @see Spec 4.2
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.4 RFC 8628, section 3.4}
 */
export async function pollToken(request: PollRequest, signal: AbortSignal): Promise<PollAnswer> {
  const { deviceCode, scopes, profile, clock } = request
  try {
    const answer = await post(
      profile.tokenEndpoint,
      { device_code: deviceCode, grant_type: DEVICE_GRANT_TYPE },
      request,
      signal,
    )
    return parsePollAnswer(answer, { scopes, separator: profile.scopeSeparator })
  } catch (error) {
    if (error instanceof AuthgraphError) return unanswered(error as AnyAuthgraphError, clock.now())
    throw error
  }
}

/** What asking again does not mend: a redirect, an address that may not be used, a bug in the `fetch` of the caller. */
const LASTING: readonly string[] = [
  'redirected',
  'wrong_host',
  'bad_option',
] satisfies AnyAuthgraphError['code'][]

function unanswered(error: AnyAuthgraphError, at: number): PollAnswer {
  return { type: LASTING.includes(error.code) ? 'refused' : 'fault', at, error }
}
