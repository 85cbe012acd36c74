import { readText } from '../../request/http.ts'
import {
  type Handler,
  LARGEST_REQUEST,
  type ServiceRequest,
  type ServiceResponse,
  TOO_LARGE,
} from './types.ts'

/**
 * Responds to a web `Request`. Pass the IP address of the client as `address`, for limits: a `Request` does not contain
 * it.
 *
 * @inline
 */
export type ServiceFetch = (
  input: string | URL | Request,
  init?: RequestInit & { readonly address?: string | undefined },
) => Promise<Response>

export function fetchAdapter(handle: Handler): ServiceFetch {
  return async (input, { address, ...init } = {}) => {
    const request = input instanceof Request && isEmpty(init) ? input : new Request(input, init)
    const isUnread = !request.bodyUsed
    const body = isUnread ? await readText(request.body, LARGEST_REQUEST) : undefined
    const isTooLarge = isUnread && body === undefined
    const response = isTooLarge ? TOO_LARGE : await handle(serviceRequest(request, body, address))
    return respond(request.method, response)
  }
}

function isEmpty(init: RequestInit): boolean {
  return Object.keys(init).length === 0
}

function serviceRequest(
  { method, url, headers, signal }: Request,
  body: string | undefined,
  address: string | undefined,
): ServiceRequest {
  const { host, pathname, searchParams } = new URL(url)
  return {
    method,
    host,
    path: pathname,
    address,
    query: searchParams,
    body,
    header: (name) => headers.get(name) ?? undefined,
    isGone: () => signal.aborted,
  }
}

function respond(method: string, { status, headers, body }: ServiceResponse): Response {
  // RFC 9110, section 8.6: no length either.
  if (status === 204) return new Response(null, { status, headers: { ...headers } })
  const bytes = new TextEncoder().encode(body)
  return new Response(method === 'HEAD' ? null : bytes, {
    status,
    headers: { ...headers, 'content-length': String(bytes.byteLength) },
  })
}
