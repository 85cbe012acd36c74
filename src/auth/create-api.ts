import { createFetch, type FetchContext } from 'ofetch'
import { assertKnown, type Names } from '../assert-known.ts'
import { BadResponseError, refusalMessage, TimedOutError } from '../errors.ts'
import { readable, refusalOf } from '../protocol/refusal.ts'
import { pause, systemClock } from '../request/clock.ts'
import { readRetryAfter, systemFetch, textMemberOf } from '../request/http.ts'
import {
  isBrokenBody,
  type NamedRequest,
  nameRequest,
  requestFailure,
  withoutSecrets,
} from '../request/name-request.ts'
import type { RequestOptions } from '../request/options.ts'
import type { ReceivedResponse } from '../request/received-response.ts'
import { ApiError } from './api-error.ts'
import type { Auth, HasForm } from './auth.ts'
import { credentialsIn } from './credentials-in.ts'
import { isStream } from './is-stream.ts'
import { none } from './none.ts'
import { itemsOf, nextPage } from './paginate.ts'
import { readWait, type WaitReason } from './rate-limit.ts'
import { type ApiOptions, addressAt, assertRevealedIn, targetOf, withAuth } from './with-auth.ts'

/**
 * Options of an API call.
 *
 * Defined here because the types of ofetch need a package that is rarely installed.
 *
 * @see {@link https://github.com/unjs/ofetch#readme ofetch}, which sends the request
 */
export interface ApiRequest extends Omit<RequestInit, 'body'> {
  /** The request body. Plain objects and arrays are sent as JSON. */
  readonly body?: RequestInit['body'] | Record<string, unknown> | readonly unknown[]
  /** The query parameters. */
  readonly query?: Record<string, unknown>
  /** Timeout of each try in milliseconds, ignored if there is a `signal`. Default: none. */
  readonly timeout?: number
}

/** A response with its parsed JSON. */
export interface ApiResponse<Body> extends Response {
  /** The parsed JSON body. */
  readonly _data?: Body
}

/** A call that waits before it is sent again. */
export interface ApiWait {
  /** Why it waits. */
  readonly reason: WaitReason
  /** When it is sent again, in epoch milliseconds. */
  readonly until: number
  /** The HTTP method of the call. */
  readonly method: string
  /** The path or URL of the call, as it was passed. */
  readonly path: string
}

/** Options of `createApi`. */
export interface CreateApiOptions extends ApiOptions, Pick<RequestOptions, 'clock'> {
  /** How to authenticate: with a form, or with a session. Default: `none()`. */
  readonly auth?: Auth | HasForm
  /**
   * Longest time in seconds that one call waits for rate limits altogether. If the API asks for more, the call rejects at
   * once. Default: 60. With 0, no call waits.
   */
  readonly maxWait?: number
  /** Called when a call begins to wait. Its errors are ignored. */
  readonly onWait?: (wait: ApiWait) => void
}

const KNOWN: Names<CreateApiOptions> = {
  auth: true,
  provider: true,
  fetch: true,
  maxWait: true,
  onWait: true,
  clock: true,
}

/** Calls an API with typed errors. Paths are relative to the base URL of the provider. */
export interface Api {
  /** Resolves to the parsed JSON of the response. */
  <Body = unknown>(path: string, request?: ApiRequest): Promise<Body>
  /** Resolves to the whole response, if you need its status or headers. `_data` is the parsed JSON. */
  raw<Body = unknown>(path: string, request?: ApiRequest): Promise<ApiResponse<Body>>
  /**
   * Iterates over the items of a list, and requests each page when it is needed. A page is a JSON array, or an object with
   * one array in it. It follows the `Link` header, and rejects with a {@link WrongHostError} if that leads to another
   * origin.
   *
   * @throws {@link BadResponseError} if a page is not JSON, has no list, or leads back to an earlier page.
   */
  paginate<Item = unknown>(
    path: string,
    request?: Omit<ApiRequest, 'body' | 'method'>,
  ): AsyncGenerator<Item, void, undefined>
}

/** Methods that may be sent again. RFC 9110, section 9.2.2. */
const IDEMPOTENT = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']

/** How often a call is sent again, if the API refuses it each time because of a rate limit. */
const MOST_RETRIES = 3

/**
 * Creates a client for the API of a provider, with its base URL, JSON, credentials and typed errors.
 *
 * If the API refuses a call because of a rate limit, or with status 503 and `Retry-After`, the call waits for as long as
 * the API asks, and is sent again: at most three times, for at most `maxWait` seconds, and only with a method that may be
 * repeated (GET, HEAD, OPTIONS, PUT, DELETE). If the API refuses the credentials of a call with status 401, which then
 * had no effect, a form that can get new ones repeats it with any method. Nothing else is retried: a failed call may
 * still have taken effect.
 *
 * @example
 * ```ts
 * import { createApi, personalToken } from 'authgraph/auth'
 *
 * const api = createApi({ auth: personalToken(process.env.GITHUB_TOKEN ?? '') })
 * const user = await api<{ login: string }>('/user')
 * for await (const repository of api.paginate<{ name: string }>('/user/repos'))
 *   show(repository.name)
 * ```
 *
 * @throws {@link BadOptionError} if the provider has no API, or an option is unknown. Calls reject with an {@link ApiError} (`status`,
 * `headers`, `body`, `requestId`, `retryAfter`), {@link UnreachableError}, {@link TimedOutError},
 * {@link WrongHostError}, {@link RedirectedError} or {@link JwtError}, with a {@link BadOptionError} for an
 * invalid path or a bug in your `fetch`, or with the reason of your `signal`.
 */
export function createApi(options: CreateApiOptions = {}): Api {
  assertKnown(options, KNOWN)
  const { auth = none(), provider, fetch = systemFetch, maxWait = 60, onWait, clock = systemClock } = options
  const { baseUrl } = targetOf({ provider })
  const named = ({ request, options: { method = 'GET' } }: FetchContext): NamedRequest => ({
    method: method.toUpperCase(),
    address: addressAt(baseUrl, String(request)).href,
  })
  /** The `Authorization` header with which each response was requested: an API may repeat its credentials in an error. */
  const sentWith = new WeakMap<Response, string>()
  const sendAndKeep: typeof globalThis.fetch = async (request, init) => {
    const response = await fetch(request, init)
    sentWith.set(response, (request as Request).headers.get('authorization') ?? '')
    return response
  }
  const send = createFetch({
    fetch: withAuth(auth, { provider, fetch: sendAndKeep }),
    defaults: {
      headers: { accept: 'application/json' },
      // What these throw ends the call: ofetch would repeat it otherwise.
      onRequestError: (context) => {
        const { signal } = context.options
        throw signal?.aborted ? signal.reason : requestFailure(named(context), context.error)
      },
      onResponseError: (context) => {
        const { response } = context
        const sent = credentialsIn(sentWith.get(response) ?? '')
        throw toApiError(response, { at: clock.now(), request: named(context), sent })
      },
    },
  })

  async function raw<Body>(path: string, request: ApiRequest = {}): Promise<ApiResponse<Body>> {
    const { method = 'GET', signal } = request
    assertRevealedIn(path, request)
    let left = maxWait
    for (let tries = 1; ; tries += 1) {
      try {
        return await send.raw<Body>(path, request)
      } catch (error) {
        const failed = { method, address: addressAt(baseUrl, path).href }
        if (!signal && (error as Error).name === 'TimeoutError') throw new TimedOutError(nameRequest(failed))
        if (isBrokenBody(error)) throw requestFailure(failed, error)
        const wait =
          error instanceof ApiError && tries <= MOST_RETRIES && isRepeatable(method, request)
            ? readWait(error, clock.now(), tries)
            : undefined
        if (wait === undefined || wait.seconds > left) throw error
        left -= wait.seconds
        const until = clock.now() + wait.seconds * 1000
        try {
          onWait?.({ reason: wait.reason, until, method, path })
        } catch {}
        await pause(clock, wait.seconds * 1000, signal)
      }
    }
  }

  async function* paginate<Item>(path: string, request?: ApiRequest): AsyncGenerator<Item, void, undefined> {
    let address = path
    let rest = request
    // With a query, the address of the first page is not known: a page that leads back to it is read once more.
    const seen = new Set(rest?.query ? [] : [addressAt(baseUrl, path).href])
    for (;;) {
      const { headers, _data: body } = await raw(address, rest)
      const page = addressAt(baseUrl, address)
      const name = nameRequest({ method: 'GET', address: page.href })
      yield* itemsOf(body, name) as readonly Item[]
      const next = nextPage(headers.get('link'))
      if (next === undefined) return
      if (!URL.canParse(next, page))
        throw new BadResponseError(`the link to the next page is not a URL (${name})`)
      address = new URL(next, page).href
      if (seen.has(address))
        throw new BadResponseError(`a page of the list leads back to an earlier one (${name})`)
      seen.add(address)
      // It has the query already.
      const { query: _, ...others } = rest ?? {}
      rest = others
    }
  }

  const call = async <Body>(path: string, request?: ApiRequest) =>
    (await raw<Body>(path, request))._data as Body
  return Object.assign(call, { raw, paginate })
}

function isRepeatable(method: string, { body }: ApiRequest): boolean {
  return IDEMPOTENT.includes(method.toUpperCase()) && !isStream(body)
}

function toApiError(
  { status, headers, _data: body }: NonNullable<FetchContext['response']>,
  { at, request, sent = [] }: Pick<ReceivedResponse, 'at' | 'request' | 'sent'>,
): ApiError {
  const retryAfter = readWait({ status, headers, body }, at, 1)?.seconds ?? readRetryAfter(headers, at)
  const { error, description } = refusalOf({ body, status, at, sent })
  const message = readable(withoutSecrets(textMemberOf(body, 'message') ?? '', sent))
  const said = message ?? error ?? ''
  const refused = refusalMessage({ status, request: request && nameRequest(request, sent) })
  return new ApiError(
    // It is in the message already.
    { error, description: message === undefined ? description : undefined, status, retryAfter },
    { headers, body },
    said ? `${refused}: ${said}` : refused,
  )
}
