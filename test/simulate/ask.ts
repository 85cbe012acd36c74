import type { ServiceResponse } from '../../src/service/http/types.ts'
import { AUTH_URL, type Instance } from './instance.ts'
import type { Exchange } from './world.ts'

const HOST = new URL(AUTH_URL).host

/** What an instance does with a request that has arrived. */
export type Handle<Reply> = (instance: Instance, exchange: Exchange) => Promise<Reply>

/** What differs between the requests of a simulation. */
interface Parts {
  readonly method?: string
  readonly address?: string
  readonly body?: string | Record<string, string>
  readonly cookie?: string | undefined
  readonly user?: string
  readonly authorization?: string
}

/** A request as the service reads it, without the adapter that makes one of a web request. */
export function ask(path: string, parts: Parts): Handle<ServiceResponse> {
  const { method = 'POST', address, body = '', cookie, user, authorization } = parts
  const headers: Record<string, string | undefined> = {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    cookie,
    'x-user': user,
    authorization,
  }
  const request = {
    method,
    host: HOST,
    path,
    address,
    query: new URLSearchParams(),
    header: (name: string) => headers[name],
    body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
  }
  return (instance, exchange) => instance.handle({ ...request, isGone: () => instance.isGone(exchange) })
}
