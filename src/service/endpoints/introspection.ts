import { Secret } from '../../secret.ts'
import { refuse, refuseAbove } from '../host/refused-request.ts'
import { json, type ServiceRequest, type ServiceResponse } from '../http/types.ts'
import type { Parts } from '../parts.ts'
import { hash } from '../stores/hash.ts'
import { accessClaims } from '../tokens/jwts.ts'
import { fieldsOf } from './fields-of.ts'

/**
 * Tells an API about a token that was issued for it. Any other token, also one that is valid elsewhere, is only not active.
 * RFC 7662, section 2.
 */
export async function introspection(parts: Parts, request: ServiceRequest): Promise<ServiceResponse> {
  const { callers, clients, tokens, limiter, clientAddress, issuer, audience } = parts
  const authentication = ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type'] as const
  const fields = fieldsOf(request, [...authentication, 'token'])
  const caller = await callers.of(request, fields)
  if (caller === undefined) {
    refuseAbove(await limiter.unknownClient(clientAddress(request)))
    return refuse(401, 'invalid_client', 'the API is unknown, or does not prove who it is')
  }
  const token = fields.token ?? refuse(400, 'invalid_request', 'the field token is missing')
  const found = await tokens.find(new Secret(token))
  if (found === undefined || found.resource !== caller) return json(200, { active: false })
  const known = 'client' in found ? { ...found, client: await clients.at(found.client) } : found
  const claims = accessClaims(known, { issuer: issuer(), audience })
  const token_type = found.jkt ? 'DPoP' : 'Bearer'
  return json(200, { active: true, token_type, ...claims, jti: await tokenId(token) })
}

/** What identifies a valid token in logs: the `jti` of a JWT that has one, otherwise the SHA-256 hash of the token. */
async function tokenId(token: string): Promise<string> {
  const { decodeJwt } = await import('jose/jwt/decode')
  try {
    const { jti } = decodeJwt(token)
    if (jti !== undefined) return jti
  } catch {
    // Not a JWT.
  }
  return hash(token)
}
