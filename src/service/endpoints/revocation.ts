import { tokenDeletionPath } from '../../protocol/endpoints.ts'
import { Secret } from '../../secret.ts'
import { refuse } from '../host/refused-request.ts'
import { readFields } from '../http/fields.ts'
import { json, noContent, type ServiceRequest, type ServiceResponse } from '../http/types.ts'
import type { Parts } from '../parts.ts'
import { clientOf } from './client-of.ts'
import { fieldsOf } from './fields-of.ts'

/**
 * Revokes a token for the client that holds it. An unknown token gets the same response: there is nothing left to
 * revoke. Every error has a status of 400 or more, in both dialects. RFC 7009, section 2.
 */
export async function revocation(parts: Parts, request: ServiceRequest): Promise<ServiceResponse> {
  const fields = fieldsOf(request, ['client_id', 'client_secret', 'token'])
  const { client } = await clientOf(parts, request, fields, { at: 'atCodes', needsSecret: true })
  const token = fields.token ?? refuse(400, 'invalid_request', 'the field token is missing')
  const revoked = await parts.logins.revoke(new Secret(token), { client: client.reference, request })
  if (revoked === 'foreign') return refuse(400, 'invalid_grant', 'the token was issued to another client')
  if (revoked === 'unsupported')
    return refuse(400, 'unsupported_token_type', 'this token cannot be revoked: it is valid until it expires')
  return json(200, {})
}

/**
 * Revokes a token as GitHub does, for a client that has a secret. An unknown token gets 404: an access token that has
 * expired cannot end its login. The path is looked at last, so that nobody learns which client IDs exist.
 *
 * @see {@link https://docs.github.com/en/rest/apps/oauth-applications#delete-an-app-token GitHub: Delete an app token}
 */
export async function tokenDeletion(parts: Parts, request: ServiceRequest): Promise<ServiceResponse> {
  const { client } = await clientOf(parts, request, {}, { at: 'atCodes', needsSecret: true })
  if (client.secret === undefined || !request.path.endsWith(tokenDeletionPath(client.clientId.reveal())))
    return json(404, { message: 'this is not the path of a client with this secret' })
  const read = readFields(request, ['access_token'])
  const token = read.ok ? read.fields.access_token : undefined
  if (token === undefined) return json(422, { message: 'the field access_token is missing' })
  const revoked = await parts.logins.revoke(new Secret(token), { client: client.reference, request })
  if (revoked === 'revoked') return noContent()
  if (revoked === 'unknown') return json(404, { message: 'the token is unknown or has expired' })
  return json(422, { message: `the token cannot be revoked here: ${revoked}` })
}
