import type { JSONWebKeySet } from 'jose'
import { refuseAbove } from '../host/refused-request.ts'
import type { Limiter } from '../limits/limiter.ts'
import { hash } from '../stores/hash.ts'
import { isFirstUse, type Records } from '../stores/records.ts'

/** The signatures that are accepted, as `alg` of a JWT names them. RFC 7518, section 3.1. */
export const ASSERTION_ALGORITHMS = ['ES256', 'PS256', 'RS256']

/** Seconds by which clocks may differ. */
const CLOCK_TOLERANCE = 60

/** Seconds for which an assertion may be valid: for so long, each one is remembered. */
const MAX_LIFETIME = 600

interface AssertionSigner {
  readonly id: string
  readonly jwks: JSONWebKeySet
}

export interface Verifying {
  readonly usedAssertions: Records<true>
  readonly limiter: Limiter
  readonly issuer: () => string
  readonly clock: { now(): number }
}

/**
 * Verifies client assertions (`private_key_jwt`). Each is accepted once, for this issuer alone. Wrong ones are limited as
 * wrong secrets are.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523.html#section-3 RFC 7523, section 3}
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication OpenID Connect Core 1.0, section 9}
 */
export function createAssertions(
  signers: readonly AssertionSigner[],
  { usedAssertions, limiter, issuer, clock }: Verifying,
) {
  const known = new Map(signers.map(({ id, jwks }) => [id, jwks]))

  async function isValid(assertion: string, id: string, jwks: JSONWebKeySet): Promise<boolean> {
    const [{ jwtVerify }, { createLocalJWKSet }] = await Promise.all([
      import('jose/jwt/verify'),
      import('jose/jwks/local'),
    ])
    const verified = await jwtVerify(assertion, createLocalJWKSet(jwks), {
      algorithms: ASSERTION_ALGORITHMS,
      issuer: id,
      audience: issuer(),
      currentDate: new Date(clock.now()),
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ['exp', 'jti'],
    }).catch(() => undefined)
    const { aud, exp = 0, jti = '' } = verified?.payload ?? {}
    // Another server that it names could send it here.
    if (verified === undefined || [aud].flat().length !== 1) return false
    if (exp > clock.now() / 1000 + MAX_LIFETIME + CLOCK_TOLERANCE) return false
    const expiresAt = (exp + CLOCK_TOLERANCE) * 1000
    return isFirstUse(usedAssertions, await hash(JSON.stringify([id, jti])), expiresAt)
  }

  return {
    /**
     * Finds who signed an assertion; `undefined` if it is not valid.
     *
     * @throws RefusedRequest after too many wrong ones.
     */
    async signerOf(assertion: string): Promise<string | undefined> {
      const id = await subjectOf(assertion)
      const jwks = id === undefined ? undefined : known.get(id)
      if (id === undefined || jwks === undefined) return undefined
      if (await isValid(assertion, id, jwks)) return id
      const client = await hash(id)
      refuseAbove(await limiter.wrongSecret(client), { client })
      return undefined
    },
  }
}

/** Whom an assertion names. Nothing is verified yet. */
async function subjectOf(assertion: string): Promise<string | undefined> {
  const { decodeJwt } = await import('jose/jwt/decode')
  try {
    return decodeJwt(assertion).sub
  } catch {
    return undefined
  }
}
