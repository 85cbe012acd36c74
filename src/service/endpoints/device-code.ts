import { VERIFICATION_PATH } from '../../protocol/endpoints.ts'
import type { Clients, FoundClient } from '../clients.ts'
import type { Grants } from '../grants.ts'
import { json, oauthError, type ServiceRequest, type ServiceResponse } from '../http.ts'
import { readFields } from '../read-fields.ts'

/** The characters of a scope. RFC 6749, section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

export interface DeviceCodeEndpoint {
  readonly clients: Clients
  readonly grants: Grants
  readonly profile: 'github' | 'rfc8628'
  readonly interval: number
  readonly expiresIn: number
  readonly leeway: number | null
  readonly firstPoll: 'free' | 'counted'
  authUrl(): string
}

/**
 * Answers a request for codes. Every error has a status of 400 or more: many clients look at nothing else here.
 *
 * @see Spec 4.1
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.2 RFC 8628, section 3.2}
 */
export async function deviceCode(
  service: DeviceCodeEndpoint,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const read = readFields(request)
  if (!read.ok) return oauthError(400, 'invalid_request', read.problem)
  const found = await service.clients.of(request, read)
  if (!found.ok) return refuseClient(found, service.profile)
  const scopes = readScopes(read.fields.get('scope'))
  if (!scopes.every((scope) => SCOPE.test(scope))) {
    return oauthError(400, 'invalid_scope', 'a scope holds characters that no scope may hold')
  }
  const { interval, expiresIn, leeway, firstPoll } = service
  const { deviceCode, userCode } = await service.grants.issue(
    { client: found.client.key, scopes },
    { interval, expiresIn, leeway, firstPoll },
  )
  const verificationUri = service.authUrl() + VERIFICATION_PATH
  return json(200, {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
    expires_in: expiresIn,
    interval,
  })
}

/** Spec: not shown. The service of the specification answers 404; RFC 6749, section 5.2, says 401. */
export function refuseClient({ why }: Extract<FoundClient, { ok: false }>, profile: 'github' | 'rfc8628') {
  if (why === 'missing') return oauthError(400, 'invalid_request', 'the field client_id is missing')
  if (why === 'contradictory') {
    return oauthError(400, 'invalid_request', 'the body and the header name different clients')
  }
  return profile === 'github'
    ? oauthError(404, 'incorrect_client_credentials', 'there is no client of this id')
    : oauthError(401, 'invalid_client', 'there is no client of this id')
}

/** Separated by commas or spaces, each once. */
function readScopes(scope = ''): string[] {
  return [...new Set(scope.split(/[\s,]+/).filter((name) => name !== ''))]
}
