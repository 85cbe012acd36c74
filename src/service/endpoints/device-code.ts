import { VERIFICATION_PATH } from '../../protocol/endpoints.ts'
import type { Clients } from '../credentials/clients.ts'
import type { DialectRules } from '../grants/dialect.ts'
import type { GrantRequest, Grants } from '../grants/grants.ts'
import { readScopes } from '../grants/read-scopes.ts'
import { mustType } from '../host/policy.ts'
import { readFields } from '../http/fields.ts'
import { requestOrigin } from '../http/request-origin.ts'
import { json, oauthError, type ServiceRequest, type ServiceResponse } from '../http/types.ts'
import type { Limiter } from '../limits/limiter.ts'
import { refuseClient } from './refuse-client.ts'
import { type LimitedEndpoint, refuseLimited } from './refuse-limited.ts'

/** What the device code endpoint needs. */
export interface DeviceCodeEndpoint extends LimitedEndpoint {
  readonly clients: Clients
  readonly grants: Grants
  readonly limiter: Limiter
  readonly dialect: DialectRules
  readonly pace: Pick<GrantRequest, 'interval' | 'expiresIn' | 'leeway' | 'firstPoll'>
  authUrl(): string
}

/**
 * Responds to a device code request. Every error has a status of 400 or more: many clients check nothing else here.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.2 RFC 8628, section 3.2}
 */
export async function deviceCode(
  service: DeviceCodeEndpoint,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const { clients, grants, limiter, emit, clientAddress, dialect, pace, authUrl } = service
  const read = readFields(request, ['client_id', 'client_secret', 'scope'])
  if (!read.ok) return oauthError(400, 'invalid_request', read.problem)
  const found = await clients.of(request, read.fields, dialect.secretToLogIn)
  if (!found.ok) return refuseClient(service, request, found, 'atCodes')
  const requested = readScopes(read.fields.scope ?? '', found.client.scopes)
  if (!requested.ok) return oauthError(400, 'invalid_scope', requested.problem)

  const { policy, reference: client } = found.client
  const expiresIn = Math.min(pace.expiresIn, policy?.codeLifetime ?? Number.POSITIVE_INFINITY)
  // A function of the host may throw: before anything is counted.
  const isTyped = mustType(policy, requested.scopes)
  const address = clientAddress(request)
  const scope = requested.scopes.join(' ')
  const counted = await limiter.codesRequest(address)
  const allowed = counted.ok ? await limiter.grant(address, scope) : counted
  if (!allowed.ok) return refuseLimited(service, request, allowed, { client })
  const { scopes } = requested
  const origin = requestOrigin(request, address)
  const issued = await grants.issue({ client, scope, origin, ...pace, expiresIn })
  const { deviceCode, userCode, id, expiresAt } = issued
  await emit?.({ type: 'codes.issued', grant: id, client, scopes, expiresAt, origin })
  const verificationUri = authUrl() + VERIFICATION_PATH
  return json(200, {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: verificationUri,
    ...(!isTyped && {
      verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
    }),
    expires_in: expiresIn,
    interval: pace.interval,
  })
}
