import type { JSONWebKeySet, JWK, JWTPayload, JWTVerifyOptions } from 'jose'
import { createLocalJWKSet } from 'jose/jwks/local'
import { jwtVerify } from 'jose/jwt/verify'
import { assertKnown, type Names } from '../assert-known.ts'
import { readClientId } from '../client/read-options.ts'
import { BadIdTokenError, BadOptionError } from '../errors.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import { TENANT } from '../protocol/providers.ts'
import { systemClock, within } from '../request/clock.ts'
import { get, memberOf, systemFetch, textMemberOf } from '../request/http.ts'
import type { RequestOptions } from '../request/options.ts'
import type { Secret } from '../secret.ts'

/** Seconds by which the clocks of the provider and of this machine may differ. */
export const CLOCK_TOLERANCE = 60

/** The ID of a tenant of Entra ID. */
const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * The types of JWTs of other kinds, such as an access token (`at+jwt`, RFC 9068). That of an ID token is `JWT`, or missing.
 *
 * https://www.rfc-editor.org/rfc/rfc8725.html#section-3.11
 */
const OTHER_KIND = /\+jwt$/i

/** Options of {@link verifyIdToken}. */
export interface VerifyIdTokenOptions extends RequestOptions {
  /** The `issuer` of the provider, exactly as its metadata spells it. */
  readonly issuer: string | undefined
  /** The client ID that the token was issued to. */
  readonly clientId: string | Secret
  /** The provider's keys: their URL (its `jwksUri`), or the key set itself. */
  readonly jwks: string | JSONWebKeySet | undefined
  /** The `nonce` that was sent in `parameters` with the request for codes, if one was. */
  readonly nonce?: string | undefined
}

const KNOWN: Names<VerifyIdTokenOptions> = {
  issuer: true,
  clientId: true,
  jwks: true,
  nonce: true,
  signal: true,
  fetch: true,
  clock: true,
}

/** The claims of an ID token, such as `sub`, the ID of the user at this issuer. */
export interface IdTokenClaims extends JWTPayload {
  readonly iss: string
  readonly sub: string
}

/**
 * Verifies the ID token of a login: its signature, type, issuer, subject, audience and lifetime, and its nonce if one was
 * sent.
 *
 * Without this check, an ID token says nothing about the user that can be relied on. A login that only needs the access
 * token does not need it.
 *
 * If the issuer contains `{tenantid}`, as at Microsoft Entra ID for accounts of any tenant, the token must name its tenant
 * in `tid`, and its issuer and key must be of that tenant.
 *
 * @example
 * ```ts
 * import { authorizeDevice, discover } from 'authgraph'
 * import { verifyIdToken } from 'authgraph/oidc'
 *
 * const provider = await discover('https://login.example.com')
 * const token = await authorizeDevice({
 *   clientId: 'my-client',
 *   scopes: ['openid'],
 *   provider,
 *   onCodes,
 * })
 * const { issuer, jwksUri: jwks } = provider
 * const { sub } = await verifyIdToken(token, {
 *   issuer,
 *   clientId: 'my-client',
 *   jwks,
 * })
 * ```
 *
 * @throws {@link BadOptionError} if the issuer, the keys or the client ID are missing.
 * @throws {@link BadIdTokenError} if the ID token is missing or not valid, or if the keys are not a key set.
 * @throws {@link UnreachableError}, {@link TimedOutError}, {@link WrongHostError} and the other errors of a request for
 * the keys.
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation OpenID Connect Core 1.0, section
 * 3.1.3.7}
 */
export async function verifyIdToken(
  { idToken }: OAuthToken,
  options: VerifyIdTokenOptions,
): Promise<IdTokenClaims> {
  assertKnown(options, KNOWN)
  const { issuer, clientId, jwks, nonce, signal, fetch = systemFetch, clock = systemClock } = options
  if (idToken === undefined) throw new BadIdTokenError('there is none: request the scope "openid"')
  const audience = readClientId(clientId).reveal()
  if (typeof issuer !== 'string') throw new BadOptionError('issuer must be a string')
  if (jwks === undefined) throw new BadOptionError('jwks is missing: pass the jwksUri of the provider')
  const keys = (
    typeof jwks === 'string'
      ? await within({ clock, signal }, async (limit) => (await get(jwks, { fetch, clock }, limit)).body)
      : jwks
  ) as JSONWebKeySet
  const expected = {
    audience,
    currentDate: new Date(clock.now()),
    clockTolerance: CLOCK_TOLERANCE,
    requiredClaims: ['sub', 'exp', 'iat'],
  }
  const { claims, key } = await verifyJwt(idToken, keys, expected)
  if (typeof claims.sub !== 'string' || claims.sub === '') throw wrongClaim('sub')
  if (!issuersFor(claims, issuer, key).every((expected) => expected === claims.iss)) throw wrongClaim('iss')
  const { aud, azp = [aud].flat().length > 1 ? undefined : audience } = claims
  if (azp !== audience) throw wrongClaim('azp')
  if (nonce !== undefined && claims.nonce !== nonce) throw wrongClaim('nonce')
  return claims
}

async function verifyJwt(
  idToken: Secret,
  jwks: JSONWebKeySet,
  options: JWTVerifyOptions,
): Promise<{ readonly claims: IdTokenClaims; readonly key: JWK | undefined }> {
  try {
    const { payload: claims, protectedHeader: header } = await jwtVerify<IdTokenClaims>(
      idToken.reveal(),
      createLocalJWKSet(jwks),
      options,
    )
    if (OTHER_KIND.test(header.typ ?? '')) throw new BadIdTokenError('its type is that of another JWT')
    return { claims, key: jwks.keys.find(({ kid }) => kid === header.kid) }
  } catch (error) {
    if (error instanceof BadIdTokenError) throw error
    // No cause: errors of jose contain the claims.
    const claim = textMemberOf(error, 'claim')
    if (claim !== undefined) throw wrongClaim(claim)
    throw new BadIdTokenError(REASONS[textMemberOf(error, 'code') ?? ''] ?? 'it cannot be read')
  }
}

/**
 * The issuers that a token must have: that of the provider, and for one of many tenants also that of the key, because
 * Entra ID has keys that sign for a single tenant.
 *
 * https://learn.microsoft.com/entra/identity-platform/access-tokens#validate-the-issuer
 */
function issuersFor({ tid }: IdTokenClaims, issuer: string, key: JWK | undefined): string[] {
  if (!issuer.includes(TENANT)) return [issuer]
  if (typeof tid !== 'string' || !GUID.test(tid)) throw wrongClaim('tid')
  const ofKey = memberOf(key, 'issuer') ?? issuer
  return [issuer, typeof ofKey === 'string' ? ofKey : ''].map((template) => template.replace(TENANT, tid))
}

function wrongClaim(claim: string): BadIdTokenError {
  return new BadIdTokenError(`its claim "${claim}" is missing or not as expected`, claim)
}

const REASONS: Record<string, string> = {
  ERR_JWKS_INVALID: 'the keys of the provider are not a key set',
  ERR_JWKS_NO_MATCHING_KEY: 'no key of the provider matches it',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature does not match',
  ERR_JOSE_NOT_SUPPORTED: 'its algorithm is not a signature with a public key',
}
