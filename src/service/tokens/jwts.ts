import type { User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import type { SigningKeys } from '../credentials/signing-keys.ts'
import { userId } from '../stores/user-id.ts'

/** Who a token is for, and until when. Points in time are epoch milliseconds. */
interface JwtFacts {
  readonly user: User
  /** The client that receives it; absent if it is no longer registered. */
  readonly client?: { readonly clientId: Secret } | undefined
  readonly scopes: readonly string[]
  /** The URI of the API that it is for, if the client named one. */
  readonly resource?: string | undefined
  readonly issuedAt?: number | undefined
  readonly expiresAt?: number | undefined
}

/** Signs tokens. */
export interface Jwts {
  /** @throws BadOptionError if a key cannot be used. */
  readonly signAccess: (token: JwtFacts) => Promise<Secret>
}

/** Says what APIs learn about access tokens, and signs it. */
export function createJwts(
  keys: SigningKeys,
  { issuer, audience }: { readonly issuer: () => string; readonly audience: string | undefined },
): Jwts {
  return {
    signAccess: (token) =>
      keys.sign('at+jwt', {
        ...accessClaims(token, { issuer: issuer(), audience }),
        jti: crypto.randomUUID(),
      }),
  }
}

/**
 * The claims about an access token. Not `jti`, which only a JWT has.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068.html#section-2.2 RFC 9068, section 2.2}
 */
function accessClaims(
  { user, client, scopes, resource, issuedAt, expiresAt }: JwtFacts,
  { issuer, audience = issuer }: { readonly issuer: string; readonly audience?: string | undefined },
) {
  return {
    iss: issuer,
    sub: userId(user),
    aud: resource ?? audience,
    ...(client && { client_id: client.clientId.reveal() }),
    scope: scopes.join(' '),
    ...(issuedAt !== undefined && { iat: inSeconds(issuedAt) }),
    ...(expiresAt !== undefined && { exp: inSeconds(expiresAt) }),
  }
}

function inSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
