import { BadOptionError, RedirectedError, WrongHostError } from '../errors.ts'
import { secureAddress } from '../protocol/address.ts'
import { isRedirect } from '../protocol/is-redirect.ts'
import { github, type Provider } from '../protocol/provider.ts'
import { discard } from '../protocol/read-text.ts'
import type { Secret } from '../secret.ts'
import type { Auth } from './auth.ts'

/**
 * Options of `withAuth` and `createApi`.
 *
 * @group Client authentication
 */
export interface ApiOptions {
  /** The provider of the API. Default: {@link github}`()`. */
  readonly provider?: Provider
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
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
 * @throws {@link BadOptionError} if the provider has no API. The `fetch` rejects with a {@link WrongHostError}, a
 * {@link RedirectedError}, or the {@link JwtError} of an unusable key.
 * @group Client authentication
 */
export function withAuth(auth: Auth, options: ApiOptions = {}): typeof globalThis.fetch {
  const base = apiAddress(options.provider ?? github())
  const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))

  async function send(request: Request, header: Secret | undefined): Promise<Response> {
    if (header) request.headers.set('authorization', header.reveal())
    const response = await fetch(request)
    if (isRedirect(response)) throw new RedirectedError(base.host)
    return response
  }

  return async (input, init) => {
    const address = input instanceof Request ? input.url : new URL(relative(String(input)), base).href
    if (secureAddress(address).origin !== base.origin) {
      throw new WrongHostError(
        `the credentials are for ${base.host} only: nothing was sent to the other host`,
      )
    }
    const request = new Request(input instanceof Request ? input : address, { ...init, redirect: 'manual' })
    const addsHeader = !request.headers.has('authorization')
    const header = addsHeader ? await auth.authorization() : undefined
    if (!addsHeader || !auth.learn) return send(request, header)
    const retry = request.clone()
    const response = await send(request, header)
    try {
      if (!auth.learn(response, header)) return response
    } catch (error) {
      discard(response.body)
      throw error
    }
    discard(response.body)
    return send(retry, await auth.authorization())
  }
}

/** The base URL of a provider's API with a trailing slash, so that relative URLs are below it. */
export function apiAddress({ baseUrl }: Provider): URL {
  if (baseUrl === undefined) throw new BadOptionError('the provider has no API: set its "baseUrl"')
  return secureAddress(baseUrl.replace(/\/?$/, '/'))
}

/** Treats `/user` like `user`: both are below the base URL, which may have a path. */
function relative(address: string): string {
  return address.startsWith('//') ? address : address.replace(/^\//, '')
}
