import type { User } from '../../../machines/device-grant.ts'
import { assertProven, type ProofChecks } from '../../access/bound-token.ts'
import { challenge, REALM } from '../../access/challenge.ts'
import { readCredential } from '../../access/incoming-request.ts'
import { AccessError } from '../../errors.ts'
import { Secret } from '../../secret.ts'
import type { AppTokens } from '../credentials/app-jwts.ts'
import type { Passwords } from '../credentials/passwords.ts'
import type { PersonalTokens } from '../credentials/personal-tokens.ts'
import type { Emit } from '../host/emit.ts'
import type { ClientAddress } from '../host/hooks.ts'
import type { ServiceRequest } from '../http/types.ts'
import type { Limiter } from '../limits/limiter.ts'
import { ownerOf, type TokenOwner, type Tokens } from './tokens.ts'

/**
 * Who sent a request, and with which kind of credential:
 *
 * - `basic`: user name and password
 * - `personalToken`: personal access token
 * - `app`: app JWT
 * - `oauth`: access token from the device flow
 */
export type Authentication =
  | { readonly form: 'basic'; readonly user: User }
  | { readonly form: 'app'; readonly appId: number | string }
  | AuthenticatedToken

/** Who sent an access token. */
export interface AuthenticatedToken extends TokenOwner {
  readonly form: 'oauth' | 'personalToken'
  /** The client that the token was issued to. Absent for personal access tokens, and for those that the host verifies. */
  readonly client?: { readonly clientId: Secret; readonly name: string }
}

export interface Credentials {
  readonly passwords: Passwords
  readonly personalTokens: PersonalTokens
  readonly appTokens: AppTokens
  readonly tokens: Tokens
  readonly clients: { at(reference: string): Promise<AuthenticatedToken['client']> }
  readonly clientAddress: ClientAddress
  readonly apiProofs: ProofChecks | undefined
  readonly limiter: Limiter
  readonly emit: Emit
}

/**
 * Verifies the credential of a request; `undefined` if there is none.
 *
 * @throws {@link AccessError} for a credential that is not valid.
 */
export async function authenticate(
  credentials: Credentials,
  request: ServiceRequest,
  { resource, uri }: { readonly resource?: string | undefined; readonly uri: string },
): Promise<Authentication | undefined> {
  const { scheme, value = '' } = readCredential(request.header('authorization'), request.query) ?? {}
  if (scheme === undefined) return undefined
  if (scheme === 'basic') return basic(credentials, value, credentials.clientAddress(request))
  const found = await findToken(credentials, value, resource)
  if (found) {
    const { method, path } = request
    const url = URL.canParse(uri) ? new URL(uri).origin + path : undefined
    const proof = request.header('dpop')
    await assertProven(found, { scheme, token: value, method, url, proof }, credentials.apiProofs)
    return found
  }
  if (scheme !== 'bearer') throw invalidToken('bad credentials')
  return app(credentials, value)
}

async function basic(
  { passwords, limiter, emit }: Credentials,
  value: string,
  address: string | undefined,
): Promise<Authentication> {
  const checked = await passwords.check(value)
  const allowed = await limiter.password(address, checked)
  const challenge = `Basic ${REALM}, charset="UTF-8"`
  if (!allowed.ok) {
    const { limit, retryAfter, isFirst } = allowed
    if (isFirst) await emit({ type: 'limited', limit, retryAfter, ...(address && { origin: { address } }) })
    throw new AccessError({ status: 429, challenge, retryAfter }, 'too many wrong passwords')
  }
  if (!checked.isRight) throw new AccessError({ status: 401, challenge }, 'bad user name or password')
  return { form: 'basic', user: checked.username }
}

/**
 * Finds out who sent an access token; `undefined` if it is not valid, or for another resource than this one. A token that
 * was issued for an API elsewhere may come from that API: it opens nothing here. A host may issue access tokens that are JWTs, so look
 * here before reading one as an app JWT.
 */
export async function findToken(
  { tokens, personalTokens, clients }: Pick<Credentials, 'tokens' | 'personalTokens' | 'clients'>,
  token: string,
  resource: string | undefined,
): Promise<AuthenticatedToken | undefined> {
  const personal = await personalTokens.find(token)
  if (personal) return resource === undefined ? { form: 'personalToken', ...personal } : undefined
  const record = await tokens.find(new Secret(token))
  if (record === undefined || record.resource !== resource) return undefined
  const client = 'client' in record ? await clients.at(record.client) : undefined
  return {
    form: 'oauth',
    ...ownerOf(record),
    ...(client && { client: { clientId: client.clientId, name: client.name } }),
  }
}

async function app({ appTokens }: Credentials, token: string): Promise<Authentication> {
  const verified = await appTokens.verify(token)
  if (!verified.ok) throw invalidToken(verified.problem)
  return { form: 'app', appId: verified.appId }
}

function invalidToken(message: string): AccessError {
  return new AccessError({ status: 401, challenge: challenge('Bearer', { error: 'invalid_token' }) }, message)
}
