import { joinScopes } from '../../protocol/syntax.ts'
import type { Secret } from '../../secret.ts'
import type { DialectRules } from '../grants/dialect.ts'
import { json, type ServiceResponse } from '../http/types.ts'

/** What a client receives. Lifetimes in seconds. */
export interface DeliveredToken {
  readonly token: Secret
  readonly jkt: string | undefined
  readonly idToken: Secret | undefined
  readonly scopes: readonly string[]
  readonly expiresIn: number | undefined
  readonly refresh?: { readonly token: Secret; readonly expiresIn: number } | undefined
}

/** Responds with a token. RFC 6749, section 5.1. */
export function tokenResponse(
  { separator, tellsRefreshLifetime }: DialectRules,
  { token, jkt, idToken, scopes, expiresIn, refresh }: DeliveredToken,
): ServiceResponse {
  const body = {
    access_token: token.reveal(),
    token_type: jkt ? 'DPoP' : 'bearer',
    scope: joinScopes(scopes, separator),
    ...(idToken && { id_token: idToken.reveal() }),
    ...(expiresIn !== undefined && { expires_in: expiresIn }),
    ...(refresh && { refresh_token: refresh.token.reveal() }),
    ...(refresh && tellsRefreshLifetime && { refresh_token_expires_in: refresh.expiresIn }),
  }
  return json(200, body, { pragma: 'no-cache' })
}
