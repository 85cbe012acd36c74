import { AccessError } from '../errors.ts'
import type { ServiceRequest } from '../service/http/types.ts'
import type { ServiceOptions } from '../service/options.ts'
import { type Caller, describeApp, describeUser } from './callers.ts'
import { createInstallationTokens, type InstalledApp, readInstallations } from './installation-tokens.ts'
import { installationEndpoints } from './installations.ts'

/**
 * Imitates `/user` and `/app` of GitHub's API, and the paths of installations if an app has some. For development and
 * tests: it keeps installation tokens in memory.
 *
 * @param apps The apps of the service, with their installations. Default: none.
 * @throws {@link BadOptionError} from `createService`, for an installation without an ID or an owner, and if two have the
 * same ID.
 */
export function githubApi(apps: readonly InstalledApp[] = []): NonNullable<ServiceOptions['api']> {
  const tokens = createInstallationTokens()
  return ({ authenticate, clock }) => {
    const identify = async (request: ServiceRequest): Promise<Caller | undefined> => {
      try {
        return await authenticate(request)
      } catch (error) {
        // The service does not know installation tokens.
        const isUnknown = error instanceof AccessError && error.status === 401
        const caller = isUnknown ? tokens.find(request, clock.now()) : undefined
        if (caller) return caller
        throw error
      }
    }
    const getUser = async (request: ServiceRequest) => describeUser(await identify(request))
    const getApp = async (request: ServiceRequest) => describeApp(await identify(request))
    const endpoints = installationEndpoints({
      installations: readInstallations(apps),
      tokens,
      clock,
      identify,
    })
    endpoints.set('/user', { GET: getUser, HEAD: getUser }).set('/app', { GET: getApp, HEAD: getApp })
    // These paths have the name of an owner or a repository, whose case does not matter.
    const byName = new Map(
      [...endpoints]
        .filter(([path]) => path.endsWith('/installation'))
        .map(([path, methods]) => [path.toLowerCase(), methods]),
    )
    return {
      paths: [...endpoints.keys()],
      find: (path) => endpoints.get(path) ?? byName.get(path.toLowerCase()),
    }
  }
}
