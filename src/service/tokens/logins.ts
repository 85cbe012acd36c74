import type { User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import type { Emit } from '../host/emit.ts'
import type { ServiceRequest } from '../http/types.ts'
import { hash } from '../stores/hash.ts'
import type { Records } from '../stores/records.ts'
import { userKey } from '../stores/user-id.ts'
import type { Families } from './families.ts'
import { createNewest, type Entries } from './newest.ts'
import type { AccessTokenRecord, Tokens } from './tokens.ts'

/**
 * The result of revoking a token: `unknown`: it is not valid, or not any more; `foreign`: it belongs to another client;
 * `unsupported`: the host signed it and verifies it, so it is valid until it expires.
 */
export type RevokedToken = 'revoked' | 'unknown' | 'foreign' | 'unsupported'

export interface Revoking {
  readonly client: string
  readonly request: ServiceRequest
}

/** Who ends a login: a client, the host, or the limit of logins for each user. */
type By = Revoking | 'host' | 'limit'

/**
 * Counts and ends the logins of users. A login is a family or, without refresh tokens, a token.
 *
 * @param max How many logins a user may have.
 */
export function createLogins(
  records: Records<Entries>,
  { families, tokens, emit }: { readonly families: Families; readonly tokens: Tokens; readonly emit: Emit },
  max: number,
  clock: { now(): number },
) {
  const newest = createNewest(records, max, clock)

  async function endFamily(id: string, by: By): Promise<boolean> {
    const family = await families.revoke(id)
    await tokens.removeOf(id)
    if (family === undefined) return false
    const { client, user } = family
    await newest.remove(await userKey(user), id)
    await emitRevoked({ client, user, family: id }, by)
    return true
  }

  async function endToken(hashed: string, by: By): Promise<void> {
    const record = await tokens.remove(hashed)
    if (record === undefined) return
    const { client, user, grant } = record
    await newest.remove(await userKey(user), hashed)
    await emitRevoked({ client, user, ...(grant && { grant }) }, by)
  }

  async function emitRevoked(
    login: Pick<AccessTokenRecord, 'client' | 'user' | 'family' | 'grant'>,
    by: By,
  ): Promise<void> {
    const [name, request] = typeof by === 'object' ? (['client', by.request] as const) : [by]
    await emit({ type: 'token.revoked', by: name, ...login }, request)
  }

  return {
    /**
     * Counts a login by the ID of its family or the hash of its token, and ends the oldest one if there are too many.
     *
     * @param expiresAt When it expires. Epoch milliseconds.
     */
    async add(user: User, login: string, expiresAt: number): Promise<void> {
      for (const oldest of await newest.add(await userKey(user), login, expiresAt))
        if (!(await endFamily(oldest, 'limit'))) await endToken(oldest, 'limit')
    },

    /** Ends the login of a family. Returns whether it was valid. */
    endFamily,

    /**
     * Revokes a token. A refresh token, whether it was spent or not, and an access token that came with one end the whole
     * login. RFC 7009, section 2.1.
     */
    async revoke(token: Secret, by: Revoking | 'host'): Promise<RevokedToken> {
      const isForeign = (owner: string) => by !== 'host' && by.client !== owner
      const known = await families.find(token)
      if (known !== undefined) {
        if (isForeign(known.family.client)) return 'foreign'
        return (await endFamily(known.id, by)) ? 'revoked' : 'unknown'
      }
      const record = await tokens.find(token)
      if (record === undefined) return 'unknown'
      if (!('client' in record)) return 'unsupported'
      const { client, family } = record
      if (isForeign(client)) return 'foreign'
      if (family !== undefined) await endFamily(family, by)
      else await endToken(await hash(token.reveal()), by)
      return 'revoked'
    },
  }
}
