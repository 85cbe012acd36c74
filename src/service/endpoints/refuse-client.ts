import type { FoundClient } from '../credentials/clients.ts'
import type { DialectRules } from '../grants/dialect.ts'
import { oauthError, type ServiceRequest, type ServiceResponse } from '../http/types.ts'
import type { Limiter } from '../limits/limiter.ts'
import { type LimitedEndpoint, refuseLimited } from './refuse-limited.ts'

/**
 * Responds to a request whose client is missing or unknown.
 *
 * @param at The endpoint: the status for an unknown client depends on it.
 */
export async function refuseClient(
  service: LimitedEndpoint & { readonly dialect: DialectRules; readonly limiter: Limiter },
  request: ServiceRequest,
  refused: Extract<FoundClient, { ok: false }>,
  at: 'atCodes' | 'atPoll',
): Promise<ServiceResponse> {
  const { limiter, clientAddress } = service
  const { unknownClient } = service.dialect
  switch (refused.why) {
    case 'missing':
      return oauthError(400, 'invalid_request', 'the field client_id is missing')
    case 'contradictory':
      return oauthError(400, 'invalid_request', 'the body and the header name different clients')
    case 'unreadable':
      return oauthError(400, 'invalid_request', 'the header Authorization cannot be read')
    case 'limited':
      return refuseLimited(service, request, refused, { client: refused.client })
    case 'unknown': {
      const allowed = await limiter.unknownClient(clientAddress(request))
      return allowed.ok
        ? oauthError(unknownClient[at], unknownClient.error, 'the client is unknown')
        : refuseLimited(service, request, allowed)
    }
  }
}
