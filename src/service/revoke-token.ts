import type { Secret } from '../secret.ts'
import type { Tokens } from './credentials/tokens.ts'
import type { Families } from './families.ts'

/**
 * What became of a token: `unknown`: it is not valid, or not any more; `foreign`: it belongs to another client;
 * `unsupported`: the host signed it and verifies it, so it is valid until it expires.
 */
export type RevokedToken = 'revoked' | 'unknown' | 'foreign' | 'unsupported'

/**
 * Revokes a token. A refresh token, whether it was spent or not, and an access token that came with one end the whole
 * login.
 *
 * @param client The client that asks; `undefined` if the host does.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7009.html#section-2.1 RFC 7009, section 2.1}
 */
export async function revokeToken(
  { families, tokens }: { readonly families: Families; readonly tokens: Tokens },
  token: Secret,
  client?: string,
): Promise<RevokedToken> {
  const isForeign = (owner: string) => client !== undefined && client !== owner
  const known = await families.find(token)
  if (known !== undefined) {
    if (isForeign(known.family.client)) return 'foreign'
    return (await families.revoke(known.id)) ? 'revoked' : 'unknown'
  }
  const record = await tokens.find(token)
  if (record === undefined) return 'unknown'
  if (!('client' in record)) return 'unsupported'
  if (isForeign(record.client)) return 'foreign'
  if (record.family === undefined) await tokens.remove(token)
  else await families.revoke(record.family)
  return 'revoked'
}
