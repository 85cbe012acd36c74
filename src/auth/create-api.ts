import { createFetch, type FetchContext } from 'ofetch'
import { ApiError } from '../errors.ts'
import { github } from '../protocol/provider.ts'
import { refusalOf } from '../protocol/refusal.ts'
import { requestFailure } from '../protocol/request-failure.ts'
import { readRetryAfter } from '../protocol/response.ts'
import type { Auth } from './auth.ts'
import { none } from './none.ts'
import { type ApiOptions, targetOf, withAuth } from './with-auth.ts'

/**
 * Options of an API call.
 *
 * Defined here because the types of ofetch need a package that is rarely installed.
 *
 * @group Client authentication
 * @see {@link https://github.com/unjs/ofetch#readme ofetch}, which sends the request
 */
export interface ApiRequest extends Omit<RequestInit, 'body'> {
  /** The request body. Plain objects and arrays are sent as JSON. */
  readonly body?: RequestInit['body'] | Record<string, unknown> | readonly unknown[]
  /** The query parameters. */
  readonly query?: Record<string, unknown>
  /** Timeout in milliseconds. Default: none. */
  readonly timeout?: number
}

/**
 * A response with its parsed JSON.
 *
 * @group Client authentication
 */
export interface ApiResponse<Body> extends Response {
  /** The parsed JSON body. */
  readonly _data?: Body
}

/**
 * Calls an API with typed errors. Paths are relative to the base URL of the provider.
 *
 * @group Client authentication
 */
export interface Api {
  /** Resolves to the parsed JSON of the response. */
  <Body = unknown>(path: string, request?: ApiRequest): Promise<Body>
  /** Resolves to the whole response, if you need its status or headers. `_data` is the parsed JSON. */
  raw<Body = unknown>(path: string, request?: ApiRequest): Promise<ApiResponse<Body>>
}

/**
 * Creates an ofetch instance for the API of a provider, with its base URL, JSON, credentials and typed errors.
 *
 * It does not retry: a failed call may still have taken effect.
 *
 * @example
 * ```ts
 * import { createApi, personalToken } from 'authgraph/auth'
 *
 * const api = createApi({ auth: personalToken(process.env.GITHUB_TOKEN ?? '') })
 * const user = await api<{ login: string }>('/user')
 * console.log(user.login)
 * ```
 *
 * @throws {@link BadOptionError} if the provider has no API. Calls reject with an {@link ApiError} (`status`,
 * `headers`, `body`), {@link UnreachableError}, {@link WrongHostError}, {@link RedirectedError} or {@link JwtError}, or
 * with a {@link BadOptionError} for a bug in your `fetch`.
 * @group Client authentication
 */
export function createApi({
  auth = none(),
  provider = github(),
  fetch,
}: ApiOptions & { readonly auth?: Auth } = {}): Api {
  const { host } = new URL(targetOf({ provider }).baseUrl)
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
