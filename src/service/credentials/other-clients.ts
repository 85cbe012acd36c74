import { BadResponseError } from '../../errors.ts'
import { checkClient } from '../host/check-options.ts'
import { inTenSeconds } from '../host/hooks.ts'
import type { Policy } from '../host/policy.ts'
import { refuseAbove } from '../host/refused-request.ts'
import { HostMistakeError } from '../http/types.ts'
import { keepUntilSettled } from '../limits/keep-until-settled.ts'
import type { Limiter } from '../limits/limiter.ts'
import { hash } from '../stores/hash.ts'
import type { Records } from '../stores/records.ts'
import { type ClientDocuments, createClientDocuments } from './client-documents.ts'
import type { ClientRecord } from './client-record.ts'
import { type FindClient, type KnownClient, knownClient, type OtherClients } from './clients.ts'
import type { Registration } from './registered-clients.ts'

/** Characters of the longest client ID that is looked up. */
const LONGEST_ID = 2048

/** Clients that this process has stored: each is written once. Beyond this number, again. */
const MOST_NOTED = 10_000

/** Milliseconds for which the last document is used while a new one cannot be fetched, and between two tries then. */
const STALE = 24 * 60 * 60 * 1000
const RETRY = 60 * 1000

/** Milliseconds for which a document is stored: longer than any login that began with it. */
const KEPT = 366 * 24 * 60 * 60 * 1000

export interface SourcesOfClients {
  readonly findClient: FindClient | undefined
  readonly registration: Registration | undefined
  readonly documents: ClientDocuments | undefined
}

interface ClientLookup {
  readonly records: Records<ClientRecord>
  readonly policy: Policy | undefined
  readonly limiter: Limiter
  readonly clock: { now(): number }
  readonly onError: (error: unknown) => void
}

/** Looks up clients of a function, clients that have registered, and those that publish a document. */
export function createOtherClients(
  { findClient, registration, documents: accepted }: SourcesOfClients,
  { records, policy, limiter, clock, onError }: ClientLookup,
): OtherClients {
  const documents = accepted && createClientDocuments(accepted)
  const noted = new Set<string>()
  const fetching = new Map<string, Promise<ClientRecord | undefined>>()

  async function ask(clientId: string): Promise<KnownClient | undefined> {
    const found = await inTenSeconds('the function clients', findClient?.(clientId))
    if (found === undefined || found === null) return undefined
    assertClient(found)
    const client = await knownClient(found, policy)
    return client.clientId.reveal() === clientId ? client : undefined
  }

  /** The client of a record, unless the options have changed since. */
  async function fromRecord({ clientId, registered, document }: ClientRecord) {
    if (registered && registration) {
      const { name, secret } = registered
      return { ...(await knownClient({ ...registration, clientId, name }, policy)), secret, unverified: {} }
    }
    if (document && accepted && documents?.accepts(clientId)) {
      const known = await knownClient({ ...accepted, clientId, name: document.name }, policy)
      return { ...known, unverified: { host: new URL(clientId).host } }
    }
    return undefined
  }

  async function fetchDocument(
    reference: string,
    clientId: string,
    { document }: Partial<ClientRecord>,
    address: string | undefined,
  ): Promise<ClientRecord | undefined> {
    if (document === undefined) refuseAbove(await limiter.clientDocument(address))
    const now = clock.now()
    const keep = async (fetched: ClientRecord['document']) => {
      const stored = { clientId, ...(fetched && { document: fetched }) }
      await records.change(reference, () => ({ result: undefined, value: stored, expiresAt: now + KEPT }))
      return stored
    }
    try {
      const { name, freshFor } = (await documents?.fetch(clientId)) ?? { name: '', freshFor: 0 }
      const freshUntil = now + freshFor * 1000
      return await keep({ name, freshUntil, staleUntil: freshUntil + STALE })
    } catch (error) {
      onError(error)
      // A document that was withdrawn ends its client, one that cannot be fetched at the moment does not.
      if (error instanceof BadResponseError || document === undefined || now >= document.staleUntil)
        return undefined
      return keep({ ...document, freshUntil: now + RETRY })
    }
  }

  async function documentOf(
    clientId: string,
    address: string | undefined,
  ): Promise<ClientRecord | undefined> {
    const reference = await hash(clientId)
    const stored = await records.find(reference)
    if (stored?.document && clock.now() < stored.document.freshUntil) return stored
    const fetch = () => fetchDocument(reference, clientId, stored ?? {}, address)
    return fetching.get(clientId) ?? keepUntilSettled(fetching, clientId, fetch())
  }

  return {
    async find(clientId, address) {
      if (clientId.length > LONGEST_ID) return undefined
      const client = await ask(clientId)
      if (client) {
        if (!noted.has(client.reference)) {
          await records.put(client.reference, { clientId })
          if (noted.size >= MOST_NOTED) noted.clear()
          noted.add(client.reference)
        }
        return client
      }
      const stored = documents?.accepts(clientId)
        ? await documentOf(clientId, address)
        : registration && (await records.find(await hash(clientId)))
      return stored && fromRecord(stored)
    },
    async at(reference) {
      const stored = await records.find(reference)
      return stored && ((await fromRecord(stored)) ?? ask(stored.clientId))
    },
  }
}

/** The service itself works, so this is no error of its options. */
function assertClient(found: unknown): void {
  try {
    checkClient(found)
  } catch (error) {
    throw new HostMistakeError(
      `the function clients returned no valid client: ${String(Object(error).message)}`,
    )
  }
}
