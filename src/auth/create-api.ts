import { createFetch, type FetchContext, type FetchOptions } from 'ofetch'
import { AuthgraphError, RefusedError, UnreachableError } from '../errors.ts'
import { errorCodeOf, readRetryAfter } from '../protocol/answer.ts'
import { github } from '../protocol/profiles.ts'
import type { Auth } from './auth.ts'
import { none } from './none.ts'
import { type ApiOptions, apiAddress, withAuth } from './with-auth.ts'

/**
 * Calls an API: `await api('/user')` gives the parsed JSON of the answer.
 *
 * @group Client authentication
 */
export type Api = <Body = unknown>(path: string, options?: FetchOptions<'json'>) => Promise<Body>

/**
 * Makes an ofetch instance for the API of a profile: its address, JSON, the credentials, and typed errors.
 *
 * It repeats nothing by itself: a call that failed may have had its effect.
 *
 * @throws BadOptionError where the profile has no API. Calls reject with RefusedError (`status`), UnreachableError,
 * WrongHostError, RedirectedError or JwtError.
 * @group Client authentication
 * @see Spec 5
 */
export function createApi({
  auth = none(),
  profile = github(),
  fetch,
}: ApiOptions & { readonly auth?: Auth } = {}): Api {
  const { host } = apiAddress(profile)
  const send = createFetch({
    fetch: withAuth(auth, { profile, ...(fetch && { fetch }) }),
    defaults: {
      retry: false,
      headers: { accept: 'application/json' },
      onRequestError: ({ error }) => {
        throw error instanceof AuthgraphError ? error : UnreachableError.of(host, error)
      },
      onResponseError: ({ response }) => {
        throw refusal(response)
      },
    },
  })
  return (path, options) => send(path, options)
}

function refusal({ status, headers, _data }: NonNullable<FetchContext['response']>): RefusedError {
  const retryAfter = readRetryAfter(headers, Date.now())
  return new RefusedError({ error: errorCodeOf(_data), status, retryAfter })
}
