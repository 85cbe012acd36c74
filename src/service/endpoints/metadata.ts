import { withoutSlash } from '../../protocol/address.ts'
import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH, DEVICE_GRANT_TYPE } from '../../protocol/endpoints.ts'
import { json, type ServiceResponse } from '../http.ts'

/**
 * Says where everything is, for clients that discover it.
 *
 * Spec: not shown.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414.html#section-2 RFC 8414, section 2}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-4 RFC 8628, section 4}
 */
export function metadata(issuer: string): ServiceResponse {
  return json(200, {
    issuer,
    device_authorization_endpoint: withoutSlash(issuer) + DEVICE_CODE_PATH,
    token_endpoint: withoutSlash(issuer) + ACCESS_TOKEN_PATH,
    grant_types_supported: [DEVICE_GRANT_TYPE],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none'],
  })
}
