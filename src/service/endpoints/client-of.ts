import type { ClientFields, FoundClient } from '../credentials/clients.ts'
import { refuse, refuseAbove } from '../host/refused-request.ts'
import type { ServiceRequest } from '../http/types.ts'
import type { Parts } from '../parts.ts'

/**
 * Finds the client of a request.
 *
 * @param at The endpoint: the status for an unknown client depends on it.
 * @throws RefusedRequest if the client is missing or unknown.
 */
export async function clientOf(
  { clients, limiter, clientAddress, dialect }: Parts,
  request: ServiceRequest,
  fields: ClientFields,
  { at, needsSecret }: { readonly at: 'atCodes' | 'atPoll'; readonly needsSecret: boolean },
): Promise<FoundClient> {
  const address = clientAddress(request)
  const found = await clients.of(request, fields, { needsSecret, ...(address !== undefined && { address }) })
  if (found) return found
  refuseAbove(await limiter.unknownClient(address))
  const { error, [at]: status } = dialect.unknownClient
  return refuse(status, error, 'the client is unknown')
}
