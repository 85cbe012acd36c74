import { withoutSlash } from '../../protocol/address.ts'
import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH, VERIFICATION_PATH } from '../../protocol/endpoints.ts'
import { json, type ServiceResponse } from '../http/types.ts'
import type { Client } from '../options.ts'

/**
 * Responds with the authorization server metadata, for clients that discover the endpoints.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414.html#section-2 RFC 8414, section 2}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-4 RFC 8628, section 4}
 */
export function metadata(issuer: string, grantTypes: readonly string[]): ServiceResponse {
  return json(200, describe(issuer, grantTypes))
}

/**
 * Responds with the same metadata to clients that use only OpenID Connect Discovery, such as oidc-agent and MSAL Python.
 * oidc-agent requires the scopes, and MSAL Python an authorization endpoint: that is the verification page. The service
 * issues no ID tokens.
 *
 * @param clients Their scopes are listed.
 * @see {@link https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata OpenID Connect Discovery 1.0, section 3}
 */
export function openidConfiguration(
  issuer: string,
  grantTypes: readonly string[],
  clients: readonly Client[],
): ServiceResponse {
  return json(200, {
    ...describe(issuer, grantTypes),
    authorization_endpoint: withoutSlash(issuer) + VERIFICATION_PATH,
    scopes_supported: [...new Set(clients.flatMap(({ scopes = [] }) => scopes))],
  })
}

function describe(issuer: string, grantTypes: readonly string[]) {
  return {
    issuer,
    device_authorization_endpoint: withoutSlash(issuer) + DEVICE_CODE_PATH,
    token_endpoint: withoutSlash(issuer) + ACCESS_TOKEN_PATH,
    grant_types_supported: grantTypes,
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none'],
  }
}
