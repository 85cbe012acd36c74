import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH, VERIFICATION_PATH } from '../protocol/endpoints.ts'
import { type Handler, json } from './http.ts'

/** What answers at each address. */
export interface Handlers {
  readonly deviceCode: Handler
  readonly accessToken: Handler
  readonly verification: Handler
  readonly user: Handler
  readonly app: Handler
}

interface Route {
  /** The hosts that answer; every one, where one host serves all. */
  readonly hosts: readonly string[] | undefined
  readonly methods: Readonly<Record<string, Handler>>
}

/**
 * Finds the handler of a request by its host, path and method. Where both addresses are given and differ, the login
 * paths answer on the login host only, and the API on the API host only.
 *
 * @see Spec 4
 */
export function createRouter(
  { authUrl, baseUrl }: { readonly authUrl?: string | undefined; readonly baseUrl?: string | undefined },
  { deviceCode, accessToken, verification, user, app }: Handlers,
): Handler {
  const apart = authUrl !== undefined && baseUrl !== undefined && authUrl !== baseUrl
  const at = (address: string | undefined, path: string, methods: Route['methods']): [string, Route] => [
    prefixOf(address) + path,
    { hosts: apart && address !== undefined ? hostsOf(address) : undefined, methods },
  ]
  const routes = new Map([
    at(authUrl, DEVICE_CODE_PATH, { POST: deviceCode }),
    at(authUrl, ACCESS_TOKEN_PATH, { POST: accessToken }),
    at(authUrl, VERIFICATION_PATH, { GET: verification, HEAD: verification, POST: verification }),
    at(baseUrl, '/user', { GET: user, HEAD: user }),
    at(baseUrl, '/app', { GET: app, HEAD: app }),
  ])
  return async (request) => {
    const route = routes.get(request.path)
    if (route === undefined || route.hosts?.includes(request.host.toLowerCase()) === false)
      return json(404, { message: 'not found' })
    const handler = Object.hasOwn(route.methods, request.method) ? route.methods[request.method] : undefined
    if (handler === undefined)
      return json(405, { message: 'method not allowed' }, { allow: Object.keys(route.methods).join(', ') })
    return handler(request)
  }
}

function prefixOf(address: string | undefined): string {
  return address === undefined ? '' : new URL(address).pathname.replace(/\/$/, '')
}

/** With and without the port of the scheme: clients may name it or not. */
function hostsOf(address: string): string[] {
  const { host, hostname, protocol, port } = new URL(address)
  return port === '' ? [host, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [host]
}
