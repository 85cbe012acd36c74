import { type Auth, formOf, type HasForm } from '../auth/auth.ts'
import { credentialsIn } from '../auth/credentials-in.ts'
import { readWait } from '../auth/rate-limit.ts'
import { sendWith } from '../auth/send-with.ts'
import { targetOf } from '../auth/with-auth.ts'
import { BadResponseError } from '../errors.ts'
import type { Provider } from '../protocol/provider.ts'
import { refusalOf } from '../protocol/refusal.ts'
import { withoutSlash } from '../protocol/syntax.ts'
import { systemClock, within } from '../request/clock.ts'
import { send, textMemberOf } from '../request/http.ts'
import { nameResponse, requestFailure } from '../request/name-request.ts'

/** Seconds. */
const TIMEOUT = 10

const ACCEPT = { accept: 'application/json' }

/**
 * What services call the name of a user: GitHub, GitLab and OpenID Connect.
 *
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims OpenID Connect Core 1.0, section 5.1}
 */
const NAMES = ['login', 'username', 'preferred_username', 'email', 'sub']

interface WhoIsOptions {
  readonly provider: Provider
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly signal?: AbortSignal | undefined
}

/** The address that tells who the user is: that of OpenID Connect, or that of an API like GitHub's. */
export function userAddressOf({ userinfoEndpoint, baseUrl }: Provider): string | undefined {
  return userinfoEndpoint ?? (baseUrl === undefined ? undefined : `${withoutSlash(baseUrl)}/user`)
}

/**
 * Asks the service who the user is. Resolves to `undefined` if it has no address for that, or does not say.
 *
 * @throws {@link BadResponseError} if the response is not a JSON object; {@link RefusedError} and the other errors of a
 * request; those of the authentication.
 */
export async function whoIs(
  auth: Auth | HasForm,
  { provider, fetch, signal }: WhoIsOptions,
): Promise<string | undefined> {
  const address = userAddressOf(provider)
  if (address === undefined) return undefined
  const api = { ...provider, baseUrl: new URL(address).origin }
  const target = targetOf({ provider: api, ...(fetch && { fetch }) })
  let authorization = ''
  let headers: Headers | undefined
  // Without the Request of the runtime, which takes the command line longer to load than everything else.
  const authorized: typeof globalThis.fetch = async (input, init) => {
    const request = { method: 'GET', url: address, signal: init?.signal }
    const response = await sendWith(formOf(auth), target, request, (given) => {
      authorization = given.authorization ?? ''
      return target.fetch(input, { ...init, headers: { ...ACCEPT, ...given } })
    })
    headers = response.headers
    return response
  }
  const response = await within({ clock: systemClock, signal, timeout: TIMEOUT }, (signal) =>
    send(address, {}, { fetch: authorized, clock: systemClock }, signal),
  ).catch((error) => {
    // The error of a timeout does not name the request.
    throw requestFailure({ method: 'GET', address }, error)
  })
  const { status, body, at } = response
  if (status === 200 && (Object(body) !== body || Array.isArray(body)))
    throw new BadResponseError(`${nameResponse('the response', response)} is not a JSON object`)
  if (status === 200) return NAMES.map((name) => textMemberOf(body, name)).find(Boolean)
  const wait = headers && readWait({ status, headers, body }, at, 1)
  throw refusalOf({
    ...response,
    retryAfter: wait?.seconds ?? response.retryAfter,
    sent: credentialsIn(authorization),
  })
}
