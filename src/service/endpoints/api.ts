import type { User } from '../../../machines/device-grant.ts'
import { type Authentication, CHALLENGE, type Refused } from '../credentials/authenticate.ts'
import { json, type ServiceResponse } from '../http/types.ts'

/**
 * Says which user a credential belongs to.
 *
 * Spec: the resources of the API are not shown. The paths `/user` and `/app` are those of the service.
 */
export function user(authentication: Authentication): ServiceResponse {
  switch (authentication.form) {
    case 'none':
      return unauthenticated()
    case 'refused':
      return refused(authentication)
    case 'app':
      return json(403, { message: 'the credential is of an application, not of a user' })
    case 'basic':
      return json(200, describe(authentication.user))
    case 'personalToken':
    case 'oauth':
      return json(200, describe(authentication.user), { 'x-oauth-scopes': authentication.scopes.join(', ') })
  }
}

/** Says which application a token was signed by. */
export function app(authentication: Authentication): ServiceResponse {
  switch (authentication.form) {
    case 'none':
      return unauthenticated()
    case 'refused':
      return refused(authentication)
    case 'app':
      return json(200, { id: authentication.appId })
    case 'basic':
    case 'personalToken':
    case 'oauth':
      return json(403, { message: 'the credential is of a user, not of an application' })
  }
}

function describe(user: User): object {
  return typeof user === 'string' ? { login: user } : { id: user.id, login: user.login }
}

function unauthenticated(): ServiceResponse {
  return json(401, { message: 'requires authentication' }, { 'www-authenticate': CHALLENGE })
}

function refused({ status, message, challenge, retryAfter }: Refused): ServiceResponse {
  const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return json(status, { message }, { 'www-authenticate': challenge, ...wait })
}
