import { tokenDeletionPath } from '../../protocol/endpoints.ts'
import { Secret } from '../../secret.ts'
import type { Clients } from '../credentials/clients.ts'
import type { DialectRules } from '../grants/dialect.ts'
import { readFields } from '../http/fields.ts'
import { requestOrigin } from '../http/request-origin.ts'
import { json, noContent, oauthError, type ServiceRequest, type ServiceResponse } from '../http/types.ts'
import type { Limiter } from '../limits/limiter.ts'
import { type Revocation, revokeToken } from '../tokens/revoke-token.ts'
import { refuseClient } from './refuse-client.ts'
import type { LimitedEndpoint } from './refuse-limited.ts'

/** What the revocation endpoints need. */
export interface RevocationEndpoint extends Revocation, LimitedEndpoint {
  readonly clients: Clients
  readonly limiter: Limiter
  readonly dialect: DialectRules
}

/**
 * Revokes a token for the client that holds it. An unknown token gets the same response: there is nothing left to
 * revoke. Every error has a status of 400 or more, in both dialects.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7009.html#section-2 RFC 7009, section 2}
 */
export async function revocation(
  service: RevocationEndpoint,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const read = readFields(request, ['client_id', 'client_secret', 'token'])
  if (!read.ok) return oauthError(400, 'invalid_request', read.problem)
  const found = await service.clients.of(request, read.fields)
  if (!found.ok) return refuseClient(service, request, found, 'atCodes')
  const { token } = read.fields
  if (token === undefined) return oauthError(400, 'invalid_request', 'the field token is missing')
  const asking = {
    client: found.client.reference,
    origin: requestOrigin(request, service.clientAddress(request)),
  }
  switch (await revokeToken(service, new Secret(token), asking)) {
    case 'revoked':
    case 'unknown':
      return json(200, {})
    case 'foreign':
      return oauthError(400, 'invalid_grant', 'the token was issued to another client')
    case 'unsupported':
      return oauthError(
        400,
        'unsupported_token_type',
        'this token cannot be revoked: it is valid until it expires',
      )
  }
}

/**
 * Revokes a token as GitHub does, for a client that has a secret. An unknown token gets 404: an access token that has
 * expired cannot end its login. The path is looked at last, so that nobody learns which client ids exist.
 *
 * @see {@link https://docs.github.com/en/rest/apps/oauth-applications#delete-an-app-token GitHub: Delete an app token}
 */
export async function tokenDeletion(
  service: RevocationEndpoint,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const found = await service.clients.of(request, {})
  if (!found.ok) return refuseClient(service, request, found, 'atCodes')
  const { reference: client, clientId, secret } = found.client
  if (secret === undefined || !request.path.endsWith(tokenDeletionPath(clientId.reveal())))
    return json(404, { message: 'this is not the path of a client with this secret' })
  const read = readFields(request, ['access_token'])
  const token = read.ok ? read.fields.access_token : undefined
  if (token === undefined) return json(422, { message: 'the field access_token is missing' })
  const origin = requestOrigin(request, service.clientAddress(request))
  const revoked = await revokeToken(service, new Secret(token), { client, origin })
  if (revoked === 'revoked') return noContent()
  if (revoked === 'unknown') return json(404, { message: 'the token is unknown or has expired' })
  return json(422, { message: `the token cannot be revoked here: ${revoked}` })
}
