import { createService } from '../../src/service/index.ts'
import type { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import type { Trouble } from './faults.ts'

/** The client of each run. */
export const CLIENT_ID = 'my-client-id'

/** Brings a request to the service and back, with a fault on its way. */
type Send = (request: Request, trouble: Trouble | undefined) => Promise<Response>

/** The service of a run, and the way to it. */
export interface Connection {
  readonly url: string
  readonly send: Send
  approve(userCode: string): Promise<unknown>
}

/** A service at a URL, whose time is that of the run. */
export function serviceOf(time: VirtualTime, url: string) {
  return createService({
    clients: [{ clientId: CLIENT_ID, name: 'My program' }],
    dialect: 'rfc8628',
    interval: 5,
    authUrl: url,
    clock: time.clock(),
    onWarning: () => undefined,
  })
}

/** Responds without a socket. Rejects if the response is lost. */
export async function respond(
  service: ReturnType<typeof serviceOf>,
  request: Request,
  trouble: Trouble | undefined,
): Promise<Response> {
  if (trouble === 'captive portal') return page('<h1>Log in to the Wi-Fi</h1>')
  if (trouble === 'unavailable') return page('<h1>503 Service Unavailable</h1>', { status: 503 })
  if (trouble === 'unavailable for 5 s')
    return page('<h1>503 Service Unavailable</h1>', { status: 503, headers: { 'retry-after': '5' } })
  if (trouble === 'repeated') await service.fetch(request.clone())
  const response = await service.fetch(request)
  if (trouble === 'lost') throw failed('other side closed')
  return response
}

function page(body: string, init: { readonly status?: number; readonly headers?: object } = {}): Response {
  return new Response(body, { ...init, headers: { 'content-type': 'text/html', ...init.headers } })
}

/** What Node's `fetch` throws. */
export function failed(why: string): TypeError {
  return new TypeError('fetch failed', { cause: new Error(why) })
}

/** A service without sockets. */
export async function inMemory(time: VirtualTime): Promise<Connection> {
  const url = 'http://localhost'
  const service = serviceOf(time, url)
  return {
    url,
    send: (request, trouble) => respond(service, request, trouble),
    approve: (userCode) => service.approve(userCode, 'octocat'),
  }
}
