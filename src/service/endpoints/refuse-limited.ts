import type { Emit } from '../host/emit.ts'
import type { ClientAddress } from '../host/hooks.ts'
import { requestOrigin } from '../http/request-origin.ts'
import { type ServiceRequest, type ServiceResponse, tooManyRequests } from '../http/types.ts'
import type { Refusal } from '../limits/allowance.ts'

/** What a refusal needs to be told. */
export interface LimitedEndpoint {
  readonly emit: Emit | undefined
  readonly clientAddress: ClientAddress
}

/** Refuses a request that a limit does not allow, and tells the host of the first one in a time window. */
export async function refuseLimited(
  { emit, clientAddress }: LimitedEndpoint,
  request: ServiceRequest,
  { limit, retryAfter, isFirst }: Refusal,
  known: { readonly client?: string; readonly grant?: string; readonly family?: string } = {},
): Promise<ServiceResponse> {
  const origin = requestOrigin(request, clientAddress(request))
  if (isFirst) await emit?.({ type: 'limited', limit, retryAfter, origin, ...known })
  return tooManyRequests(retryAfter)
}
