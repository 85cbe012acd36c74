import { BadOptionError, RedirectedError, WrongHostError } from '../errors.ts'
import { secureAddress } from '../protocol/address.ts'
import { isRedirect } from '../protocol/is-redirect.ts'
import { github, type Provider } from '../protocol/provider.ts'
import { discard } from '../protocol/read-text.ts'
import type { Auth } from './auth.ts'

/**
 * Where the credentials may go, and through which `fetch`.
 *
 * @group Client authentication
 */
export interface ApiOptions {
  /** Whose API it is: {@link github}`()` by default. */
  readonly provider?: Provider
  /** The runtime's own by default. */
  readonly fetch?: typeof globalThis.fetch
}

/**
 * Makes a `fetch` that adds the credentials, for any client that takes one (Octokit, openapi-fetch, ofetch).
 *
 * Addresses may be relative to the API. Credentials go to the API host alone: a request to another host is refused
 * before it is sent, and a redirect is not followed. A header `Authorization` of the caller's own is left as it is.
 *
 * @throws {@link BadOptionError} where the provider has no API. The `fetch` rejects with {@link WrongHostError}, {@link RedirectedError}, or
 * the {@link JwtError} of a key that cannot be used.
 * @group Client authentication
 * @see Spec 5
 */
export function withAuth(auth: Auth, options: ApiOptions = {}): typeof globalThis.fetch {
  const base = apiAddress(options.provider ?? github())
  const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))

  async function send(request: Request, isOurs: boolean): Promise<Response> {
    const header = isOurs ? await auth.authorization() : undefined
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
    const isOurs = !request.headers.has('authorization')
    if (!isOurs || !auth.learn) return send(request, isOurs)
    const again = request.clone()
    const response = await send(request, isOurs)
    try {
      if (!auth.learn(response)) return response
    } catch (error) {
      discard(response.body)
      throw error
    }
    discard(response.body)
    return send(again, isOurs)
  }
}

/** The address of the API of a provider, with a slash at its end, so that relative addresses lie below it. */
export function apiAddress({ baseUrl }: Provider): URL {
  if (baseUrl === undefined) throw new BadOptionError('the provider has no API: set its "baseUrl"')
  return secureAddress(baseUrl.replace(/\/?$/, '/'))
}

/** `/user` and `user` mean the same: below the API, whose address may have a path. */
function relative(address: string): string {
  return address.startsWith('//') ? address : address.replace(/^\//, '')
}
