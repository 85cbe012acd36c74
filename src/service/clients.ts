import { Secret } from '../secret.ts'
import { ALLOWED, type Refusal } from './allowance.ts'
import { hash, same } from './credentials/hash.ts'
import type { ServiceRequest } from './http/types.ts'
import type { Limiter } from './limiter.ts'
import type { Client, ServiceOptions } from './options.ts'

/** A client of the service. */
export interface KnownClient {
  /** The hash of its id. The id itself is a secret, so the store holds only the hash. */
  readonly reference: string
  readonly clientId: Secret
  readonly name: string
  readonly scopes: readonly string[] | undefined
  /** The hash of its secret, if it has one. */
  readonly secret: string | undefined
}

/** The client of a request, or why it could not be found. */
export type FoundClient =
  | { readonly ok: true; readonly client: KnownClient }
  | { readonly ok: false; readonly why: 'missing' | 'contradictory' | 'unreadable' | 'unknown' }
  | (Refusal & { readonly why: 'limited' })

/** The fields of a body that say which client sends it. */
export interface ClientFields {
  readonly client_id?: string
  readonly client_secret?: string
}

interface Index {
  readonly byId: ReadonlyMap<string, KnownClient>
  readonly byReference: ReadonlyMap<string, KnownClient>
}

/** Looks up the clients that may request codes. Guesses of their secrets are limited like passwords. */
export function createClients(
  clients: readonly Client[],
  {
    limiter,
    clientAddress,
  }: {
    readonly limiter: Limiter
    readonly clientAddress: NonNullable<ServiceOptions['clientAddress']>
  },
) {
  const known = index(clients)

  return {
    /**
     * Finds the client of a request by the fields `client_id` and `client_secret`, or by a Basic header. The password in the
     * header of a client without a secret is empty; its field `client_secret` is ignored.
     *
     * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-2.3.1 RFC 6749, section 2.3.1}
     */
    async of(
      request: ServiceRequest,
      { client_id: inBody, client_secret = '' }: ClientFields,
    ): Promise<FoundClient> {
      const header = readBasic(request.header('authorization'))
      if (header === 'unreadable') return { ok: false, why: 'unreadable' }
      const clientId = header?.clientId ?? inBody
      if (clientId === undefined) return { ok: false, why: 'missing' }
      if (inBody !== undefined && inBody !== clientId) return { ok: false, why: 'contradictory' }
      const client = (await known).byId.get(clientId)
      if (client === undefined) return { ok: false, why: 'unknown' }
      const { reference, secret } = client
      const isRight =
        secret === undefined
          ? (header?.password ?? '') === ''
          : same(await hash(header?.password ?? client_secret), secret)
      const username = `client:${reference}`
      const allowed =
        secret === undefined ? ALLOWED : await limiter.password(clientAddress(request), { username, isRight })
      if (!allowed.ok) return { ...allowed, why: 'limited' }
      return isRight ? { ok: true, client } : { ok: false, why: 'unknown' }
    },

    /** Finds a client by its hash. */
    at: async (reference: string) => (await known).byReference.get(reference),
  }
}

export type Clients = ReturnType<typeof createClients>

async function index(clients: readonly Client[]): Promise<Index> {
  const known = await Promise.all(
    clients.map(async ({ clientId, clientSecret, name, scopes }) => {
      const id = Secret.of(clientId)
      const secret = clientSecret && (await hash(Secret.of(clientSecret).reveal()))
      return { reference: await hash(id.reveal()), clientId: id, name, scopes, secret }
    }),
  )
  return {
    byId: new Map(known.map((client) => [client.clientId.reveal(), client])),
    byReference: new Map(known.map((client) => [client.reference, client])),
  }
}

/** Both are form-encoded before they go into the header. RFC 6749, section 2.3.1. */
function readBasic(
  header: string | undefined,
): { readonly clientId: string; readonly password: string } | 'unreadable' | undefined {
  const [, encoded] = /^basic +(.*)$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  try {
    const [, clientId = '', password = ''] = /^([^:]+):(.*)$/.exec(atob(encoded)) ?? []
    return clientId === ''
      ? 'unreadable'
      : { clientId: formDecoded(clientId), password: formDecoded(password) }
  } catch {
    return 'unreadable'
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
