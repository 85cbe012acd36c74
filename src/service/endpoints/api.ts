import type { User } from '../../../machines/device-grant.ts'
import { json, type ServiceResponse } from '../http/types.ts'
import { type Authentication, CHALLENGE, type Refused } from './authenticate.ts'

/**
 * Responds with the user of a credential, like `GET /user` of GitHub.
 */
export function user(authentication: Authentication): ServiceResponse {
  switch (authentication.form) {
    case 'none':
      return unauthenticated()
    case 'refused':
      return refused(authentication)
    case 'app':
      return json(403, { message: 'this credential belongs to an app, not to a user' })
    case 'installation':
      return json(403, { message: 'this credential belongs to an installation, not to a user' })
    case 'basic':
      return json(200, describe(authentication.user))
    case 'personalToken':
    case 'oauth':
      return json(200, describe(authentication.user), { 'x-oauth-scopes': authentication.scopes.join(', ') })
  }
}

/** Responds with the app that signed a token, like `GET /app` of GitHub. */
export function app(authentication: Authentication): ServiceResponse {
  switch (authentication.form) {
    case 'none':
      return unauthenticated()
    case 'refused':
      return refused(authentication)
    case 'app':
      return json(200, { id: authentication.appId })
    case 'installation':
      return json(403, { message: 'this credential belongs to an installation, not to an app' })
    case 'basic':
    case 'personalToken':
    case 'oauth':
      return json(403, { message: 'this credential belongs to a user, not to an app' })
  }
}

/** Responds with the repositories of an installation token, like `GET /installation/repositories` of GitHub. */
export function installation(authentication: Authentication): ServiceResponse {
  switch (authentication.form) {
    case 'none':
      return unauthenticated()
    case 'refused':
      return refused(authentication)
    case 'installation': {
      const { owner, repositories } = authentication
      return json(200, {
        total_count: repositories.length,
        repositories: repositories.map((repository) => describeRepository(owner, repository)),
      })
    }
    case 'app':
    case 'basic':
    case 'personalToken':
    case 'oauth':
      return json(403, { message: 'this credential does not belong to an installation' })
  }
}

/** A repository as GitHub describes it. */
export function describeRepository(
  owner: string,
  { id, name }: { readonly id: number; readonly name: string },
): object {
  return { id, name, full_name: `${owner}/${name}`, owner: { login: owner } }
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
