import type { Origin } from '../../machines/device-grant.ts'
import type { Secret } from '../secret.ts'
import type { Tokens } from './credentials/tokens.ts'
import type { Emit } from './emit.ts'
import type { Families } from './families.ts'

/**
 * What became of a token: `unknown`: it is not valid, or not any more; `foreign`: it belongs to another client;
 * `unsupported`: the host signed it and verifies it, so it is valid until it expires.
 */
export type RevokedToken = 'revoked' | 'unknown' | 'foreign' | 'unsupported'

/** What ends tokens and logins. */
export interface Revocation {
  readonly families: Families
  readonly tokens: Tokens
  readonly emit: Emit | undefined
}

/** Where the request of a client came from; `undefined` if the host revokes. */
type Source = Origin | undefined

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
  const { families, tokens, emit } = service
  const isForeign = (owner: string) => asking !== undefined && asking.client !== owner
  const known = await families.find(token)
  if (known !== undefined) {
    if (isForeign(known.family.client)) return 'foreign'
    return (await revokeFamily(service, known.id, asking?.origin)) ? 'revoked' : 'unknown'
  }
  const record = await tokens.find(token)
  if (record === undefined) return 'unknown'
  if (!('client' in record)) return 'unsupported'
  const { client, user, family, grant } = record
  if (isForeign(client)) return 'foreign'
  if (family !== undefined) {
    await revokeFamily(service, family, asking?.origin)
    return 'revoked'
  }
  await tokens.remove(token)
  await emit?.({ type: 'token.revoked', client, user, ...(grant && { grant }), ...source(asking?.origin) })
  return 'revoked'
}

/** Ends a login. Returns whether it was valid. */
export async function revokeFamily(
  { families, emit }: Revocation,
  id: string,
  origin?: Source,
): Promise<boolean> {
  const family = await families.revoke(id)
  if (family === undefined) return false
  const { client, user } = family
  await emit?.({ type: 'token.revoked', client, user, family: id, ...source(origin) })
  return true
}

function source(origin: Source) {
  return origin ? ({ by: 'client', origin } as const) : ({ by: 'host' } as const)
}
