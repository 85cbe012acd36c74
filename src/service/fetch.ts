import { readText } from '../protocol/read-text.ts'
import {
  type Handler,
  LARGEST_REQUEST,
  type ServiceRequest,
  type ServiceResponse,
  TOO_LARGE,
} from './http.ts'

/** Serves web requests, in any runtime. */
export function fetchAdapter(handle: Handler): typeof globalThis.fetch {
  return async (input, init) => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init)
    const body = request.body === null ? '' : await readText(request.body, LARGEST_REQUEST)
    const response = body === undefined ? TOO_LARGE : await handle(serviceRequest(request, body))
    return respond(request.method, response)
  }
}

function serviceRequest({ method, url, headers, signal }: Request, body: string): ServiceRequest {
  const { host, pathname, searchParams } = new URL(url)
  return {
    method,
    host,
    path: pathname,
    address: undefined,
    query: searchParams,
    body,
    header: (name) => headers.get(name) ?? undefined,
    isGone: () => signal.aborted,
  }
}

function respond(method: string, { status, headers, body }: ServiceResponse): Response {
  const bytes = new TextEncoder().encode(body)
  return new Response(method === 'HEAD' ? null : bytes, {
    status,
    headers: { ...headers, 'content-length': String(bytes.byteLength) },
  })
}
