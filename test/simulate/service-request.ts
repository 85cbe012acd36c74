import type { ServiceRequest } from '../../src/service/http/types.ts'
import { AUTH_URL } from './instance.ts'

/** What differs between the requests of a simulation. */
interface Parts {
  readonly method?: string
  readonly address?: string
  readonly body?: string
  readonly cookie?: string
  readonly user?: string
  readonly authorization?: string
}

/** A request as the service reads it, without the adapter that makes one of a web request. */
export function serviceRequest(path: string, parts: Parts): ServiceRequest {
  const { method = 'POST', address, body = '', cookie, user, authorization } = parts
  const headers: Record<string, string | undefined> = {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    cookie,
    'x-user': user,
    authorization,
  }
  return {
    method,
    host: new URL(AUTH_URL).host,
    path,
    address,
    query: new URLSearchParams(),
    header: (name) => headers[name],
    body,
    isGone: () => false,
  }
}
