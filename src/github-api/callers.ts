import type { User } from '../../machines/device-grant.ts'
import { bearerChallenge } from '../access/challenge.ts'
import { AccessError } from '../errors.ts'
import { json, type ServiceResponse } from '../service/http/types.ts'
import type { Authentication } from '../service/tokens/authenticate.ts'

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
export function describeUser(caller: Caller | undefined): ServiceResponse {
  switch (caller?.form) {
    case 'app':
      return forbidden('this credential belongs to an app, not to a user')
    case 'installation':
      return forbidden('this credential belongs to an installation, not to a user')
    case 'basic':
      return json(200, describe(caller.user))
    case 'personalToken':
    case 'oauth':
      return json(200, describe(caller.user), { 'x-oauth-scopes': caller.scopes.join(', ') })
    default:
      throw noCredential()
  }
}

/** Responds with the app that signed a token, like `GET /app` of GitHub. */
export function describeApp(caller: Caller | undefined): ServiceResponse {
  switch (caller?.form) {
    case 'app':
      return json(200, { id: caller.appId })
    case 'installation':
      return forbidden('this credential belongs to an installation, not to an app')
    case 'basic':
    case 'personalToken':
    case 'oauth':
      return forbidden('this credential belongs to a user, not to an app')
    default:
      throw noCredential()
  }
}

/** Responds with the repositories of an installation token, like `GET /installation/repositories` of GitHub. */
export function describeInstallation(caller: Caller | undefined): ServiceResponse {
  switch (caller?.form) {
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
      return forbidden('this credential does not belong to an installation')
    default:
      throw noCredential()
  }
}

/** A repository as GitHub describes it. */
export function describeRepository(owner: string, { id, name }: Repository): object {
  return { id, name, full_name: `${owner}/${name}`, owner: { login: owner } }
}

function describe(user: User): object {
  return typeof user === 'string' ? { login: user } : { id: user.id, login: user.login }
}

function forbidden(message: string): ServiceResponse {
  return json(403, { message })
}

function noCredential(): AccessError {
  return new AccessError({ status: 401, challenge: bearerChallenge() }, 'requires authentication')
}
