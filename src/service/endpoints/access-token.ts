import type { DeviceGrantState } from '../../../machines/device-grant.ts'
import { StoreUnavailableError } from '../../errors.ts'
import { DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE } from '../../protocol/endpoints.ts'
import { splitScopes } from '../../protocol/scopes.ts'
import { Secret } from '../../secret.ts'
import type { Clients, KnownClient } from '../clients.ts'
import { newClaim, newFamily, newRefreshToken } from '../credentials/random-codes.ts'
import type { DialectRules } from '../dialect.ts'
import type { EarlyPolls } from '../early-polls.ts'
import type { GenerationOfStore } from '../generation.ts'
import type { Grant } from '../grant-steps.ts'
import { type Grants, grantId } from '../grants.ts'
import { readFields } from '../http/fields.ts'
import { oauthError, type ServiceRequest, type ServiceResponse } from '../http/types.ts'
import { accessLifetime, type IssuedToken, issueFor } from '../issued-token.ts'
import { requestOrigin } from '../request-origin.ts'
import { countLogin, type Revocation } from '../revoke-token.ts'
import { type RefreshEndpoint, refresh } from './refresh.ts'
import { refuseClient } from './refuse-client.ts'
import { refuseLimited } from './refuse-limited.ts'
import { tokenResponse } from './token-response.ts'

/** Lifetime in seconds of a token without a refresh token for which the host gave none: a year. */
const LIFETIME = 365 * 24 * 60 * 60

/** What the access token endpoint needs. */
export interface AccessTokenEndpoint extends RefreshEndpoint, Revocation {
  readonly clients: Clients
  readonly grants: Grants
  readonly generation: GenerationOfStore
  readonly earlyPolls: EarlyPolls
}

/** The grant types that the endpoint accepts. */
export function grantTypes({ refreshTokens }: Pick<AccessTokenEndpoint, 'refreshTokens'>): readonly string[] {
  return refreshTokens ? [DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE] : [DEVICE_GRANT_TYPE]
}

/** The response to a poll that issues no token, by the state of the grant after it. */
const RESPONSES = {
  requested: pending,
  pending,
  slowed: ({ interval }, { pollError }) =>
    oauthError(pollError, 'slow_down', `polled too soon: wait ${interval} seconds between polls`, {
      interval,
    }),
  approved: pending,
  // Another poll is issuing the token.
  issuing: pending,
  denied: (_, { pollError }) => oauthError(pollError, 'access_denied', 'the user denied the request'),
  authorized: (_, dialect) => unknownCode(dialect),
  expired: (_, { pollError }) =>
    oauthError(pollError, 'expired_token', 'the device code has expired: request a new one'),
} satisfies Record<DeviceGrantState, (grant: Grant, dialect: DialectRules) => ServiceResponse>

/**
 * Responds to a poll or a refresh. A malformed request gets status 400 in both dialects.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export async function accessToken(
  service: AccessTokenEndpoint,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const { clients, grants, limiter, earlyPolls, emit, clientAddress, dialect, refreshTokens } = service
  const read = readFields(request, [
    'client_id',
    'client_secret',
    'device_code',
    'grant_type',
    'refresh_token',
    'scope',
  ])
  if (!read.ok) return oauthError(400, 'invalid_request', read.problem)
  const { device_code, grant_type, refresh_token, scope } = read.fields
  const needsSecret = grant_type !== DEVICE_GRANT_TYPE || dialect.secretToLogIn
  const found = await clients.of(request, read.fields, needsSecret)
  if (!found.ok) return refuseClient(service, request, found, 'atPoll')
  if (grant_type === undefined) return oauthError(400, 'invalid_request', 'the field grant_type is missing')
  if (refreshTokens && grant_type === REFRESH_GRANT_TYPE) {
    if (refresh_token === undefined)
      return oauthError(400, 'invalid_request', 'the field refresh_token is missing')
    const { client } = found
    return refresh(service, { request, client, refreshToken: refresh_token, scope })
  }
  if (grant_type !== DEVICE_GRANT_TYPE)
    return oauthError(
      dialect.pollError,
      'unsupported_grant_type',
      `grant_type must be ${grantTypes(service).join(' or ')}`,
    )
  if (device_code === undefined) return oauthError(400, 'invalid_request', 'the field device_code is missing')

  const allowed = await earlyPolls.allow(device_code)
  const client = found.client.reference
  if (!allowed.ok) return refuseLimited(service, request, allowed, { client })
  const claim = newClaim()
  const grant = await grants.poll(device_code, client, claim)
  if (grant === undefined) {
    const allowed = await limiter.wrongDeviceCode(clientAddress(request))
    return allowed.ok ? unknownCode(dialect) : refuseLimited(service, request, allowed, { client })
  }
  if (grant.state === 'slowed' && (await earlyPolls.count(device_code)))
    await emit?.({
      type: 'limited',
      limit: 'interval',
      retryAfter: grant.interval,
      grant: await grantId(device_code),
      client,
      origin: requestOrigin(request, clientAddress(request)),
    })
  const isOurs = grant.state === 'issuing' && grant.lease?.claim === claim
  return isOurs
    ? deliver(service, { grant, client: found.client, deviceCode: device_code, claim, request })
    : RESPONSES[grant.state](grant, dialect)
}

/** The poll that holds the lease. */
interface Delivery {
  readonly grant: Grant
  readonly client: KnownClient
  readonly deviceCode: string
  readonly claim: string
  readonly request: ServiceRequest
}

/**
 * Issues the token for the poll that holds the lease. If that fails, or the client has disconnected, the approval is
 * left for the next poll. A token that nobody receives expires with the lease.
 *
 * If the store fails before the grant is settled, the lease lapses and the next poll issues another token. If it fails
 * after that, beyond all retries, the grant is used up: issuing a second token would be worse. For the same reason, a
 * grant from before a set-back of the store counts as expired.
 */
async function deliver(
  service: AccessTokenEndpoint,
  { grant, client, deviceCode, claim, request }: Delivery,
): Promise<ServiceResponse> {
  const {
    grants,
    generation,
    tokens,
    families,
    revocations,
    refreshTokens,
    emit,
    clientAddress,
    dialect,
    onError,
    clock,
  } = service
  const { user, scope, lease } = grant
  if (user === null || lease === null) throw new TypeError('the grant has no user or no lease')
  if (await generation.isInDoubt(grant)) {
    await grants.notIssued(deviceCode, claim)
    return RESPONSES.expired(grant, dialect)
  }
  const id = newFamily()
  const family = refreshTokens && { ...refreshTokens, id, token: new Secret(newRefreshToken(id, 0)) }
  const ofFamily = family && { family: family.id }
  const named = emit && { grant: await grantId(deviceCode) }
  const login = { user, client: client.reference, ...(ofFamily ?? named) }
  const beginFamily = async ({ scopes }: IssuedToken, revocations: number, expiresAt: number) => {
    if (family === undefined) return
    const { id, token, reuseWindow } = family
    const input = { user, client: client.reference, scope: scopes.join(' '), expiresAt, reuseWindow }
    await families.begin(token, { id, revocations }, input)
  }
  let issued: IssuedToken
  let counted: number
  try {
    const order = { user, client, scopes: splitScopes(scope, ' '), ...ofFamily }
    counted = await revocations.count(user)
    issued = await issueFor(service, order, lease.until)
    await tokens.reserve(issued.token, { ...login, scopes: issued.scopes, revocations: counted }, lease.until)
    await beginFamily(issued, counted, lease.until)
    if (request.isGone()) throw new Error('the client disconnected before its token was issued')
  } catch (error) {
    // The store cannot record this. When the lease lapses, the approval is free again.
    if (error instanceof StoreUnavailableError) throw error
    await grants.notIssued(deviceCode, claim)
    onError(error)
    return pending(grant, dialect)
  }
  const { token, scopes, expiresIn } = issued
  // The lease has lapsed and another poll holds it: drop this token.
  if (!(await grants.issued(deviceCode, claim))) return pending(grant, dialect)
  generation.advance()
  const now = clock.now()
  const lifetime = family ? accessLifetime(expiresIn, family.lifetime) : expiresIn
  const record = { ...login, scopes, revocations: counted }
  const kept = await tokens.keep(token, record, now + (lifetime ?? LIFETIME) * 1000)
  if (family) await beginFamily(issued, counted, now + family.lifetime * 1000)
  const stored = family?.id ?? kept
  const endsAt = now + (family?.lifetime ?? lifetime ?? LIFETIME) * 1000
  if (stored) await countLogin(service, user, stored, endsAt).catch(onError)
  await emit?.({
    type: 'token.issued',
    grant: await grantId(deviceCode),
    client: client.reference,
    user,
    scopes,
    ...ofFamily,
    origin: requestOrigin(request, clientAddress(request)),
  })
  const refresh = family && { token: family.token, expiresIn: family.lifetime }
  return tokenResponse(dialect, { token, scopes, expiresIn: lifetime, refresh })
}

function pending(_: Grant, { pollError }: DialectRules): ServiceResponse {
  return oauthError(pollError, 'authorization_pending', 'the user has not approved or denied yet')
}

/** The same response for a code that is unknown, used, or belongs to another client. */
function unknownCode({ pollError, unknownCode }: DialectRules): ServiceResponse {
  return oauthError(pollError, unknownCode, 'the device code is unknown or was used')
}
