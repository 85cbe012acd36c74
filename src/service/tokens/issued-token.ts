import { assertKnown, type Names } from '../../assert-known.ts'
import { isTexts } from '../../protocol/fields.ts'
import { isScope } from '../../protocol/syntax.ts'
import { isSecret, Secret } from '../../secret.ts'
import type { KnownClient } from '../credentials/clients.ts'
import { type IssueToken, inTenSeconds, type MadeToken, type TokenRequest } from '../host/hooks.ts'
import { type Jwts, OPENID } from './jwts.ts'

/** What the host and the service know of a token before it exists. */
interface TokenOrder extends Omit<TokenRequest, 'client'> {
  readonly client: KnownClient
  /** What is left of its family when it is issued, in seconds, if it comes with a refresh token. */
  readonly secondsLeft: ((issuedAt: number) => number) | undefined
}

interface TokenMaker {
  readonly issueToken: IssueToken
  readonly jwts: Jwts | undefined
  /** Who makes the access tokens: the service (`jwt`) or the host. */
  readonly accessToken: 'jwt' | 'opaque'
  readonly clock: { now(): number }
}

/** Lifetime in seconds of a token without a refresh token for which the host gave none: a year. */
const LIFETIME = 365 * 24 * 60 * 60

/** Lifetime in seconds of an access token with a refresh token, if the host gives none: 8 hours, as at GitHub. */
const SHORT_LIFETIME = 8 * 60 * 60

/** The same for one that is a JWT: after a revocation, other APIs accept it until it expires. */
const JWT_LIFETIME = 10 * 60

const FIELDS: Names<MadeToken> = { token: true, expiresIn: true, scopes: true }

/** The characters of a token that can be sent in a header. RFC 6750, section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Issues a token: has the host make it or, if the service signs tokens, decide on it. Points in time are epoch milliseconds.
 *
 * @param until When the claim ends.
 * @throws what the host throws, a TypeError if the token is not valid, and an Error if it takes too long.
 */
export async function issueFor(
  { issueToken, jwts, accessToken, clock }: TokenMaker,
  { client, secondsLeft, ...request }: TokenOrder,
  until: number,
) {
  const { clientId, name, policy } = client
  const returned = issueToken({ ...request, client: { clientId, name } })
  // After that, another request may issue a token: what `issueToken` returns later is dropped.
  const made = readMade(await inTenSeconds('issueToken', returned, until - clock.now()))
  const { token, expiresIn } = made
  const scopes = (made.scopes ?? request.scopes).filter((scope) => jwts || scope !== OPENID)
  const issuedAt = clock.now()
  const left = secondsLeft?.(issuedAt)
  const signing = accessToken === 'jwt' ? jwts : undefined
  if (signing && token !== undefined)
    throw new TypeError(
      'issueToken returned a token, but the service signs them: leave it out, or set accessToken to "opaque"',
    )
  const limits = { expiresIn, tokenLifetime: policy?.tokenLifetime, left, isJwt: signing !== undefined }
  const lifetime = lifetimeOf(limits)
  const expiresAt = issuedAt + (lifetime ?? LIFETIME) * 1000
  // The response does not say when it expires if nothing but our own limit decides.
  const issued = { scopes, issuedAt, expiresAt, tellsExpiry: lifetime !== undefined }
  const facts = { ...issued, user: request.user, client, resource: request.resource, jkt: request.jkt }
  const idToken = await jwts?.signId(facts)
  return {
    ...issued,
    token: signing ? await signing.signAccess(facts) : readToken(token),
    ...(idToken && { idToken }),
  }
}

/** What limits the lifetime of a token. In seconds. */
interface LifetimeLimits {
  readonly expiresIn: number | undefined
  readonly tokenLifetime: number | undefined
  readonly left: number | undefined
  readonly isJwt: boolean
}

/** Seconds; `undefined` if nothing limits a token. */
function lifetimeOf({ expiresIn, tokenLifetime, left, isJwt }: LifetimeLimits): number | undefined {
  const forJwt = left === undefined ? SHORT_LIFETIME : JWT_LIFETIME
  const limits = [expiresIn ?? (isJwt ? forJwt : undefined), tokenLifetime].filter((one) => one !== undefined)
  if (limits.length === 0 && left !== undefined) limits.push(SHORT_LIFETIME)
  if (left !== undefined) limits.push(left)
  return limits.length > 0 ? Math.min(...limits) : undefined
}

/**
 * Checks what `issueToken` returned, so that no client receives a token that it cannot use.
 *
 * @throws TypeError or BadOptionError that names the field.
 */
function readMade(made: string | Secret | MadeToken): MadeToken {
  const fields = typeof made === 'object' && made !== null && !isSecret(made) ? made : { token: made }
  assertKnown(fields, FIELDS, 'field of issueToken')
  const { expiresIn, scopes = [] } = fields
  if (expiresIn !== undefined && !(Number.isSafeInteger(expiresIn) && expiresIn >= 1))
    throw new TypeError('issueToken returned an expiresIn that is not a whole number of seconds, 1 or more')
  if (!isTexts(scopes) || !scopes.every(isScope))
    throw new TypeError('issueToken returned scopes that are not a list of scopes')
  return fields
}

function readToken(token: MadeToken['token']): Secret {
  const secret = Secret.of(token as string | Secret, 'the token of issueToken')
  if (!TOKEN.test(secret.reveal()))
    throw new TypeError('issueToken returned a token that cannot be sent in a header')
  return secret
}

/**
 * Whole seconds, 0 at least.
 *
 * @param at Epoch milliseconds, like `now`.
 */
export function secondsUntil(at: number, now: number): number {
  return Math.max(0, Math.floor((at - now) / 1000))
}
