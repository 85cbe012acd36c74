import { BadOptionError } from '../errors.ts'
import type { ClientAuthentication } from '../protocol/client-authentication.ts'
import type { Clock } from '../request/options.ts'
import type { Secret } from '../secret.ts'
import type { Store } from '../store/store.ts'
import { type Issuer, inTime } from './find-issuer.ts'
import { readClient, readRecord } from './records.ts'
import { CREATE_CLIENT, registerClient } from './register-client.ts'

/** A client at one issuer. */
export interface IssuerClient {
  /** The client ID. */
  readonly clientId: string | Secret
  /** How a confidential client authenticates. Default: none. */
  readonly clientAuthentication?: ClientAuthentication | undefined
}

interface ClientSources {
  readonly given: Readonly<Record<string, IssuerClient>>
  /** The URL of a client ID metadata document. */
  readonly document: string | undefined
  /** The name of a registered client. */
  readonly name: string
  readonly store: Store
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
}

/** The clients at issuers: given, described by a document, or registered and stored. Each is for one issuer only. */
export function createIssuerClients({ given, document, name, store, fetch, clock }: ClientSources) {
  const keyOf = (issuer: string) => `mcp client ${issuer}`

  async function find(issuer: string): Promise<IssuerClient | undefined> {
    if (Object.hasOwn(given, issuer)) return given[issuer]
    const stored = readClient(await readRecord(store, keyOf(issuer)))
    if (stored === undefined) return undefined
    const { clientId, clientSecret, method } = stored.secret
    if (clientSecret === undefined) return { clientId }
    return { clientId, clientAuthentication: { clientSecret, ...(method && { method }) } }
  }

  /** Another process may have registered one meanwhile, for another server: that one stays, since its login needs it. */
  async function keep(issuer: string, secret: object): Promise<void> {
    const value = { v: 1, secret: JSON.parse(JSON.stringify(secret)) }
    await store.update<void>(keyOf(issuer), (stored) => ({
      result: undefined,
      ...(stored === undefined && { value }),
    }))
  }

  return {
    isGiven: (issuer: string) => Object.hasOwn(given, issuer),
    find,
    /**
     * Finds the client at an issuer, or registers one.
     *
     * @throws {@link BadOptionError} if the issuer does not register clients.
     */
    async findOrRegister({ url, registrationEndpoint, acceptsDocuments }: Issuer): Promise<IssuerClient> {
      const found = await find(url)
      if (found) return found
      if (document !== undefined && acceptsDocuments) {
        await keep(url, { clientId: document })
        return { clientId: document }
      }
      if (registrationEndpoint === undefined)
        throw new BadOptionError(`${url} does not register clients: ${CREATE_CLIENT}`)
      const registered = await inTime(new URL(registrationEndpoint), clock, (signal) =>
        registerClient(registrationEndpoint, name, { fetch, clock }, signal),
      )
      await keep(url, registered)
      return (await find(url)) as IssuerClient
    },
    /** Forgets a client that its issuer no longer knows, unless another process has replaced it. */
    forget: (issuer: string, { clientId }: IssuerClient) =>
      store.update<void>(keyOf(issuer), (stored) => ({
        result: undefined,
        ...(readClient(stored)?.secret.clientId === clientId && { value: null }),
      })),
  }
}
