import * as v from 'valibot'
import { DEVICE_GRANT_TYPE } from '../../protocol/endpoints.ts'
import { hash } from '../stores/hash.ts'
import type { Records } from '../stores/records.ts'
import { clientName } from './client-name.ts'
import type { ClientRecord } from './client-record.ts'
import type { Client } from './clients.ts'
import { newFormSecret, newId } from './random-codes.ts'

/** How clients register themselves. */
export interface Registration extends Pick<Client, 'scopes' | 'policy'> {
  /**
   * Seconds for which a registration is kept without a login: from its beginning, and from the end of each login. Default:
   * 86400, a day. A client whose registration has expired gets `invalid_client`, and can register again.
   */
  readonly unusedLifetime?: number
}

const DEFAULT_UNUSED_LIFETIME = 24 * 60 * 60

/** What a client may say of itself. All other members are ignored. */
const registrationRequest = v.object({
  client_name: clientName,
  grant_types: v.pipe(
    v.array(v.string()),
    v.check((types) => types.includes(DEVICE_GRANT_TYPE)),
  ),
  token_endpoint_auth_method: v.nullish(
    v.picklist(['none', 'client_secret_basic', 'client_secret_post']),
    'none',
  ),
})

export interface NewClient {
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly reference: string
  readonly name: string
  readonly method: string
  /** Epoch milliseconds. */
  readonly issuedAt: number
}

export function createRegisteredClients(
  { unusedLifetime = DEFAULT_UNUSED_LIFETIME }: Registration,
  { records, clock }: { readonly records: Records<ClientRecord>; readonly clock: { now(): number } },
) {
  return {
    /** Registers a client; returns the name of the member that is not valid, if there is one. */
    async register(asked: unknown): Promise<NewClient | { readonly invalid: string }> {
      const { success, output, issues } = v.safeParse(registrationRequest, asked)
      if (!success) return { invalid: String(issues[0].path?.[0].key ?? 'client_name') }
      const { client_name: name, token_endpoint_auth_method: method } = output
      const clientId = newId()
      const clientSecret = method === 'none' ? undefined : newFormSecret()
      const issuedAt = clock.now()
      const until = issuedAt + unusedLifetime * 1000
      const secret = clientSecret === undefined ? {} : { secret: await hash(clientSecret) }
      const reference = await hash(clientId)
      await records.put(reference, { clientId, registered: { name, until, ...secret } }, until)
      return { clientId, clientSecret, reference, name, method, issuedAt }
    },

    /** Keeps a client longer than its login. */
    async keep(reference: string, loginEndsAt: number): Promise<void> {
      await records.change(reference, (stored) => {
        const { registered } = stored ?? {}
        const until = loginEndsAt + unusedLifetime * 1000
        if (stored === undefined || registered === undefined || registered.until >= until)
          return { result: undefined }
        return {
          result: undefined,
          value: { ...stored, registered: { ...registered, until } },
          expiresAt: until,
        }
      })
    },
  }
}
