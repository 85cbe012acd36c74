import { withDeadline } from '../../store/deadline.ts'
import { checkClient } from '../host/check-options.ts'
import type { Policy } from '../host/policy.ts'
import { HostMistakeError } from '../http/types.ts'
import type { Records } from '../stores/records.ts'
import { type FindClient, type KnownClient, knownClient, type OtherClients } from './clients.ts'

/** Milliseconds within which the function of the host must return. */
const FIND_TIMEOUT = 10_000

/** Characters of the longest client ID that is looked up. */
const LONGEST_ID = 2048

/** Clients that this process has stored: each is written once. Beyond this number, again. */
const MOST_NOTED = 10_000

/** What the store holds about a client that is not listed. */
export interface StoredClient {
  /** Its id, to ask the host about it: grants and tokens hold only the hash. */
  readonly clientId: string
}

/** Looks up clients with a function of the host. */
export function createOtherClients(
  findClient: FindClient,
  { records, policy }: { readonly records: Records<StoredClient>; readonly policy: Policy | undefined },
): OtherClients {
  const noted = new Set<string>()

  async function find(clientId: string): Promise<KnownClient | undefined> {
    if (clientId.length > LONGEST_ID) return undefined
    const found = await withDeadline(FIND_TIMEOUT, findClient(clientId), tookTooLong)
    if (found === undefined || found === null) return undefined
    assertClient(found)
    const client = await knownClient(found, policy)
    return client.clientId.reveal() === clientId ? client : undefined
  }

  return {
    async find(clientId) {
      const client = await find(clientId)
      if (client && !noted.has(client.reference)) {
        await records.put(client.reference, { clientId })
        if (noted.size >= MOST_NOTED) noted.clear()
        noted.add(client.reference)
      }
      return client
    },
    async at(reference) {
      const stored = await records.find(reference)
      return stored && find(stored.clientId)
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

function tookTooLong(): Error {
  return new Error('the function clients took longer than ten seconds')
}
