import { isTexts } from '../../protocol/fields.ts'
import { memberOf } from '../../request/http.ts'
import { refuse, refuseAbove } from '../host/refused-request.ts'
import { bodyOf, json, type ServiceRequest, type ServiceResponse } from '../http/types.ts'
import type { Parts } from '../parts.ts'
import { grantTypes } from './access-token.ts'

const ERRORS = { error_uri: 'https://www.rfc-editor.org/rfc/rfc7591.html#section-3.2.2' }

const EXPECTED: Readonly<Record<string, string>> = {
  client_name: 'a name of at most 100 characters, which users see',
  grant_types: 'a list with the device grant: this service has no other login',
  token_endpoint_auth_method: 'none, client_secret_basic or client_secret_post',
}

/**
 * Registers a client for the device flow. Redirect URIs and response types are of no use here: none are registered.
 * RFC 7591, section 3.
 */
export async function registration(parts: Parts, request: ServiceRequest): Promise<ServiceResponse> {
  const { registered, limiter, clientAddress, emit } = parts
  if (registered === undefined) throw new TypeError('nobody may register')
  const asked = readJson(bodyOf(request))
  const uris = memberOf(asked, 'redirect_uris') ?? []
  if (!isTexts(uris) || !uris.every((uri) => URL.canParse(uri)))
    return refuse(400, 'invalid_redirect_uri', 'redirect_uris must be a list of URIs, or absent', ERRORS)
  refuseAbove(await limiter.registration(clientAddress(request)))
  const client = await registered.register(asked)
  if ('invalid' in client) {
    const { invalid } = client
    return refuse(400, 'invalid_client_metadata', `${invalid} must be ${EXPECTED[invalid]}`, ERRORS)
  }
  const { clientId, clientSecret, reference, name, method, issuedAt } = client
  await emit({ type: 'client.registered', client: reference }, request)
  return json(201, {
    client_id: clientId,
    client_id_issued_at: Math.floor(issuedAt / 1000),
    ...(clientSecret !== undefined && { client_secret: clientSecret, client_secret_expires_at: 0 }),
    client_name: name,
    grant_types: grantTypes(parts),
    response_types: [],
    redirect_uris: [],
    token_endpoint_auth_method: method,
  })
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return refuse(400, 'invalid_client_metadata', 'the body is not JSON', ERRORS)
  }
}
