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

/** Seconds for which a token is known of whose lifetime the host says nothing: a year. Spec: not shown. */
const LIFETIME = 365 * 24 * 60 * 60

/** What a poll needs. */
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

/** What a poll hears that issues no token, by the state that it led to. */
const RESPONSES = {
  requested: pending,
  pending,
  slowed: ({ interval }, { pollError }) =>
    oauthError(pollError, 'slow_down', `wait ${interval} seconds between two polls`, { interval }),
  approved: pending,
  // Another poll is issuing the token.
  issuing: pending,
  denied: (_, { pollError }) => oauthError(pollError, 'access_denied', 'the user denied the request'),
  authorized: (_, dialect) => unknownCode(dialect),
  expired: (_, { pollError }) =>
    oauthError(pollError, 'expired_token', 'the codes have expired: ask for new ones'),
} satisfies Record<DeviceGrantState, (grant: Grant, dialect: DialectRules) => ServiceResponse>

/**
 * Answers a poll. A request that cannot be understood is an error with status 400 in both dialects.
 *
 * @see Spec 4.2, 7
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

/** The poll that has the lease. */
interface Delivery {
  readonly grant: Grant
  readonly client: KnownClient
  readonly deviceCode: string
  readonly claim: string
  readonly isGone: ServiceRequest['isGone']
}

/**
 * Issues the token, as the one poll that may. Where that fails, or the client has hung up meanwhile, the approval is
 * left for the next poll. A token that nobody receives is forgotten when the lease lapses.
 *
 * Where the store goes away before the grant is settled, the lease lapses and the next poll issues another token. Where
 * it goes away later, and for longer than it tries, the authorization is used up: a second token would be the worse end.
 */
async function deliver(
  { grants, tokens, dialect, issueToken, onError, clock }: AccessTokenEndpoint,
  { grant, client, deviceCode, claim, isGone }: Delivery,
): Promise<ServiceResponse> {
  const { user, scope, lease } = grant
  if (user === null || lease === null)
    throw new TypeError('a grant was approved by nobody, or claimed by none')
  const asked = splitScopes(scope, ' ')
  let issued: IssuedToken
  try {
    const { clientId, name } = client
    const made = issueToken({ user, client: { clientId, name }, scopes: asked })
    issued = readIssuedToken(await withDeadline(lease.until - clock.now(), made, tookTooLong), asked)
    await tokens.reserve(issued.token, { user, scopes: issued.scopes }, lease.until)
    if (isGone()) throw new Error('the client hung up before its token was made')
  } catch (error) {
    // The store would not hear of it: when the lease has lapsed, the approval is free again.
    if (error instanceof StoreUnavailableError) throw error
    await grants.notIssued(deviceCode, claim)
    onError(error)
    return pending(grant, dialect)
  }
  const { token, scopes, expiresIn } = issued
  // The lease has lapsed, and another poll has it now: this token is dropped.
  if (!(await grants.issued(deviceCode, claim))) return pending(grant, dialect)
  await tokens.keep(token, { user, scopes }, clock.now() + (expiresIn ?? LIFETIME) * 1000)
  return json(200, {
    access_token: token.reveal(),
    token_type: 'bearer',
    scope: joinScopes(scopes, dialect.separator),
    ...(expiresIn !== undefined && { expires_in: expiresIn }),
  })
}

/** The lease is over, and another poll may issue: whatever this one is given later, nobody will see. */
function tookTooLong(): Error {
  return new Error('issueToken took longer than a poll may be busy')
}

function pending(_: Grant, { pollError }: DialectRules): ServiceResponse {
  return oauthError(pollError, 'authorization_pending', 'the user has not yet entered the code')
}

/** Unknown, of another client, or used: the three are not told apart. */
function unknownCode({ pollError, unknownCode }: DialectRules): ServiceResponse {
  return oauthError(pollError, unknownCode, 'there is no such device code')
}
