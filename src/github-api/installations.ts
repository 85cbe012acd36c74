import {
  bodyOf,
  type Handler,
  json,
  noContent,
  type ServiceRequest,
  type ServiceResponse,
} from '../service/http/types.ts'
import {
  type Caller,
  describeApp,
  describeInstallation,
  describeRepository,
  type Repository,
} from './callers.ts'
import {
  type AppInstallation,
  type InstallationTokens,
  type KnownInstallation,
  lowerLevel,
  type Permissions,
} from './installation-tokens.ts'

export interface InstallationEndpoints {
  readonly installations: readonly KnownInstallation[]
  readonly tokens: InstallationTokens
  readonly clock: { now(): number }
  readonly identify: (request: ServiceRequest) => Promise<Caller | undefined>
}

/**
 * The endpoints of installations, by path: none if there are no installations.
 *
 * @see {@link https://docs.github.com/en/rest/apps/apps GitHub: REST API endpoints for GitHub Apps}
 * @see {@link https://docs.github.com/en/rest/apps/installations GitHub: REST API endpoints for installations}
 */
export function installationEndpoints({ installations, tokens, clock, identify }: InstallationEndpoints) {
  const endpoints = new Map<string, Readonly<Record<string, Handler>>>()
  if (installations.length === 0) return endpoints

  /** Calls the handler with the installations of the app that asks. */
  const ofApp =
    (
      respond: (
        own: readonly KnownInstallation[],
        request: ServiceRequest,
      ) => ServiceResponse | Promise<ServiceResponse>,
    ): Handler =>
    async (request) => {
      const caller = await identify(request)
      if (caller?.form !== 'app') return describeApp(caller)
      return respond(
        installations.filter(({ appId }) => appId === caller.appId),
        request,
      )
    }
  const first = (isWanted: (one: KnownInstallation) => boolean) =>
    ofApp((own) => {
      const found = own.find(isWanted)
      return found ? json(200, describe(found)) : NOT_FOUND
    })

  endpoints.set('/app/installations', { GET: ofApp((own) => json(200, own.map(describe))) })
  endpoints.set('/installation/repositories', {
    GET: async (request) => describeInstallation(await identify(request)),
  })
  endpoints.set('/installation/token', {
    DELETE: async (request) => {
      const caller = await identify(request)
      if (caller?.form !== 'installation') return describeInstallation(caller)
      tokens.remove(request)
      return noContent()
    },
  })
  for (const { id, owner, repositories } of installations) {
    const path = `/app/installations/${id}`
    endpoints.set(path, { GET: first((one) => one.id === id) })
    endpoints.set(`${path}/access_tokens`, {
      POST: ofApp((own, request) => {
        const found = own.find((one) => one.id === id)
        return found ? issue(tokens, found, request, clock.now()) : NOT_FOUND
      }),
    })
    const name = encodeURIComponent(owner)
    for (const kind of ['users', 'orgs'])
      endpoints.set(`/${kind}/${name}/installation`, { GET: first((one) => isSameName(one.owner, owner)) })
    for (const repository of repositories)
      endpoints.set(`/repos/${name}/${encodeURIComponent(repository.name)}/installation`, {
        GET: first(
          (one) =>
            isSameName(one.owner, owner) &&
            one.repositories.some(({ name }) => isSameName(name, repository.name)),
        ),
      })
  }
  return endpoints
}

const NOT_FOUND = json(404, { message: 'the app has no such installation' })

function issue(
  tokens: InstallationTokens,
  installation: KnownInstallation,
  request: ServiceRequest,
  now: number,
): ServiceResponse {
  const granted = grantOf(installation, bodyOf(request))
  if (typeof granted === 'string') return json(422, { message: granted })
  const { permissions, repositories } = granted
  const { owner } = installation
  const { token, expiresAt } = tokens.issue({ form: 'installation', owner, repositories }, now)
  const isAll = repositories.length === installation.repositories.length
  return json(201, {
    token,
    expires_at: new Date(expiresAt).toISOString().replace(/\.\d+/, ''),
    permissions,
    repository_selection: isAll ? 'all' : 'selected',
    ...(!isAll && { repositories: repositories.map((one) => describeRepository(owner, one)) }),
  })
}

/** What a token may do, by the body of its request; or what is wrong with the body. */
function grantOf(installation: KnownInstallation, body: string): InstallationGrant | string {
  const asked = readJson(body)
  if (asked === undefined) return 'the body is not a JSON object'
  const { permissions = installation.permissions, repositories: names, repository_ids: ids } = asked
  if (!isRecord(permissions)) return 'permissions must be an object'
  const isGranted = ([name, level]: [string, unknown]) =>
    lowerLevel(level, installation.permissions[name]) === level
  if (!Object.entries(permissions).every(isGranted)) return 'the installation does not have these permissions'
  for (const list of [names, ids])
    if (list !== undefined && !Array.isArray(list)) return 'repositories and repository_ids must be lists'
  const known = installation.repositories
  // Sets: a body may name thousands of repositories.
  const knownNames = new Set(known.map(({ name }) => lowerCase(name)))
  const knownIds = new Set<unknown>(known.map(({ id }) => id))
  const askedNames = new Set(names?.map(lowerCase))
  const askedIds = new Set(ids)
  const isKnown =
    [...askedNames].every((name) => knownNames.has(name)) && [...askedIds].every((id) => knownIds.has(id))
  if (!isKnown) return 'the installation does not have these repositories'
  const isAsked = ({ id, name }: Repository) =>
    (names === undefined && ids === undefined) || askedNames.has(lowerCase(name)) || askedIds.has(id)
  return { permissions: permissions as Permissions, repositories: known.filter(isAsked) }
}

type InstallationGrant = Required<Pick<AppInstallation, 'permissions' | 'repositories'>>

interface AskedToken {
  readonly permissions?: unknown
  readonly repositories?: readonly unknown[]
  readonly repository_ids?: readonly unknown[]
}

function readJson(body: string): AskedToken | undefined {
  try {
    const value: unknown = JSON.parse(body || '{}')
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** GitHub ignores the case of owners and repositories. */
function isSameName(name: string, other: string): boolean {
  return lowerCase(name) === lowerCase(other)
}

function lowerCase(name: unknown): unknown {
  return typeof name === 'string' ? name.toLowerCase() : name
}

function describe({ id, appId, owner, permissions }: KnownInstallation): object {
  return { id, app_id: appId, account: { login: owner }, permissions }
}
