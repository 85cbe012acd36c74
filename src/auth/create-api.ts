import { createFetch, type FetchContext } from 'ofetch'
import { ApiError } from '../errors.ts'
import { github } from '../protocol/provider.ts'
import { refusalOf } from '../protocol/refusal.ts'
import { requestFailure } from '../protocol/request-failure.ts'
import { readRetryAfter } from '../protocol/response.ts'
import type { Auth } from './auth.ts'
import { none } from './none.ts'
import { type ApiOptions, apiAddress, withAuth } from './with-auth.ts'

/**
 * What a call may say beside its path.
 *
 * Written out here, because the types of ofetch need a package that is rarely installed.
 *
 * @group Client authentication
 * @see {@link https://github.com/unjs/ofetch#readme ofetch}, which makes the request
 */
export interface ApiRequest extends Omit<RequestInit, 'body'> {
  /** Sent as JSON where it is a plain object or an array. */
  readonly body?: RequestInit['body'] | Record<string, unknown> | readonly unknown[]
  /** The query of the address. */
  readonly query?: Record<string, unknown>
  /** Milliseconds after which the call is given up: no limit by default. */
  readonly timeout?: number
}

/**
 * A whole response, with its parsed JSON.
 *
 * @group Client authentication
 */
export interface ApiResponse<Body> extends Response {
  readonly _data?: Body
}

/**
 * Calls an API.
 *
 * @group Client authentication
 */
export interface Api {
  /** Resolves to the parsed JSON of the response. */
  <Body = unknown>(path: string, request?: ApiRequest): Promise<Body>
  /** Resolves to the whole response, for its status and headers, with the parsed JSON in `_data`. */
  raw<Body = unknown>(path: string, request?: ApiRequest): Promise<ApiResponse<Body>>
}

/**
 * Makes an ofetch instance for the API of a provider: its address, JSON, the credentials, and typed errors.
 *
 * It does not retry: a call that failed may have had its effect.
 *
 * @throws {@link BadOptionError} where the provider has no API. Calls reject with {@link ApiError} (`status`, `headers`, `body`),
 * {@link UnreachableError}, {@link WrongHostError}, {@link RedirectedError}, {@link JwtError}, or {@link BadOptionError} for a bug in your `fetch`.
 * @group Client authentication
 * @see Spec 5
 */
export function createApi({
  auth = none(),
  provider = github(),
  fetch,
}: ApiOptions & { readonly auth?: Auth } = {}): Api {
  const { host } = apiAddress(provider)
  return createFetch({
    fetch: withAuth(auth, { provider, ...(fetch && { fetch }) }),
    defaults: {
      headers: { accept: 'application/json' },
      // What these throw ends the call: ofetch would repeat it otherwise.
      onRequestError: ({ error }) => {
        throw requestFailure(host, error)
      },
      onResponseError: ({ response }) => {
        throw refusal(response)
      },
    },
  })
}

function refusal({ status, headers, _data: body }: NonNullable<FetchContext['response']>): ApiError {
  const at = Date.now()
  const retryAfter = readRetryAfter(headers, at)
  return new ApiError(refusalOf({ body, status, at, retryAfter }), { headers, body })
}
