import type { Origin, User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import type { Emit } from '../host/emit.ts'
import { hash } from '../stores/hash.ts'
import { userKey } from '../stores/user-id.ts'
import type { Families } from './families.ts'
import type { Newest } from './newest.ts'
import type { Tokens } from './tokens.ts'

/**
 * What became of a token: `unknown`: it is not valid, or not any more; `foreign`: it belongs to another client;
 * `unsupported`: the host signed it and verifies it, so it is valid until it expires.
 */
export type RevokedToken = 'revoked' | 'unknown' | 'foreign' | 'unsupported'

/** What ends tokens and logins. */
export interface Revocation {
  readonly families: Families
  readonly tokens: Tokens
  /** The logins of each user: the ids of families, and the hashes of tokens without one. */
  readonly logins: Newest
  readonly emit: Emit | undefined
}

/** Where the request of a client came from; `limit` if the user had too many logins; `undefined` if the host revokes. */
type Source = Origin | 'limit' | undefined

/**
 * Revokes a token. A refresh token, whether it was spent or not, and an access token that came with one end the whole
 * login.
 *
 * @param asking The client that asks; `undefined` if the host does.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7009.html#section-2.1 RFC 7009, section 2.1}
 */
export async function revokeToken(
  service: Revocation,
  token: Secret,
  asking?: { readonly client: string; readonly origin: Origin },
): Promise<RevokedToken> {
  const { families, tokens } = service
  const isForeign = (owner: string) => asking !== undefined && asking.client !== owner
  const known = await families.find(token)
  if (known !== undefined) {
    if (isForeign(known.family.client)) return 'foreign'
    return (await revokeFamily(service, known.id, asking?.origin)) ? 'revoked' : 'unknown'
  }
  const record = await tokens.find(token)
  if (record === undefined) return 'unknown'
  if (!('client' in record)) return 'unsupported'
  const { client, family } = record
  if (isForeign(client)) return 'foreign'
  if (family !== undefined) {
    await revokeFamily(service, family, asking?.origin)
    return 'revoked'
  }
  await endToken(service, await hash(token.reveal()), asking?.origin)
  return 'revoked'
}

/** Counts a login of a user, and ends the oldest one if there are too many. */
export async function countLogin(
  service: Revocation,
  user: User,
  login: string,
  expiresAt: number,
): Promise<void> {
  for (const oldest of await service.logins.add(await userKey(user), login, expiresAt))
    if (!(await revokeFamily(service, oldest, 'limit'))) await endToken(service, oldest, 'limit')
}

/** Ends a login. Returns whether it was valid. */
export async function revokeFamily(
  { families, tokens, logins, emit }: Revocation,
  id: string,
  origin?: Source,
): Promise<boolean> {
  const family = await families.revoke(id)
  await tokens.removeOf(id)
  if (family === undefined) return false
  const { client, user } = family
  await logins.remove(await userKey(user), id)
  await emit?.({ type: 'token.revoked', client, user, family: id, ...source(origin) })
  return true
}

/** Ends a token that belongs to no family. */
async function endToken({ tokens, logins, emit }: Revocation, hashed: string, origin: Source): Promise<void> {
  const record = await tokens.remove(hashed)
  if (record === undefined) return
  const { client, user, grant } = record
  await logins.remove(await userKey(user), hashed)
  await emit?.({ type: 'token.revoked', client, user, ...(grant && { grant }), ...source(origin) })
}

function source(origin: Source) {
  if (origin === 'limit') return { by: 'limit' } as const
  return origin ? ({ by: 'client', origin } as const) : ({ by: 'host' } as const)
}
