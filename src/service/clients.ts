import { Secret } from '../secret.ts'
import { hash } from './credentials/hash.ts'
import type { ServiceRequest } from './http/types.ts'
import type { Client } from './options.ts'

/** A client of the service. */
export interface KnownClient {
  /** The hash of its id. The id itself is a secret, so the store holds only the hash. */
  readonly reference: string
  readonly clientId: Secret
  readonly name: string
  readonly scopes: readonly string[] | undefined
}

/** The client of a request, or why it could not be found. */
export type FoundClient =
  | { readonly ok: true; readonly client: KnownClient }
  | { readonly ok: false; readonly why: 'missing' | 'contradictory' | 'unreadable' | 'unknown' }

interface Index {
  readonly byId: ReadonlyMap<string, KnownClient>
  readonly byReference: ReadonlyMap<string, KnownClient>
}

/** Looks up the clients that may request codes. */
export function createClients(clients: readonly Client[]) {
  const known = index(clients)

  async function find(clientId: string): Promise<FoundClient> {
    const client = (await known).byId.get(clientId)
    return client ? { ok: true, client } : { ok: false, why: 'unknown' }
  }

  return {
    /** Finds the client of a request by the field `client_id`, or by a Basic header with an empty password. */
    async of(request: ServiceRequest, inBody: string | undefined): Promise<FoundClient> {
      const header = readBasic(request.header('authorization'))
      if (header === undefined) return inBody === undefined ? { ok: false, why: 'missing' } : find(inBody)
      if (header === 'unreadable') return { ok: false, why: 'unreadable' }
      if (inBody !== undefined && inBody !== header.clientId) return { ok: false, why: 'contradictory' }
      // Clients are public and have no password, so no password can be right.
      return header.password === '' ? find(header.clientId) : { ok: false, why: 'unknown' }
    },

    /** Finds a client by its hash. */
    at: async (reference: string) => (await known).byReference.get(reference),
  }
}

export type Clients = ReturnType<typeof createClients>

async function index(clients: readonly Client[]): Promise<Index> {
  const known = await Promise.all(
    clients.map(async ({ clientId, name, scopes }) => {
      const secret = Secret.of(clientId)
      return { reference: await hash(secret.reveal()), clientId: secret, name, scopes }
    }),
  )
  return {
    byId: new Map(known.map((client) => [client.clientId.reveal(), client])),
    byReference: new Map(known.map((client) => [client.reference, client])),
  }
}

/** The id is form-encoded before it goes into the header. RFC 6749, section 2.3.1. */
function readBasic(
  header: string | undefined,
): { readonly clientId: string; readonly password: string } | 'unreadable' | undefined {
  const [, encoded] = /^basic +(.*)$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  try {
    const [, clientId = '', password = ''] = /^([^:]+):(.*)$/.exec(atob(encoded)) ?? []
    return clientId === ''
      ? 'unreadable'
      : { clientId: decodeURIComponent(clientId.replaceAll('+', ' ')), password }
  } catch {
    return 'unreadable'
  }
}
