import { assertKnown, type Names } from '../assert-known.ts'
import { BadOptionError, WrongHostError } from '../errors.ts'
import type { Provider } from '../protocol/provider.ts'
import { readProvider } from '../protocol/providers.ts'
import { secureAddress, withoutSlash } from '../protocol/syntax.ts'
import { isRedirect, redirectFailure, systemFetch } from '../request/http.ts'
import { isSecretHost } from '../request/name-request.ts'
import type { RequestOptions } from '../request/options.ts'
import { assertRevealed, HIDDEN } from '../secret.ts'
import { type ApiTarget, type Auth, formOf, type HasForm } from './auth.ts'
import { type AuthHeaders, sendWith } from './send-with.ts'

/** Options of `withAuth` and `createApi`. */
export interface ApiOptions extends Pick<RequestOptions, 'fetch'> {
  /** The provider of the API. Default: `github()`. */
  readonly provider?: Provider | undefined
}

/**
 * Creates a `fetch` that adds credentials, for any client that accepts one (Octokit, openapi-fetch, ofetch).
 *
 * URLs may be relative to the base URL of the API. Credentials are sent only to the API: a request to another origin is
 * refused before it is sent, and redirects are not followed. If a request already has an `Authorization` header, it is
 * not changed.
 *
 * @example
 * ```ts
 * import { personalToken, withAuth } from 'authgraph/auth'
 *
 * const fetch = withAuth(personalToken(process.env.GITHUB_TOKEN ?? ''))
 * const response = await fetch('/user/repos')
 * ```
 *
 * @throws {@link BadOptionError} if the provider has no API. The `fetch` rejects with a {@link BadOptionError} for an
 * invalid URL, a {@link WrongHostError}, a {@link RedirectedError}, or the {@link JwtError} of an unusable key.
 */
export function withAuth(auth: Auth | HasForm, options: ApiOptions = {}): typeof globalThis.fetch {
  assertKnown(options, { provider: true, fetch: true } satisfies Names<ApiOptions>)
  const form = formOf(auth)
  const target = targetOf(options)
  const base = new URL(target.baseUrl)

  async function send(request: Request, headers: AuthHeaders = {}): Promise<Response> {
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
    const response = await target.fetch(request)
    if (isRedirect(response))
      throw redirectFailure({ method: request.method, address: request.url }, response.headers)
    return response
  }

  return async (input, init) => {
    const address = input instanceof Request ? input.url : addressAt(target.baseUrl, String(input)).href
    const { origin, host } = secureAddress(address)
    if (origin !== base.origin) {
      const other = isSecretHost(host, []) ? 'the other host' : origin
      throw new WrongHostError(`requests go to ${base.origin} only: nothing was sent to ${other}`)
    }
    assertRevealedIn(input, init)
    const request = new Request(input instanceof Request ? input : address, { ...init, redirect: 'manual' })
    if (request.headers.has('authorization')) return send(request)
    return sendWith(form, target, request, (headers) => send(form.learn ? request.clone() : request, headers))
  }
}

/** Throws {@link BadOptionError} if a `Secret` was turned into text in the URL, a header or the body of a request. */
export function assertRevealedIn(
  input: RequestInfo | URL,
  { headers = {}, body }: { readonly headers?: HeadersInit | undefined; readonly body?: unknown } = {},
): void {
  if (!(input instanceof Request)) assertRevealed(String(input).replace(encodeURI(HIDDEN), HIDDEN), 'the URL')
  // What `Headers` holds cannot contain one.
  if (!(headers instanceof Headers))
    for (const [name, value] of Array.isArray(headers) ? headers : Object.entries(headers))
      assertRevealed(String(value), `the header "${name}"`)
  // A whole JSON string: text that mentions the output of a program may contain it.
  if (typeof body === 'string' && body.includes(JSON.stringify(HIDDEN))) assertRevealed(body, 'the body')
}

/**
 * The API of a provider, and how to reach it.
 *
 * @throws {@link BadOptionError} if the provider has no API.
 */
export function targetOf({ provider, fetch = systemFetch }: ApiOptions = {}): ApiTarget {
  const { baseUrl } = readProvider(provider)
  if (baseUrl === undefined) throw new BadOptionError('the provider has no API: set its "baseUrl"')
  return { baseUrl: withoutSlash(secureAddress(baseUrl).href), fetch }
}

/**
 * The URL of a path at an API. `/user` is read like `user`: both are below the base URL, which may have a path.
 *
 * @throws {@link BadOptionError} if that is not a valid URL.
 */
export function addressAt(baseUrl: string, path: string): URL {
  const relative = path.startsWith('//') ? path : path.replace(/^\//, '')
  if (URL.canParse(relative, `${baseUrl}/`)) return new URL(relative, `${baseUrl}/`)
  throw new BadOptionError('the path is invalid: expected a path of the API, such as /user')
}
