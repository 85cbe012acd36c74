import type { DeviceGrantState } from '../../../machines/device-grant.ts'
import { DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE } from '../../protocol/endpoints.ts'
import { Secret } from '../../secret.ts'
import type { FoundClient } from '../credentials/clients.ts'
import type { DialectRules } from '../grants/dialect.ts'
import type { Grant } from '../grants/grant-steps.ts'
import { grantId, isUndecided } from '../grants/grants.ts'
import { fitsLogin, refuseTarget } from '../grants/resources.ts'
import { refuse, refuseAbove } from '../host/refused-request.ts'
import { oauthError, type ServiceRequest, type ServiceResponse } from '../http/types.ts'
import type { Parts } from '../parts.ts'
import { hash } from '../stores/hash.ts'
import { clientOf } from './client-of.ts'
import { fieldsOf } from './fields-of.ts'
import { deliverAgain, issueFirst } from './first-token.ts'
import { proofOf, spendProof } from './proof-of.ts'
import { refreshLogin } from './refresh.ts'

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

/** What most polls get, by its status: built once. */
const PENDING = { 200: pendingWith(200), 400: pendingWith(400) }

function pendingWith(status: number): ServiceResponse {
  return oauthError(status, 'authorization_pending', 'the user has not approved or denied yet')
}

export function grantTypes({ refreshTokens }: Pick<Parts, 'refreshTokens'>): readonly string[] {
  return refreshTokens ? [DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE] : [DEVICE_GRANT_TYPE]
}

/** Responds to a poll or a refresh. A malformed request gets status 400 in both dialects. RFC 8628, section 3.5. */
export async function accessToken(parts: Parts, request: ServiceRequest): Promise<ServiceResponse> {
  const { dialect } = parts
  const fields = fieldsOf(request, [
    'client_id',
    'client_secret',
    'device_code',
    'grant_type',
    'refresh_token',
    'scope',
    ...parts.resources.fields,
  ])
  const { device_code, grant_type, refresh_token, scope, resource } = fields
  const needsSecret = grant_type !== DEVICE_GRANT_TYPE || dialect.secretToLogIn
  const found = await clientOf(parts, request, fields, { at: 'atPoll', needsSecret })
  if (grant_type === undefined) return refuseWithout('grant_type')
  if (!grantTypes(parts).includes(grant_type))
    return refuse(
      dialect.pollError,
      'unsupported_grant_type',
      `grant_type must be ${grantTypes(parts).join(' or ')}`,
    )
  if (grant_type === DEVICE_GRANT_TYPE)
    return poll(parts, { request, found, deviceCode: device_code ?? refuseWithout('device_code'), resource })
  const refreshToken = new Secret(refresh_token ?? refuseWithout('refresh_token'))
  return refreshLogin(parts, { request, client: found.client, refreshToken, scope, resource })
}

function refuseWithout(field: string): never {
  return refuse(400, 'invalid_request', `the field ${field} is missing`)
}

interface Poll {
  readonly request: ServiceRequest
  readonly found: FoundClient
  readonly deviceCode: string
  readonly resource: string | undefined
}

async function poll(parts: Parts, { request, found, deviceCode, resource }: Poll): Promise<ServiceResponse> {
  const { grants, resources, limiter, earlyPolls, emit, clientAddress, dialect } = parts
  const client = found.client.reference
  const key = await hash(deviceCode)
  refuseAbove(earlyPolls.allow(key), { client })
  const proof = await proofOf(parts, request, found.client)
  const poller = { client, jkt: proof?.jkt }
  if (proof && (await grants.isOf(key, poller))) await spendProof(parts, proof)
  const polled = await grants.poll(key, poller, (grant) => fitsLogin(resources, resource, grant))
  if (polled === 'unfit') {
    earlyPolls.count(key)
    return refuseTarget(dialect.pollError)
  }
  if (polled === undefined) {
    refuseAbove(await limiter.wrongDeviceCode(clientAddress(request)), { client })
    return unknownCode(dialect)
  }
  const { grant, claim } = polled
  if (grant.state === 'slowed' && earlyPolls.count(key)) {
    const slowed = { limit: 'interval', retryAfter: grant.interval, grant: grantId(key) } as const
    await emit({ type: 'limited', ...slowed, client }, request)
  }
  // Polls after the token are never early, but each may cost as much as the first one.
  if (grant.state === 'authorized') earlyPolls.count(key)
  if (isUndecided(grant)) return RESPONSES[grant.state](grant, dialect)
  const approved = { ...found, grant, key, deviceCode, request }
  const delivered = claim
    ? await issueFirst(parts, approved, claim)
    : grant.state === 'authorized' && (await deliverAgain(parts, approved))
  if (typeof delivered === 'object') return delivered
  return RESPONSES[delivered || grant.state](grant, dialect)
}

function pending(_: Grant, { pollError }: DialectRules): ServiceResponse {
  return PENDING[pollError]
}

/** The same response for a code that is unknown, used, or belongs to another client. */
function unknownCode({ pollError, unknownCode }: DialectRules): ServiceResponse {
  return oauthError(pollError, unknownCode, 'the device code is unknown or was used')
}
