import { VERIFICATION_PATH } from '../../protocol/endpoints.ts'
import type { Clients } from '../clients.ts'
import type { GrantRequest, Grants } from '../grants.ts'
import type { Habits } from '../habits.ts'
import { json, oauthError, type ServiceRequest, type ServiceResponse, tooManyRequests } from '../http.ts'
import type { Limiter } from '../limits.ts'
import type { ServiceOptions } from '../options.ts'
import { originOf } from '../origin.ts'
import { readFields } from '../read-fields.ts'
import { refuseClient } from './refuse-client.ts'

/** What a request for codes needs. */
export interface DeviceCodeEndpoint {
  readonly clients: Clients
  readonly grants: Grants
  readonly limiter: Limiter
  readonly clientAddress: NonNullable<ServiceOptions['clientAddress']>
  readonly habits: Habits
  readonly pace: Pick<GrantRequest, 'interval' | 'expiresIn' | 'leeway' | 'firstPoll'>
  authUrl(): string
}

/** Characters of the longest `scope` that is kept. */
const LONGEST_SCOPE = 2000

/** What a scope may be made of. RFC 6749, section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * Answers a request for codes. Every error has a status of 400 or more: many clients look at nothing else here.
 *
 * @see Spec 4.1
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.2 RFC 8628, section 3.2}
 */
export async function deviceCode(
  { clients, grants, limiter, clientAddress, habits, pace, authUrl }: DeviceCodeEndpoint,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const read = readFields(request, ['client_id', 'scope'])
  if (!read.ok) return oauthError(400, 'invalid_request', read.problem)
  const found = await clients.of(request, read.fields.client_id)
  if (!found.ok) return refuseClient(found, habits, 'atCodes')
  const scopes = readScopes(read.fields.scope)
  if (scopes === undefined) return oauthError(400, 'invalid_scope', 'the scopes cannot be read')

  const address = clientAddress(request)
  const allowed = await limiter.codesRequest(address)
  if (!allowed.ok) return tooManyRequests(allowed.retryAfter)
  const { deviceCode, userCode } = await grants.issue({
    client: found.client.reference,
    scopes,
    origin: originOf(request, address),
    ...pace,
  })
  const verificationUri = authUrl() + VERIFICATION_PATH
  return json(200, {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
    expires_in: pace.expiresIn,
    interval: pace.interval,
  })
}

/** Separated by commas or spaces, each kept once; `undefined` where one of them is no scope. */
function readScopes(scope = ''): string[] | undefined {
  if (scope.length > LONGEST_SCOPE) return undefined
  const scopes = new Set(scope.split(/[ ,]+/).filter((name) => name !== ''))
  return [...scopes].every((name) => SCOPE.test(name)) ? [...scopes] : undefined
}
