import type { JSONWebKeySet, JWTPayload, JWTVerifyOptions } from 'jose'
import { createLocalJWKSet } from 'jose/jwks/local'
import { jwtVerify } from 'jose/jwt/verify'
import { readClientId } from '../client/client-options.ts'
import { get } from '../client/exchange.ts'
import { systemFetch } from '../client/options.ts'
import { within } from '../client/within.ts'
import { BadIdTokenError, BadOptionError } from '../errors.ts'
import { type Clock, systemClock } from '../protocol/clock.ts'
import type { OAuthToken } from '../protocol/oauth-record.ts'
import { memberOf } from '../protocol/response.ts'
import type { Secret } from '../secret.ts'

/** Seconds by which the clocks of the provider and of this machine may differ. */
const CLOCK_TOLERANCE = 60

/**
 * Options of {@link verifyIdToken}.
 *
 * @group ID tokens
 */
export interface VerifyIdTokenOptions {
  /** The issuer URL of the provider, exactly as its metadata spells it. */
  readonly issuer: string
  /** The client id that the token was issued to. */
  readonly clientId: string | Secret
  /** The provider's keys: their URL (`jwksUri` of a discovered provider), or the key set itself. */
  readonly jwks: string | JSONWebKeySet
  /** The `nonce` that was sent in `parameters` with the request for codes, if one was. */
  readonly nonce?: string | undefined
  /** Cancels the request for the keys. */
  readonly signal?: AbortSignal | undefined
  /** Sends the request for the keys. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Tells the time. Default: the system clock. */
  readonly clock?: Clock
}

/**
 * The claims of an ID token, such as `sub`, the id of the user at this issuer.
 *
 * @group ID tokens
 */
export interface IdTokenClaims extends JWTPayload {
  readonly iss: string
  readonly sub: string
}

/**
 * Verifies the ID token of a login: its signature, issuer, audience and lifetime, and its nonce if one was sent.
 *
 * Without this check, an ID token says nothing about the user that can be relied on. A login that only needs the access
 * token does not need it.
 *
 * @example
 * ```ts
 * import { authorizeDevice, discover } from 'authgraph'
 * import { verifyIdToken } from 'authgraph/oidc'
 *
 * const issuer = 'https://login.example.com'
 * const provider = await discover(issuer)
 * const token = await authorizeDevice({ clientId: 'my-client', scopes: ['openid'], provider })
 * const { sub } = await verifyIdToken(token, { issuer, clientId: 'my-client', jwks: provider.jwksUri ?? '' })
 * ```
 *
 * @throws {@link BadIdTokenError} if the ID token is missing or not valid, or if the keys are not a key set.
 * @throws {@link UnreachableError}, {@link TimedOutError}, {@link WrongHostError} and the other errors of a request for
 * the keys.
 * @group ID tokens
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation OpenID Connect Core 1.0, section
 * 3.1.3.7}
 */
export async function verifyIdToken(
  { idToken }: OAuthToken,
  { issuer, clientId, jwks, nonce, signal, fetch = systemFetch, clock = systemClock }: VerifyIdTokenOptions,
): Promise<IdTokenClaims> {
  if (idToken === undefined) throw new BadIdTokenError('there is none: request the scope "openid"')
  const audience = readClientId(clientId).reveal()
  // jose accepts any issuer if it is given none.
  if (typeof issuer !== 'string') throw new BadOptionError('issuer must be a string')
  const keys =
    typeof jwks === 'string'
      ? await within({ clock, signal }, async (limit) => (await get(jwks, { fetch, clock }, limit)).body)
      : jwks
  const options = {
    issuer,
    audience,
    currentDate: new Date(clock.now()),
    clockTolerance: CLOCK_TOLERANCE,
    requiredClaims: ['sub', 'exp', 'iat'],
  }
  const claims = await verified(idToken, keys as JSONWebKeySet, options)
  const { aud, azp = [aud].flat().length > 1 ? undefined : audience } = claims
  if (azp !== audience) throw wrongClaim('azp')
  if (nonce !== undefined && claims.nonce !== nonce) throw wrongClaim('nonce')
  return claims
}

async function verified(
  idToken: Secret,
  jwks: JSONWebKeySet,
  options: JWTVerifyOptions,
): Promise<IdTokenClaims> {
  try {
    const { payload } = await jwtVerify<IdTokenClaims>(idToken.reveal(), createLocalJWKSet(jwks), options)
    return payload
  } catch (error) {
    // No cause: errors of jose contain the claims.
    const claim = memberOf(error, 'claim')
    if (typeof claim === 'string') throw wrongClaim(claim)
    throw new BadIdTokenError(REASONS[String(memberOf(error, 'code'))] ?? 'it cannot be read')
  }
}

function wrongClaim(claim: string): BadIdTokenError {
  return new BadIdTokenError(`its claim "${claim}" is missing or not as expected`, claim)
}

/** What the error codes of jose mean. */
const REASONS: Record<string, string> = {
  ERR_JWKS_INVALID: 'the keys of the provider are not a key set',
  ERR_JWKS_NO_MATCHING_KEY: 'no key of the provider matches it',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature does not match',
  ERR_JOSE_NOT_SUPPORTED: 'its algorithm is not a signature with a public key',
}
