import {
  ACCESS_TOKEN_PATH,
  DEVICE_CODE_PATH,
  METADATA_PATH,
  OPENID_CONFIGURATION_PATH,
  TOKEN_DELETION_PATH,
} from '../../protocol/endpoints.ts'
import {
  INTROSPECTION_PATH,
  JWKS_PATH,
  REGISTRATION_PATH,
  REVOCATION_PATH,
  VERIFICATION_PATH,
  withoutClientId,
} from '../../protocol/service-paths.ts'
import { isLoopback } from '../../protocol/syntax.ts'
import { type Handler, json } from './types.ts'

const READ = ['GET', 'HEAD']
const POST = ['POST']

const ENDPOINTS = {
  metadata: { path: METADATA_PATH, methods: READ },
  openidConfiguration: { path: OPENID_CONFIGURATION_PATH, methods: READ },
  keys: { path: JWKS_PATH, methods: READ },
  deviceCode: { path: DEVICE_CODE_PATH, methods: POST },
  accessToken: { path: ACCESS_TOKEN_PATH, methods: POST },
  revocation: { path: REVOCATION_PATH, methods: POST },
  registration: { path: REGISTRATION_PATH, methods: POST },
  introspection: { path: INTROSPECTION_PATH, methods: POST },
  verification: { path: VERIFICATION_PATH, methods: [...READ, ...POST] },
  tokenDeletion: { path: TOKEN_DELETION_PATH, methods: ['DELETE'] },
}

type Endpoint = keyof typeof ENDPOINTS

/** The handler of each endpoint that the service has. */
export type Handlers = Readonly<Record<Endpoint, Handler | undefined>>

/** Endpoints below `baseUrl` that are not part of the service. */
export interface ExtraEndpoints {
  /** The paths to mount in a framework. */
  readonly paths: readonly string[]
  /** Returns the handlers of a path by method, if the path exists. */
  find(path: string): Route['methods'] | undefined
}

export interface Addresses {
  /** From the options, or from `listen`; `undefined` if the service is only called in its own process. */
  readonly authUrl: string | undefined
  readonly baseUrl: string | undefined
}

export const NOTHING_HERE = json(404, { message: 'not found' })

export interface Route {
  /** The hosts at which the route exists; `undefined` for any, if the service has no URL. */
  readonly hosts: readonly string[] | undefined
  readonly methods: Readonly<Record<string, Handler>>
}

export interface Routes {
  readonly paths: readonly string[]
  find(path: string): Route | undefined
}

/**
 * Lists the routes. The login paths exist on the login host only, and the API on the API host only. Any other host may
 * belong to an attacker who points their own domain at this address (DNS rebinding).
 */
export function createRoutes(
  { authUrl, baseUrl }: Addresses,
  handlers: Handlers,
  api: ExtraEndpoints | undefined,
): Routes {
  const routes = new Map<string, Route>()
  for (const name of Object.keys(ENDPOINTS) as Endpoint[]) {
    const handler = handlers[name]
    if (handler === undefined) continue
    const { path, methods } = ENDPOINTS[name]
    const address = name === 'tokenDeletion' ? baseUrl : authUrl
    const prefix = prefixOf(address)
    // RFC 8414, section 3.1: the well-known path comes before the path of the issuer.
    routes.set(name === 'metadata' ? path + prefix : prefix + path, {
      hosts: hostsAt(address),
      methods: Object.fromEntries(methods.map((method) => [method, handler])),
    })
  }
  const prefix = prefixOf(baseUrl)
  const hosts = hostsAt(baseUrl)
  return {
    paths: [...routes.keys(), ...(api?.paths ?? []).map((path) => prefix + path)],
    find(path) {
      const route = routes.get(withoutClientId(path))
      if (route || !path.startsWith(prefix)) return route
      const methods = api?.find(path.slice(prefix.length))
      return methods && { hosts, methods }
    },
  }
}

export function createRouter(routes: Routes): Handler {
  return async (request) => {
    const route = routes.find(request.path)
    if (route === undefined || !isAt(route, request.host)) return NOTHING_HERE
    const handler = Object.hasOwn(route.methods, request.method) ? route.methods[request.method] : undefined
    if (handler === undefined)
      return json(405, { message: 'method not allowed' }, { allow: Object.keys(route.methods).join(', ') })
    return handler(request)
  }
}

function isAt({ hosts }: Route, host: string | undefined): boolean {
  return hosts === undefined || host === undefined || hosts.includes(host.toLowerCase())
}

function prefixOf(address: string | undefined): string {
  return address === undefined ? '' : new URL(address).pathname.replace(/\/$/, '')
}

/** Includes the default port, which clients may name or omit, and every name of a loopback address. */
function hostsAt(address: string | undefined): string[] | undefined {
  if (address === undefined) return undefined
  const { hostname, protocol, port } = new URL(address)
  const names = isLoopback(hostname) ? ['127.0.0.1', 'localhost', '[::1]', hostname] : [hostname]
  const standard = protocol === 'https:' ? '443' : '80'
  const ports = port === '' ? ['', `:${standard}`] : [`:${port}`]
  return names.flatMap((name) => ports.map((port) => name + port))
}
