import { oauthError, type ServiceResponse, tooManyRequests } from '../http/types.ts'
import type { Allowance } from '../limits/allowance.ts'
import type { Emitted } from './emit.ts'

/** Ends a request, wherever it is thrown: the service sends this response, and emits the event. */
export class RefusedRequest extends Error {
  readonly response: ServiceResponse
  readonly event: Emitted | undefined

  constructor(response: ServiceResponse, event?: Emitted) {
    super(`refused with status ${response.status}`)
    this.response = response
    this.event = event
  }
}

export function refuse(...error: Parameters<typeof oauthError>): never {
  throw new RefusedRequest(oauthError(...error))
}

/** Refuses a request that a limit does not allow. The host receives an event for the first one in a time window. */
export function refuseAbove(
  allowance: Allowance,
  facts: { readonly client?: string; readonly grant?: string; readonly family?: string } = {},
): void {
  if (allowance.ok) return
  const { limit, retryAfter, isFirst } = allowance
  const event = { type: 'limited', limit, retryAfter, ...facts } as const
  throw new RefusedRequest(tooManyRequests(retryAfter), isFirst ? event : undefined)
}
