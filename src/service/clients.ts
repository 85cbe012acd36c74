import { Secret } from '../secret.ts'
import { hash } from './hash.ts'
import type { ServiceRequest } from './http.ts'
import type { Client } from './options.ts'
import type { Fields } from './read-fields.ts'

/** A client as the service knows it. */
export interface KnownClient {
  readonly clientId: Secret
  readonly name: string
  /** The hash of its id, by which the store names it. */
  readonly key: string
}

/** The client of a request, or why there is none. */
export type FoundClient =
  | { readonly ok: true; readonly client: KnownClient }
  | { readonly ok: false; readonly why: 'missing' | 'contradictory' | 'unknown' }

/** Finds clients by the field `client_id`, by a Basic header with an empty password, or by their keys. */
export function createClients(clients: readonly Client[]) {
  const known = Promise.all(
    clients.map(async ({ clientId, name }): Promise<KnownClient> => {
      const secret = Secret.of(clientId)
      return { clientId: secret, name, key: await hash(secret.reveal()) }
    }),
  ).then((all) => new Map(all.map((client) => [client.key, client])))

  return {
    async of(request: ServiceRequest, { fields }: Extract<Fields, { ok: true }>): Promise<FoundClient> {
      const inBody = fields.get('client_id')
      const inHeader = readBasicId(request.header('authorization'))
      if (inBody && inHeader && inBody !== inHeader) return { ok: false, why: 'contradictory' }
      const clientId = inBody ?? inHeader
      if (!clientId) return { ok: false, why: 'missing' }
      const client = (await known).get(await hash(clientId))
      return client === undefined ? { ok: false, why: 'unknown' } : { ok: true, client }
    },

    /** `undefined` for a client that was taken off the list since. */
    byKey: async (key: string): Promise<KnownClient | undefined> => (await known).get(key),
  }
}

export type Clients = ReturnType<typeof createClients>

/** RFC 6749, section 2.3.1: the id is form-encoded before it goes into the header. */
function readBasicId(header: string | undefined): string | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  try {
    const [id = '', ...password] = atob(encoded).split(':')
    if (password.join(':') !== '') return undefined
    return decodeURIComponent(id.replaceAll('+', ' ')) || undefined
  } catch {
    return undefined
  }
}
