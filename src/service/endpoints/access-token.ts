import type { DeviceGrantState } from '../../../machines/device-grant.ts'
import { StoreUnavailableError } from '../../errors.ts'
import { DEVICE_GRANT_TYPE } from '../../protocol/endpoints.ts'
import { joinScopes, splitScopes } from '../../protocol/scopes.ts'
import type { Clients, KnownClient } from '../clients.ts'
import { newClaim } from '../credentials/random-codes.ts'
import type { Tokens } from '../credentials/tokens.ts'
import { withDeadline } from '../deadline.ts'
import type { DialectRules } from '../dialect.ts'
import type { EarlyPolls } from '../early-polls.ts'
import type { Grant } from '../grant-steps.ts'
import type { Grants } from '../grants.ts'
import { readFields } from '../http/fields.ts'
import {
  json,
  oauthError,
  type ServiceRequest,
  type ServiceResponse,
  tooManyRequests,
} from '../http/types.ts'
import { type IssuedToken, readIssuedToken } from '../issued-token.ts'
import type { Limiter } from '../limiter.ts'
import type { ServiceOptions } from '../options.ts'
import { refuseClient } from './refuse-client.ts'

/** Lifetime in seconds of a token for which the host gave none: a year. */
const LIFETIME = 365 * 24 * 60 * 60

/** What the access token endpoint needs. */
export interface AccessTokenEndpoint {
  readonly clients: Clients
  readonly grants: Grants
  readonly tokens: Tokens
  readonly limiter: Limiter
  readonly earlyPolls: EarlyPolls
  readonly clientAddress: NonNullable<ServiceOptions['clientAddress']>
  readonly dialect: DialectRules
  readonly issueToken: NonNullable<ServiceOptions['issueToken']>
  readonly onError: (error: unknown) => void
  readonly clock: { now(): number }
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
 * Responds to a poll. A malformed request gets status 400 in both dialects.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export async function accessToken(
  service: AccessTokenEndpoint,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const { clients, grants, limiter, earlyPolls, clientAddress, dialect } = service
  const read = readFields(request, ['client_id', 'device_code', 'grant_type'])
  if (!read.ok) return oauthError(400, 'invalid_request', read.problem)
  const { client_id, device_code, grant_type } = read.fields
  const found = await clients.of(request, client_id)
  if (!found.ok) return refuseClient(service, request, found, 'atPoll')
  if (grant_type === undefined) return oauthError(400, 'invalid_request', 'the field grant_type is missing')
  if (grant_type !== DEVICE_GRANT_TYPE)
    return oauthError(dialect.pollError, 'unsupported_grant_type', `grant_type must be ${DEVICE_GRANT_TYPE}`)
  if (device_code === undefined) return oauthError(400, 'invalid_request', 'the field device_code is missing')

  const allowed = await earlyPolls.allow(device_code)
  if (!allowed.ok) return tooManyRequests(allowed.retryAfter)
  const claim = newClaim()
  const grant = await grants.poll(device_code, found.client.reference, claim)
  if (grant === undefined) {
    const allowed = await limiter.wrongDeviceCode(clientAddress(request))
    return allowed.ok ? unknownCode(dialect) : tooManyRequests(allowed.retryAfter)
  }
  if (grant.state === 'slowed') await earlyPolls.count(device_code)
  const isOurs = grant.state === 'issuing' && grant.lease?.claim === claim
  return isOurs
    ? deliver(service, {
        grant,
        client: found.client,
        deviceCode: device_code,
        claim,
        isGone: request.isGone,
      })
    : RESPONSES[grant.state](grant, dialect)
}

/** The poll that holds the lease. */
interface Delivery {
  readonly grant: Grant
  readonly client: KnownClient
  readonly deviceCode: string
  readonly claim: string
  readonly isGone: ServiceRequest['isGone']
}

/**
 * Issues the token for the poll that holds the lease. If that fails, or the client has disconnected, the approval is
 * left for the next poll. A token that nobody receives expires with the lease.
 *
 * If the store fails before the grant is settled, the lease lapses and the next poll issues another token. If it fails
 * after that, beyond all retries, the grant is used up: issuing a second token would be worse.
 */
async function deliver(
  { grants, tokens, dialect, issueToken, onError, clock }: AccessTokenEndpoint,
  { grant, client, deviceCode, claim, isGone }: Delivery,
): Promise<ServiceResponse> {
  const { user, scope, lease } = grant
  if (user === null || lease === null) throw new TypeError('the grant has no user or no lease')
  const requested = splitScopes(scope, ' ')
  let issued: IssuedToken
  try {
    const { clientId, name } = client
    const made = issueToken({ user, client: { clientId, name }, scopes: requested })
    issued = readIssuedToken(await withDeadline(lease.until - clock.now(), made, tookTooLong), requested)
    await tokens.reserve(issued.token, { user, scopes: issued.scopes }, lease.until)
    if (isGone()) throw new Error('the client disconnected before its token was issued')
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
  await tokens.keep(token, { user, scopes }, clock.now() + (expiresIn ?? LIFETIME) * 1000)
  return json(200, {
    access_token: token.reveal(),
    token_type: 'bearer',
    scope: joinScopes(scopes, dialect.separator),
    ...(expiresIn !== undefined && { expires_in: expiresIn }),
  })
}

/** The lease is over and another poll may issue a token: what `issueToken` returns later is dropped. */
function tookTooLong(): Error {
  return new Error('issueToken took longer than ten seconds')
}

function pending(_: Grant, { pollError }: DialectRules): ServiceResponse {
  return oauthError(pollError, 'authorization_pending', 'the user has not approved or denied yet')
}

/** The same response for a code that is unknown, used, or belongs to another client. */
function unknownCode({ pollError, unknownCode }: DialectRules): ServiceResponse {
  return oauthError(pollError, unknownCode, 'the device code is unknown or was used')
}
