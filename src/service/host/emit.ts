import type { Secret } from '../../secret.ts'
import { requestOrigin } from '../http/request-origin.ts'
import type { ServiceRequest } from '../http/types.ts'
import type { ServiceEvent } from './events.ts'
import { harmless } from './harmless.ts'
import type { ClientAddress } from './hooks.ts'

/** An event as the parts of the service emit it: with the hash of the client's ID, and without the time. */
export type Emitted = ServiceEvent extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'at' | 'client'> & { readonly client?: string }
    : never
  : never

interface Audit {
  readonly onEvent: ((event: ServiceEvent) => void) | undefined
  readonly onError: (error: unknown) => void
  readonly clients: {
    at(reference: string): Promise<{ readonly clientId: Secret; readonly name: string } | undefined>
  }
  readonly clientAddress: ClientAddress
  readonly clock: { now(): number }
}

/**
 * Calls the listener of the host before it resolves. Never rejects.
 *
 * @param request The request that caused the event, if there is one.
 */
export type Emit = (event: Emitted, request?: ServiceRequest) => Promise<void>

/** Creates what the parts of the service emit events with. Without a listener, events cost nothing. */
export function createEmit({ onEvent, onError, clients, clientAddress, clock }: Audit): Emit {
  if (onEvent === undefined) return async () => undefined
  const notify = harmless(onEvent, onError)
  return async ({ client: reference = '', ...event }, request) => {
    const at = clock.now()
    const client = await clients.at(reference).catch(onError)
    notify({
      at,
      ...event,
      ...(request && { origin: requestOrigin(request, clientAddress(request)) }),
      ...(client && { client: { clientId: client.clientId, name: client.name } }),
    })
  }
}
