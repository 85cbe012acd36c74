import { Secret } from '../../secret.ts'
import { type EffectivePolicy, effectivePolicy, mayMustType, type Policy } from '../host/policy.ts'
import { refuse, refuseAbove } from '../host/refused-request.ts'
import type { ServiceRequest } from '../http/types.ts'
import type { Limiter } from '../limits/limiter.ts'
import { hash, same } from '../stores/hash.ts'

/** A client that may request codes. */
export interface Client {
  /** The client ID, `client_id` in requests. */
  readonly clientId: string | Secret
  /**
   * The client secret, random with at least 128 bits. Default: none, as for every program that users install: anyone who
   * knows the client ID can act as the client.
   *
   * The client must send it with every request, in the body or in a Basic header. Guesses are limited, but the right secret
   * is accepted at any time.
   *
   * In the dialect `github`, as at GitHub, the client may log in without its secret: anyone who knows the client ID can ask
   * users to approve. A wrong secret is refused, and only the right one refreshes or revokes.
   */
  readonly clientSecret?: string | Secret
  /** The name that users see on the verification page. */
  readonly name: string
  /** The scopes that the client may request; others are refused with `invalid_scope`. Default: any. */
  readonly scopes?: readonly string[]
  /** Rules against phishing for this client. Default: those of the service's `policy`, for each missing rule. */
  readonly policy?: Policy
  /**
   * Whether tokens are bound to a key of the client, if the service has the option `dpop`: never (`off`), if the client
   * sends proofs (`allowed`), or always (`required`), so that a poll or refresh without a proof is refused. Default:
   * `allowed`.
   */
  readonly dpop?: 'off' | 'allowed' | 'required'
}

/**
 * Finds a client by its ID, within ten seconds; `undefined` if there is none. Compare IDs exactly: a client with another ID, such
 * as one in other letter case, counts as unknown.
 */
export type FindClient = (clientId: string) => Client | undefined | Promise<Client | undefined>

/** A client of the service. */
export interface KnownClient {
  /** The hash of its ID. The ID of a client that is listed is a secret, so the store holds only the hash. */
  readonly reference: string
  readonly clientId: Secret
  readonly name: string
  readonly scopes: readonly string[] | undefined
  readonly secret: string | undefined
  readonly policy: EffectivePolicy | undefined
  readonly dpop: 'off' | 'allowed' | 'required'
  /** Set if nobody has checked its name. `host` publishes its client ID metadata document. */
  readonly unverified?: { readonly host?: string }
}

export interface FoundClient {
  readonly client: KnownClient
  /** Whether it sent its secret, which is right. */
  readonly sentSecret: boolean
}

/** The fields of a body that say which client sends it. */
export interface ClientFields {
  readonly client_id?: string
  readonly client_secret?: string
}

/** Clients that are not listed. */
export interface OtherClients {
  /**
   * Finds a client by its ID.
   *
   * @param address Whose request names it.
   */
  find(clientId: string, address: string | undefined): Promise<KnownClient | undefined>
  /** Finds a client that was found by its ID before, by the hash of the ID. */
  at(reference: string): Promise<KnownClient | undefined>
}

interface Lookup {
  readonly limiter: Limiter
  readonly policy: Policy | undefined
  readonly others?: OtherClients | undefined
}

/** Looks up the clients that may request codes. Guesses of their secrets are limited; a right one is always accepted. */
export function createClients(clients: readonly Client[], { limiter, policy, others }: Lookup) {
  const known = index(clients, policy)

  return {
    /** Whether the users of a client may have to type their code. Nobody knows what a client that is not listed wants. */
    mayMustType:
      others !== undefined || clients.some(({ policy: own }) => mayMustType(effectivePolicy(policy, own))),

    /**
     * Finds the client of a request by the fields `client_id` and `client_secret`, or by a Basic header. The password in the
     * header of a client without a secret is empty; its field `client_secret` is ignored. RFC 6749, section 2.3.1.
     *
     * @param how Whether a client that has a secret must send it (a wrong one is refused in any case), and who asks.
     * @returns `undefined` if the client is unknown, or its secret wrong.
     * @throws RefusedRequest if the request names no client, or not one, and after too many wrong secrets.
     */
    async of(
      request: ServiceRequest,
      { client_id: inBody, client_secret = '' }: ClientFields,
      { needsSecret = true, address }: { readonly needsSecret?: boolean; readonly address?: string } = {},
    ): Promise<FoundClient | undefined> {
      const header = readBasic(request.header('authorization'))
      if (header === 'unreadable')
        return refuse(400, 'invalid_request', 'the header Authorization cannot be read')
      const given = header ?? (inBody === undefined ? [] : [{ clientId: inBody, password: client_secret }])
      if (given.length === 0) return refuse(400, 'invalid_request', 'the field client_id is missing')
      const readings = given.filter(({ clientId }) => inBody === undefined || inBody === clientId)
      if (readings.length === 0)
        return refuse(400, 'invalid_request', 'the body and the header name different clients')
      const { byId } = await known
      const tried: (FoundClient & { readonly isRight: boolean })[] = []
      for (const { clientId, password } of readings) {
        const client = byId.get(clientId) ?? (await others?.find(clientId, address))
        if (client === undefined) continue
        const isRight =
          client.secret === undefined
            ? header === undefined || password === ''
            : (!needsSecret && password === '') || same(await hash(password), client.secret)
        tried.push({ client, isRight, sentSecret: client.secret !== undefined && password !== '' })
      }
      const right = tried.find(({ isRight }) => isRight)
      if (right) return right
      // Each reading of a wrong secret is a guess.
      for (const { client } of tried) {
        if (client.secret === undefined) continue
        refuseAbove(await limiter.wrongSecret(client.reference), { client: client.reference })
      }
      return undefined
    },

    /** Finds a client by its hash. */
    at: async (reference: string) => (await known).byReference.get(reference) ?? others?.at(reference),
  }
}

async function index(clients: readonly Client[], policy: Policy | undefined) {
  const known = await Promise.all(clients.map((client) => knownClient(client, policy)))
  return {
    byId: new Map(known.map((client) => [client.clientId.reveal(), client])),
    byReference: new Map(known.map((client) => [client.reference, client])),
  }
}

/** @param ofService The policy of the service. */
export async function knownClient(client: Client, ofService: Policy | undefined): Promise<KnownClient> {
  const { name, scopes, clientSecret, policy: own, dpop = 'allowed' } = client
  const clientId = Secret.of(client.clientId)
  const secret = clientSecret && (await hash(Secret.of(clientSecret).reveal()))
  const policy = effectivePolicy(ofService, own)
  return { reference: await hash(clientId.reveal()), clientId, name, scopes, secret, policy, dpop }
}

interface Reading {
  readonly clientId: string
  readonly password: string
}

/**
 * Reads a Basic header. Both parts are form-encoded before they go into it, but many clients send them as they are: the
 * second reading, if it differs. RFC 6749, section 2.3.1.
 */
function readBasic(header: string | undefined): readonly Reading[] | 'unreadable' | undefined {
  const [, encoded] = /^basic +(.*)$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  const [, clientId, password = ''] = /^([^:]+):(.*)$/.exec(fromBase64(encoded)) ?? []
  if (clientId === undefined) return 'unreadable'
  const raw = { clientId, password }
  try {
    const decoded = { clientId: decodeForm(clientId), password: decodeForm(password) }
    return decoded.clientId === clientId && decoded.password === password ? [raw] : [decoded, raw]
  } catch {
    return [raw]
  }
}

/** An empty text if it is not base64. */
function fromBase64(encoded: string): string {
  try {
    return atob(encoded)
  } catch {
    return ''
  }
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
