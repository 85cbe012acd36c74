import type { JWTPayload } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { jwtVerify } from 'jose/jwt/verify'
import type { ProofChecks } from '../access/bound-token.ts'
import { createGate, type Gate, type GateOptions } from '../access/gate.ts'
import { ProofError, skewOf, verifyProof } from '../access/proof.ts'
import { assertKnown, type Names } from '../assert-known.ts'
import { readAuthentication, readClientId, readResources } from '../client/read-options.ts'
import { BadOptionError } from '../errors.ts'
import type { ClientAuthentication } from '../protocol/client-authentication.ts'
import { isDpop, secureAddress, splitScopes } from '../protocol/syntax.ts'
import { systemClock } from '../request/clock.ts'
import { systemFetch, textMemberOf } from '../request/http.ts'
import type { Clock, RequestOptions } from '../request/options.ts'
import { Secret } from '../secret.ts'
import { createIntrospection } from './introspection.ts'
import { createIssuerKeys, type IssuerKeys } from './issuer-keys.ts'
import { CLOCK_TOLERANCE } from './verify-id-token.ts'

/** Options of {@link createVerifier}. */
export interface VerifierOptions extends Omit<RequestOptions, 'signal'> {
  /** The issuer of the tokens, as its metadata spells it: `https`, or `http` on a loopback address. */
  readonly issuer: string
  /** The URI of this API: a token for another API is refused. The issuer puts it into `aud`. */
  readonly resource: string
  /**
   * The client ID of this API at the issuer, to ask it about tokens that are not JWTs. Default: none, and such tokens are
   * refused.
   */
  readonly clientId?: string | Secret
  /** How this API authenticates there: needed with `clientId`. */
  readonly clientAuthentication?: ClientAuthentication
  /** Called with what kept a token from being checked: requests get 503. Default: only the `cause` of their error says it. */
  readonly onError?: (error: unknown) => void
}

/** Verifies access tokens of an issuer. You may destructure it. */
export interface Verifier {
  /**
   * Protects a route, as `service.requireToken` does. If you pass `resource`, it must be the verifier's.
   *
   * @throws {@link BadOptionError} for an option that is not valid.
   */
  readonly requireToken: (options?: GateOptions & { readonly resource?: string }) => Gate<VerifiedToken>
}

/** Who sent an access token. */
export interface VerifiedToken {
  /** The ID of the user at the issuer: `sub`. */
  readonly user: string
  /** The scopes of the token. */
  readonly scopes: readonly string[]
  /** The client that the token was issued to. */
  readonly client: { readonly clientId: Secret }
  /** The thumbprint of the key that the token is bound to (RFC 9449). Absent for a bearer token. */
  readonly jkt?: string
  /** When the token expires, in epoch milliseconds. Absent if introspection does not return it. */
  readonly expiresAt?: number
  /** All claims of the JWT, or what the issuer said about the token. */
  readonly claims: Readonly<Record<string, unknown>>
}

const KNOWN: Names<VerifierOptions> = {
  issuer: true,
  resource: true,
  clientId: true,
  clientAuthentication: true,
  onError: true,
  fetch: true,
  clock: true,
}

/**
 * Verifies access tokens in an API that is not part of the authorization service, in any framework.
 *
 * JWTs (RFC 9068) are verified with the keys that the issuer publishes. They are fetched with the first token and then every
 * ten minutes, and sooner, at most once a minute, for a token with a key that is not known. While the issuer does not
 * respond, they are used for an hour. For any other token, the issuer is asked (RFC 7662) if you pass a `clientId`. A valid
 * result is reused for 10 seconds.
 *
 * A token without a user is refused. A token that is bound to a key (DPoP) needs a proof of this key for this request, made
 * within a minute of the current time. A copied proof is accepted for up to two minutes, for the same method and URL only. A
 * revoked JWT is accepted until it expires, and any other revoked token for up to 10 seconds.
 *
 * @example
 * ```ts
 * import { createVerifier } from 'authgraph/oidc'
 *
 * const { requireToken } = createVerifier({
 *   issuer: 'https://login.example.com',
 *   resource: 'https://api.example.com',
 * })
 * const gate = requireToken({ scopes: ['profile'] })
 *
 * async function profile(request: Request) {
 *   const { user } = await gate(request)
 *   return Response.json({ user })
 * }
 * ```
 *
 * @throws {@link BadOptionError} for an option that is not valid, and {@link WrongHostError} for an issuer that is neither
 * `https` nor a loopback address.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068.html#section-4 RFC 9068, section 4}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7662.html#section-2 RFC 7662, section 2}
 */
export function createVerifier(options: VerifierOptions): Verifier {
  assertKnown(options, KNOWN)
  const { issuer, resource, onError } = options
  const { fetch = systemFetch, clock = systemClock } = options
  secureAddress(issuer)
  if (typeof resource !== 'string') throw new BadOptionError('resource must be the URI of this API')
  readResources(resource)
  const keys = createIssuerKeys(issuer, { fetch, clock })
  const introspect = createAsk(options, keys, { fetch, clock })

  async function verify(token: string): Promise<VerifiedToken | undefined> {
    const claims = isAccessJwt(token) ? await verifyJwt(token, keys, clock) : await introspect?.(token)
    return claims && readClaims(claims, resource)
  }
  const proofs: ProofChecks = {
    async verify(header, sent) {
      const proof = await verifyProof(header, sent)
      const skew = skewOf(proof, clock.now())
      if (skew) throw new ProofError(skew)
      return proof
    },
  }
  return {
    requireToken({ resource: required = resource, ...gate } = {}) {
      if (required !== resource) throw new BadOptionError('resource must be that of the verifier')
      return createGate(gate, { find: verify, onError, proofs, uri: () => resource })
    },
  }
}

function createAsk(
  { clientId, clientAuthentication }: VerifierOptions,
  keys: ReturnType<typeof createIssuerKeys>,
  via: { readonly fetch: typeof globalThis.fetch; readonly clock: Clock },
) {
  if (clientId === undefined) return undefined
  if (clientAuthentication === undefined)
    throw new BadOptionError('clientAuthentication is missing: an API authenticates with its clientId')
  const id = readClientId(clientId)
  readAuthentication(clientAuthentication, {})
  return createIntrospection(async () => {
    const { provider } = await keys.current()
    const authentication = readAuthentication(clientAuthentication, provider)
    return { ...via, provider, clientId: id, authentication }
  }, via.clock)
}

/** Whether a token says that it is a JWT access token. RFC 9068, section 2.1. */
function isAccessJwt(token: string): boolean {
  try {
    return /^(application\/)?at\+jwt$/i.test(decodeProtectedHeader(token).typ ?? '')
  } catch {
    return false
  }
}

async function verifyJwt(
  token: string,
  keys: ReturnType<typeof createIssuerKeys>,
  clock: Clock,
): Promise<JWTPayload | undefined> {
  const verifyWith = async ({ findKey, provider: { issuer = '' } }: IssuerKeys) => {
    if (findKey === undefined) return 'unknown key'
    try {
      const { payload } = await jwtVerify(token, findKey, {
        issuer,
        typ: 'at+jwt',
        currentDate: new Date(clock.now()),
        clockTolerance: CLOCK_TOLERANCE,
        requiredClaims: ['exp'],
      })
      return payload
    } catch (error) {
      return textMemberOf(error, 'code') === 'ERR_JWKS_NO_MATCHING_KEY' ? 'unknown key' : undefined
    }
  }
  const first = await verifyWith(await keys.current())
  if (first !== 'unknown key') return first
  const second = await verifyWith(await keys.newest())
  return second === 'unknown key' ? undefined : second
}

function readClaims(claims: Readonly<Record<string, unknown>>, resource: string): VerifiedToken | undefined {
  const { aud, cnf, exp } = claims
  const [user, clientId, scope = ''] = ['sub', 'client_id', 'scope'].map((name) => textMemberOf(claims, name))
  if (![aud].flat().includes(resource) || !user || !clientId) return undefined
  const jkt = textMemberOf(cnf, 'jkt')
  const isBound = cnf !== undefined || isDpop(textMemberOf(claims, 'token_type') ?? '')
  // Bound in another way, which nobody checks here, or to a key that is not named.
  if (isBound && (jkt === undefined || Object.keys(Object(cnf)).length > 1)) return undefined
  return {
    user,
    scopes: splitScopes(scope, ' '),
    client: { clientId: new Secret(clientId) },
    ...(jkt !== undefined && { jkt }),
    ...(typeof exp === 'number' && { expiresAt: exp * 1000 }),
    claims,
  }
}
