import { BadResponseError, RefusedError } from '../errors.ts'
import { DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE } from '../protocol/endpoints.ts'
import { isVisible } from '../protocol/fields.ts'
import { refusalOf } from '../protocol/refusal.ts'
import { send, type Transport, textMemberOf } from '../request/http.ts'
import { nameResponse } from '../request/name-request.ts'
import type { ReceivedResponse } from '../request/received-response.ts'

/** What the user can do if an issuer does not register clients. */
export const CREATE_CLIENT = 'create a client there, and pass its ID in "clients"'

/** A client at an issuer, as plain JSON. **Sensitive.** */
export interface RegisteredClient {
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly method?: 'client_secret_post' | 'client_secret_basic' | undefined
}

/**
 * Registers a public client for the device flow.
 *
 * @param name What the issuer shows to the user.
 * @throws {@link RefusedError}, {@link BadResponseError} and the errors of a request.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7591.html#section-3 RFC 7591, section 3}
 */
export async function registerClient(
  endpoint: string,
  name: string,
  via: Transport,
  signal: AbortSignal,
): Promise<RegisteredClient> {
  const wanted = {
    client_name: name,
    application_type: 'native',
    grant_types: [DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE],
    // Empty, not absent: some servers take the defaults of the code flow otherwise.
    response_types: [],
    redirect_uris: [],
    token_endpoint_auth_method: 'none',
  }
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(wanted) }
  const response = await send(endpoint, request, via, signal)
  if (response.status >= 400) throw registrationRefusal(response)
  const clientId = textMemberOf(response.body, 'client_id')
  if (!isVisible(clientId))
    throw new BadResponseError(
      `${nameResponse('the registration response', response)} has no valid "client_id": ${CREATE_CLIENT}`,
    )
  const clientSecret = textMemberOf(response.body, 'client_secret')
  const method = textMemberOf(response.body, 'token_endpoint_auth_method')
  if (clientSecret === undefined || method === 'none') return { clientId }
  if (method === 'client_secret_post' || method === 'client_secret_basic')
    return { clientId, clientSecret, method }
  return { clientId, clientSecret }
}

/** The advice of a refused login does not fit. A service that fails or limits requests may register a client later. */
function registrationRefusal(response: ReceivedResponse): RefusedError {
  const refusal = refusalOf(response)
  const { status } = refusal
  if (status >= 500 || status === 429) return refusal
  const refused = nameResponse('the service refused to register a client', response)
  return new RefusedError(refusal, `${refused} with status ${status}: ${CREATE_CLIENT}`)
}
