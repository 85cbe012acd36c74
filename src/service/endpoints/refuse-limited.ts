import type { Refusal } from '../allowance.ts'
import type { Emit } from '../emit.ts'
import { type ServiceRequest, type ServiceResponse, tooManyRequests } from '../http/types.ts'
import type { ServiceOptions } from '../options.ts'
import { requestOrigin } from '../request-origin.ts'

/** What a refusal needs to be told. */
export interface LimitedEndpoint {
  readonly emit: Emit | undefined
  readonly clientAddress: NonNullable<ServiceOptions['clientAddress']>
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
