import type { PollRequest } from '../../machines/device-context.ts'
import { type AnyAuthgraphError, AuthgraphError } from '../errors.ts'
import { DEVICE_GRANT_TYPE } from '../protocol/endpoints.ts'
import { type PollResponse, parsePollResponse } from '../protocol/poll-response.ts'
import { post } from './exchange.ts'

/**
 * Polls once. Every failure of the request is a result too; the promise rejects only if there is a bug.
 * RFC 8628, section 3.4.
 */
export async function pollToken(request: PollRequest, signal: AbortSignal): Promise<PollResponse> {
  const { deviceCode, codeVerifier, dpopKey, flow } = request
  const { scopes, resource, provider, clock, dpop } = flow
  try {
    const response = await post(
      provider.tokenEndpoint,
      { device_code: deviceCode, grant_type: DEVICE_GRANT_TYPE, resource, code_verifier: codeVerifier },
      flow,
      signal,
      dpopKey,
    )
    return parsePollResponse(response, { scopes, separator: provider.scopeSeparator, dpopKey, dpop })
  } catch (error) {
    if (error instanceof AuthgraphError) return withoutResponse(error as AnyAuthgraphError, clock.now())
    throw error
  }
}

/** Errors that another poll cannot fix: a redirect, a URL that must not be used, a bug in the caller's `fetch`. */
const LASTING: readonly string[] = [
  'redirected',
  'wrong_host',
  'bad_option',
] satisfies AnyAuthgraphError['code'][]

function withoutResponse(error: AnyAuthgraphError, at: number): PollResponse {
  if (LASTING.includes(error.code)) return { type: 'refused', at, error }
  return { type: 'fault', at, error, ...(isTimeout(error) && { slow: 'timeout' }) }
}

/** Whether the poll timed out, by the limit of the system or of the caller's `fetch`: ours ends the poll itself. */
function isTimeout(error: AnyAuthgraphError): boolean {
  if (error.code !== 'unreachable') return error.code === 'timed_out'
  const { reason = '', cause } = error
  return /TIMED?OUT$/.test(reason) || (cause instanceof Error && cause.name === 'TimeoutError')
}
