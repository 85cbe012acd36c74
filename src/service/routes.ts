import { isLoopback } from '../protocol/address.ts'
import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH, VERIFICATION_PATH } from '../protocol/endpoints.ts'
import { json, type ServiceRequest, type ServiceResponse } from './http.ts'

type Handler = (request: ServiceRequest) => Promise<ServiceResponse>

export interface Handlers {
  readonly deviceCode: Handler
  readonly accessToken: Handler
  readonly verification: Handler
  readonly user: Handler
  readonly app: Handler
}

/** The addresses under which the service is reached. */
export interface Addresses {
  readonly authUrl: string
  readonly baseUrl: string
  /** Whether it answers under any host: it has no address, and is called in its own process. */
  readonly anyHost: boolean
}

interface Route {
  readonly path: string
  /** The hosts that answer, with their ports. */
  readonly hosts: readonly string[]
  readonly methods: Readonly<Record<string, Handler>>
}

/** Finds the handler of a request by its host, path and method. Spec 4: the login paths are the authorization host's. */
export function createRouter({ authUrl, baseUrl, anyHost }: Addresses, handlers: Handlers): Handler {
  const [auth, base] = [new URL(authUrl), new URL(baseUrl)]
  const route = (at: URL, path: string, methods: Route['methods']): Route => ({
    path: at.pathname.replace(/\/$/, '') + path,
    hosts: hostsOf(at),
    methods,
  })
  const { deviceCode, accessToken, verification, user, app } = handlers
  const routes = [
    route(auth, DEVICE_CODE_PATH, { POST: deviceCode }),
    route(auth, ACCESS_TOKEN_PATH, { POST: accessToken }),
    route(auth, VERIFICATION_PATH, { GET: verification, POST: verification }),
    route(base, '/user', { GET: user }),
    route(base, '/app', { GET: app }),
  ]
  return async (request) => {
    const found = routes.find(
      ({ path, hosts }) => path === request.path && (anyHost || hosts.includes(request.host)),
    )
    if (found === undefined) return json(404, { message: 'there is nothing at this path of this host' })
    const handler = Object.hasOwn(found.methods, request.method) ? found.methods[request.method] : undefined
    return (
      handler?.(request) ??
      json(405, { message: 'method not allowed' }, { allow: Object.keys(found.methods).join(', ') })
    )
  }
}

/** A loopback address goes by three names. Any other name for it is an attack by DNS. */
function hostsOf(url: URL): string[] {
  if (!isLoopback(url.hostname)) return [url.host]
  return ['127.0.0.1', 'localhost', '[::1]', url.hostname].map((hostname) => {
    const alias = new URL(url)
    alias.hostname = hostname
    return alias.host
  })
}
