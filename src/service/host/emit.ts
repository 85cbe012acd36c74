import type { Secret } from '../../secret.ts'
import type { ServiceEvent } from './events.ts'
import { harmless } from './harmless.ts'

/** An event as the parts of the service emit it: with the hash of the client's id, and without the time. */
type Emitted = ServiceEvent extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'at' | 'client'> & { readonly client?: string }
    : never
  : never

/** Finds a client by the hash of its id. */
interface KnownClients {
  at(reference: string): Promise<{ readonly clientId: Secret; readonly name: string } | undefined>
}

/** Calls the listener of the host before it resolves. Never rejects. */
export type Emit = (event: Emitted) => Promise<void>

/** Creates what the parts of the service emit events with; `undefined` without a listener, so that events cost nothing. */
export function createEmit(
  onEvent: ((event: ServiceEvent) => void) | undefined,
  clients: KnownClients,
  clock: { now(): number },
  onError: (error: unknown) => void,
): Emit | undefined {
  if (onEvent === undefined) return undefined
  const tell = harmless(onEvent, onError)
  return async ({ client: reference = '', ...event }) => {
    const at = clock.now()
    const client = await clients.at(reference)
    tell({ at, ...event, ...(client && { client: { clientId: client.clientId, name: client.name } }) })
  }
}
