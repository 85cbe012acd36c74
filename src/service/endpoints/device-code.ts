import { VERIFICATION_PATH } from '../../protocol/service-paths.ts'
import { readScopes } from '../grants/read-scopes.ts'
import { allowedScopes, refuseTarget } from '../grants/resources.ts'
import { mustType } from '../host/policy.ts'
import { refuseAbove } from '../host/refused-request.ts'
import { requestOrigin } from '../http/request-origin.ts'
import { json, type ServiceRequest, type ServiceResponse } from '../http/types.ts'
import type { Parts } from '../parts.ts'
import { OPENID } from '../tokens/jwts.ts'
import { clientOf } from './client-of.ts'
import { fieldsOf } from './fields-of.ts'
import { proofOf } from './proof-of.ts'

/**
 * Responds to a device code request. Every error has a status of 400 or more: many clients check nothing else here.
 * RFC 8628, section 3.2.
 */
export async function deviceCode(parts: Parts, request: ServiceRequest): Promise<ServiceResponse> {
  const { grants, resources, limiter, emit, clientAddress, dialect, pace, authUrl, jwts } = parts
  const fields = fieldsOf(request, ['client_id', 'client_secret', 'scope', ...resources.fields])
  const found = await clientOf(parts, request, fields, { at: 'atCodes', needsSecret: dialect.secretToLogIn })
  const { policy, reference: client } = found.client
  // Not remembered: a copy gets another code for the same key, which is useless without it.
  const proof = await proofOf(parts, request, found.client, 'atCodes')
  const requested =
    fields.resource === undefined ? undefined : (resources.find(fields.resource) ?? refuseTarget(400))
  const resource = requested ? { resource: requested.uri } : {}
  const read = readScopes(fields.scope ?? '', allowedScopes(found.client.scopes, requested?.scopes))
  // Not refused: some clients request it always. The page does not show what is not granted.
  const scopes = read.filter((name) => jwts || name !== OPENID)
  const scope = scopes.join(' ')
  const expiresIn = Math.min(pace.expiresIn, policy?.codeLifetime ?? Number.POSITIVE_INFINITY)
  // A function of the host may throw: before anything is counted.
  const isTyped = mustType(policy, scopes)

  const address = clientAddress(request)
  refuseAbove(await limiter.codesRequest(address), { client })
  refuseAbove(await limiter.grant(address, scope), { client })
  const origin = requestOrigin(request, address)
  const { deviceCode, userCode, id, expiresAt } = await grants.issue({
    ...pace,
    client,
    scope,
    ...resource,
    jkt: proof?.jkt,
    origin,
    expiresIn,
  })
  await emit({ type: 'codes.issued', grant: id, client, scopes, ...resource, expiresAt }, request)
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
