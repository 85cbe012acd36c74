import { challenge } from '../access/challenge.ts'
import { AccessError } from '../errors.ts'
import { json, type ServiceResponse } from '../service/http/types.ts'
import type { Authentication } from '../service/tokens/authenticate.ts'

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
  if (caller === undefined || caller.form === 'app' || caller.form === 'installation')
    return refuse(caller, 'a user')
  const scopes = caller.form === 'basic' ? undefined : { 'x-oauth-scopes': caller.scopes.join(', ') }
  const { user } = caller
  return json(200, typeof user === 'string' ? { login: user } : { id: user.id, login: user.login }, scopes)
}

/** Responds with the app that signed a token, like `GET /app` of GitHub. */
export function describeApp(caller: Caller | undefined): ServiceResponse {
  return caller?.form === 'app' ? json(200, { id: caller.appId }) : refuse(caller, 'an app')
}

/** Responds with the repositories of an installation token, like `GET /installation/repositories` of GitHub. */
export function describeInstallation(caller: Caller | undefined): ServiceResponse {
  if (caller?.form !== 'installation') return refuse(caller, 'an installation')
  const { owner, repositories } = caller
  return json(200, {
    total_count: repositories.length,
    repositories: repositories.map((repository) => describeRepository(owner, repository)),
  })
}

export function describeRepository(owner: string, { id, name }: Repository): object {
  return { id, name, full_name: `${owner}/${name}`, owner: { login: owner } }
}

const OWNERS = { app: 'an app', installation: 'an installation' } as const

function refuse(caller: Caller | undefined, wanted: string): ServiceResponse {
  if (caller === undefined)
    throw new AccessError({ status: 401, challenge: challenge('Bearer') }, 'requires authentication')
  const owner = caller.form === 'app' || caller.form === 'installation' ? OWNERS[caller.form] : 'a user'
  return json(403, { message: `this credential belongs to ${owner}, not to ${wanted}` })
}
