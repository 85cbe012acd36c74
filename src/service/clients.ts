import { Secret } from '../secret.ts'
import type { ServiceRequest } from './http.ts'
import type { Client } from './options.ts'
import type { Fields } from './read-fields.ts'

/** A client by the id that it sends, or why there is none. */
export type FoundClient =
  | { readonly ok: true; readonly clientId: string; readonly name: string }
  | { readonly ok: false; readonly why: 'missing' | 'contradictory' | 'unknown' }

/** Finds the client of a request, by the field `client_id` or by a Basic header with an empty password. */
export function createClients(clients: readonly Client[]) {
  const names = new Map(clients.map(({ clientId, name }) => [Secret.of(clientId).reveal(), name]))
  return {
    of(request: ServiceRequest, { fields }: Extract<Fields, { ok: true }>): FoundClient {
      const inBody = fields.get('client_id')
      const inHeader = readBasicId(request.header('authorization'))
      if (inBody && inHeader && inBody !== inHeader) return { ok: false, why: 'contradictory' }
      const clientId = inBody ?? inHeader
      if (!clientId) return { ok: false, why: 'missing' }
      const name = names.get(clientId)
      return name === undefined ? { ok: false, why: 'unknown' } : { ok: true, clientId, name }
    },
    nameOf: (clientId: string) => names.get(clientId) ?? 'An application',
  }
}

export type Clients = ReturnType<typeof createClients>

/** RFC 6749, section 2.3.1: the id is form-encoded before it goes into the header. */
function readBasicId(header: string | undefined): string | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  try {
    const [id = ''] = atob(encoded).split(':')
    return decodeURIComponent(id.replaceAll('+', ' ')) || undefined
  } catch {
    return undefined
  }
}
