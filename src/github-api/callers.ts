import type { User } from '../../machines/device-grant.ts'
import { type Authentication, CHALLENGE, type Refused } from '../service/endpoints/authenticate.ts'
import { json, type ServiceResponse } from '../service/http/types.ts'

/** What a token may access. */
export interface InstallationCaller {
  readonly form: 'installation'
  /** The user or organization that installed the app. */
  readonly owner: string
  readonly repositories: readonly Repository[]
}

/**
 * A repository of an installation.
 *
 * @inline
 */
export interface Repository {
  readonly id: number
  readonly name: string
}

/** Who sent a request: also the holder of an installation token. */
export type Caller = Authentication | InstallationCaller

/** Responds with the user of a credential, like `GET /user` of GitHub. */
export function user(caller: Caller): ServiceResponse {
  switch (caller.form) {
    case 'none':
      return unauthenticated()
    case 'refused':
      return refused(caller)
    case 'app':
      return json(403, { message: 'this credential belongs to an app, not to a user' })
    case 'installation':
      return json(403, { message: 'this credential belongs to an installation, not to a user' })
    case 'basic':
      return json(200, describe(caller.user))
    case 'personalToken':
    case 'oauth':
      return json(200, describe(caller.user), { 'x-oauth-scopes': caller.scopes.join(', ') })
  }
}

/** Responds with the app that signed a token, like `GET /app` of GitHub. */
export function app(caller: Caller): ServiceResponse {
  switch (caller.form) {
    case 'none':
      return unauthenticated()
    case 'refused':
      return refused(caller)
    case 'app':
      return json(200, { id: caller.appId })
    case 'installation':
      return json(403, { message: 'this credential belongs to an installation, not to an app' })
    case 'basic':
    case 'personalToken':
    case 'oauth':
      return json(403, { message: 'this credential belongs to a user, not to an app' })
  }
}

/** Responds with the repositories of an installation token, like `GET /installation/repositories` of GitHub. */
export function installation(caller: Caller): ServiceResponse {
  switch (caller.form) {
    case 'none':
      return unauthenticated()
    case 'refused':
      return refused(caller)
    case 'installation': {
      const { owner, repositories } = caller
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
export function describeRepository(owner: string, { id, name }: Repository): object {
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
