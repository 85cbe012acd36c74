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
}

interface Route {
  readonly path: string
  /** The one host that answers; any, where one host serves all. */
  readonly host: string | undefined
  readonly methods: Readonly<Record<string, Handler>>
}

/** Finds the handler of a request by its host, path and method. Spec 4: the login paths are the authorization host's. */
export function createRouter({ authUrl, baseUrl }: Addresses, handlers: Handlers): Handler {
  const [auth, base] = [new URL(authUrl), new URL(baseUrl)]
  const apart = auth.host !== base.host
  const route = (at: URL, path: string, methods: Route['methods']): Route => ({
    path: at.pathname.replace(/\/$/, '') + path,
    host: apart ? at.host : undefined,
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
      ({ path, host }) => path === request.path && (host ?? request.host) === request.host,
    )
    if (found === undefined) return json(404, { message: 'not found' })
    const handler = Object.hasOwn(found.methods, request.method) ? found.methods[request.method] : undefined
    return (
      handler?.(request) ??
      json(405, { message: 'method not allowed' }, { allow: Object.keys(found.methods).join(', ') })
    )
  }
}
