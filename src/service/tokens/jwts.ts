import type { User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import type { SigningKeys } from '../credentials/signing-keys.ts'
import { userId } from '../stores/user-id.ts'

/** What is known about an access token. Points in time are epoch milliseconds. */
export interface AccessFacts {
  readonly user: User
  /** The client that received it, unless it is no longer registered. */
  readonly client?: { readonly clientId: Secret } | undefined
  readonly scopes: readonly string[]
  readonly resource?: string | undefined
  readonly jkt?: string | undefined
  readonly issuedAt?: number | undefined
  readonly expiresAt?: number | undefined
}

type JwtFacts = AccessFacts & {
  readonly client: { readonly clientId: Secret }
  readonly issuedAt: number
  readonly expiresAt: number
}

/** The scope that asks for an ID token. Only a service with keys grants it. */
export const OPENID = 'openid'

/** Milliseconds for which an ID token is valid: its client reads it once, on arrival. */
const ID_TOKEN_LIFETIME = 60 * 60 * 1000

/** Says what APIs learn about access tokens, and signs it. */
export function createJwts(
  keys: SigningKeys,
  { issuer, audience }: { readonly issuer: () => string; readonly audience: string | undefined },
) {
  return {
    /** Signs an access token. Rejects with BadOptionError if a key cannot be used. */
    signAccess: (token: JwtFacts) =>
      keys.sign('at+jwt', {
        ...accessClaims(token, { issuer: issuer(), audience }),
        jti: crypto.randomUUID(),
      }),
    /** Signs the ID token that comes with an access token, if its scopes ask for one; `undefined` otherwise. */
    signId: async (token: JwtFacts) =>
      token.scopes.includes(OPENID) ? keys.sign('JWT', idClaims(token, issuer())) : undefined,
  }
}

export type Jwts = ReturnType<typeof createJwts>

/**
 * The claims about an access token, for its JWT and for introspection.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068.html#section-2.2 RFC 9068, section 2.2}
 */
export function accessClaims(
  { user, client, scopes, resource, jkt, issuedAt, expiresAt }: AccessFacts,
  { issuer, audience = issuer }: { readonly issuer: string; readonly audience?: string | undefined },
) {
  return {
    iss: issuer,
    sub: userId(user),
    aud: resource ?? audience,
    ...(client && { client_id: client.clientId.reveal() }),
    scope: scopes.join(' '),
    // RFC 9449, section 6.1.
    ...(jkt !== undefined && { cnf: { jkt } }),
    ...(issuedAt !== undefined && { iat: inSeconds(issuedAt) }),
    ...(expiresAt !== undefined && { exp: inSeconds(expiresAt) }),
  }
}

/**
 * The claims of an ID token. Not `auth_time`: no host says when its user signed in.
 *
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#IDToken OpenID Connect Core 1.0, section 2}
 */
function idClaims({ user, client, issuedAt }: JwtFacts, issuer: string) {
  return {
    iss: issuer,
    sub: userId(user),
    aud: client.clientId.reveal(),
    iat: inSeconds(issuedAt),
    exp: inSeconds(issuedAt + ID_TOKEN_LIFETIME),
    preferred_username: typeof user === 'string' ? user : user.login,
  }
}

function inSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
