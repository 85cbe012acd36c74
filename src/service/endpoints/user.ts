import type { Authentication } from '../authenticate.ts'
import { json, type ServiceResponse } from '../http.ts'

/**
 * Says who a credential belongs to.
 *
 * Spec: the resources of the API are not shown. The path and the field `login` are those of the service.
 */
export function user(authentication: Authentication): ServiceResponse {
  switch (authentication.form) {
    case 'none':
      return json(
        401,
        { message: 'requires authentication' },
        { 'www-authenticate': 'Bearer realm="authgraph"' },
      )
    case 'refused': {
      const { status, message, challenge } = authentication
      return json(status, { message }, { 'www-authenticate': challenge })
    }
    case 'oauth': {
      const { user, scopes } = authentication
      return json(200, typeof user === 'string' ? { login: user } : { id: user.id, login: user.login }, {
        'x-oauth-scopes': scopes.join(', '),
      })
    }
  }
}
