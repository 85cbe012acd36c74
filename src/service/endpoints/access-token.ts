import type { DeviceGrantState } from '../../../machines/device-grant.ts'
import { DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE } from '../../protocol/endpoints.ts'
import type { Clients } from '../credentials/clients.ts'
import { newClaim } from '../credentials/random-codes.ts'
import type { DialectRules } from '../grants/dialect.ts'
import type { Grant } from '../grants/grant-steps.ts'
import { grantId } from '../grants/grants.ts'
import { readFields } from '../http/fields.ts'
import { requestOrigin } from '../http/request-origin.ts'
import { oauthError, type ServiceRequest, type ServiceResponse } from '../http/types.ts'
import type { EarlyPolls } from '../limits/early-polls.ts'
import { deliverAgain, type FirstTokenEndpoint, issueFirst } from './first-token.ts'
import { refresh } from './refresh.ts'
import { refuseClient } from './refuse-client.ts'
import { refuseLimited } from './refuse-limited.ts'

/** What the access token endpoint needs. */
export interface AccessTokenEndpoint extends FirstTokenEndpoint {
  readonly clients: Clients
  readonly earlyPolls: EarlyPolls
}

/** The grant types that the endpoint accepts. */
export function grantTypes({ refreshTokens }: Pick<AccessTokenEndpoint, 'refreshTokens'>): readonly string[] {
  return refreshTokens ? [DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE] : [DEVICE_GRANT_TYPE]
}

/** The response to a poll that gets no token, by the state of the grant after it. */
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
  const { sentSecret } = found
  const approved = { grant, client: found.client, sentSecret, deviceCode: device_code, request }
  // Polls after the token are never early, but each may cost as much as the first one.
  if (grant.state === 'authorized') await earlyPolls.count(device_code)
  const isOurs = grant.state === 'issuing' && grant.claim?.id === claim
  const delivered = isOurs
    ? await issueFirst(service, approved, claim)
    : grant.state === 'authorized' && (await deliverAgain(service, approved))
  if (typeof delivered === 'object') return delivered
  return RESPONSES[delivered || grant.state](grant, dialect)
}

function pending(_: Grant, { pollError }: DialectRules): ServiceResponse {
  return oauthError(pollError, 'authorization_pending', 'the user has not approved or denied yet')
}

/** The same response for a code that is unknown, used, or belongs to another client. */
function unknownCode({ pollError, unknownCode }: DialectRules): ServiceResponse {
  return oauthError(pollError, unknownCode, 'the device code is unknown or was used')
}
