import { isLoopback } from '../../protocol/address.ts'
import {
  ACCESS_TOKEN_PATH,
  DEVICE_CODE_PATH,
  METADATA_PATH,
  OPENID_CONFIGURATION_PATH,
  VERIFICATION_PATH,
} from '../../protocol/endpoints.ts'
import { type Handler, json } from './types.ts'

/** What answers at each address. */
export interface Handlers {
  readonly deviceCode: Handler
  readonly accessToken: Handler
  readonly verification: Handler
  readonly metadata: Handler
  /** Only where an option asks for it. */
  readonly openidConfiguration: Handler | undefined
  readonly user: Handler
  readonly app: Handler
}

/** The addresses under which the service is reached. */
export interface Addresses {
  /** As options give it, or as it was bound; neither where the service is only called in its own process. */
  readonly authUrl: string | undefined
  readonly baseUrl: string | undefined
}

/** What is answered at a path, or under a host, that is none of ours. */
export const NOTHING_HERE = json(404, { message: 'there is nothing at this path of this host' })

export interface Route {
  /** The hosts that answer; every one where the service has no address. */
  readonly hosts: readonly string[] | undefined
  readonly methods: Readonly<Record<string, Handler>>
}

/**
 * Lists what is served, by path. The login paths answer on the login host only, and the API on the API host only: under
 * any other name stands an attacker who turned a name of his own to this address.
 *
 * @see Spec 4
 */
export function createRoutes(
  { authUrl, baseUrl }: Addresses,
  { deviceCode, accessToken, verification, metadata, openidConfiguration, user, app }: Handlers,
): ReadonlyMap<string, Route> {
  const at = (address: string | undefined, path: string, methods: Route['methods']): [string, Route] => [
    prefixOf(address) + path,
    { hosts: hostsAt(address), methods },
  ]
  return new Map<string, Route>([
    // RFC 8414, section 3.1: in front of the path of the issuer.
    [
      METADATA_PATH + prefixOf(authUrl),
      { hosts: hostsAt(authUrl), methods: { GET: metadata, HEAD: metadata } },
    ],
    ...(openidConfiguration
      ? [at(authUrl, OPENID_CONFIGURATION_PATH, { GET: openidConfiguration, HEAD: openidConfiguration })]
      : []),
    at(authUrl, DEVICE_CODE_PATH, { POST: deviceCode }),
    at(authUrl, ACCESS_TOKEN_PATH, { POST: accessToken }),
    at(authUrl, VERIFICATION_PATH, { GET: verification, HEAD: verification, POST: verification }),
    at(baseUrl, '/user', { GET: user, HEAD: user }),
    at(baseUrl, '/app', { GET: app, HEAD: app }),
  ])
}

/** Finds the handler of a request by its host, path and method. */
export function createRouter(routes: ReadonlyMap<string, Route>): Handler {
  return async (request) => {
    const route = routes.get(request.path)
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

/** With and without the port of the scheme, since clients may name it or not; and all names of a loopback address. */
function hostsAt(address: string | undefined): string[] | undefined {
  if (address === undefined) return undefined
  const { hostname, protocol, port } = new URL(address)
  const names = isLoopback(hostname) ? ['127.0.0.1', 'localhost', '[::1]', hostname] : [hostname]
  const standard = protocol === 'https:' ? '443' : '80'
  const ports = port === '' ? ['', `:${standard}`] : [`:${port}`]
  return names.flatMap((name) => ports.map((port) => name + port))
}
