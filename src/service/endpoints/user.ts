import type { Authentication } from '../authenticate.ts'
import { json, type ServiceResponse } from '../http.ts'

/**
 * Says who a credential belongs to. A user who has no id but a name is known by that.
 *
 * Spec: the resources of the API are not shown. The path, the fields and the header of the scopes are those of the
 * service.
 */
export function user(authentication: Authentication): ServiceResponse {
  switch (authentication.form) {
    case 'none': {
      const headers = { 'www-authenticate': 'Bearer realm="authgraph"' }
      return json(401, { message: 'requires authentication' }, headers)
    }
    case 'refused': {
      const { status, message, challenge } = authentication
      return json(status, { message }, { 'www-authenticate': challenge })
    }
    case 'oauth': {
      const { user, scopes } = authentication
      const { id, login } = typeof user === 'string' ? { id: user, login: user } : user
      return json(200, { id, login }, { 'x-oauth-scopes': scopes.join(', ') })
    }
  }
}
