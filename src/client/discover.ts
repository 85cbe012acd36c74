import * as v from 'valibot'
import { assertKnown, type Names } from '../assert-known.ts'
import { BadResponseError, type RefusedError, WrongHostError } from '../errors.ts'
import { METADATA_PATH, OPENID_CONFIGURATION_PATH } from '../protocol/endpoints.ts'
import { isTexts, parseFields } from '../protocol/fields.ts'
import type { Provider } from '../protocol/provider.ts'
import { rfc8628, tenantIssuer } from '../protocol/providers.ts'
import { refusalOf } from '../protocol/refusal.ts'
import { isLoopback, PLAIN, secureAddress, withoutSlash } from '../protocol/syntax.ts'
import { systemClock, within } from '../request/clock.ts'
import { get, hasMember, memberOf, systemFetch, textMemberOf } from '../request/http.ts'
import type { RequestOptions } from '../request/options.ts'

const metadata = v.object({
  issuer: v.string(),
  device_authorization_endpoint: v.string(),
  token_endpoint: v.string(),
  revocation_endpoint: v.optional(v.string()),
  introspection_endpoint: v.optional(v.string()),
})

/**
 * Creates a provider from the OAuth or OpenID Connect metadata of a server.
 *
 * Besides the endpoints, it keeps which authentication methods and PKCE methods the server lists, and where its keys and
 * its users are: see `clientAuthenticationMethods`, `codeChallengeMethods`, `jwksUri` and `userinfoEndpoint` of
 * {@link Provider}.
 *
 * @example
 * ```ts
 * import { authorizeDevice, discover } from 'authgraph'
 *
 * const provider = await discover('https://login.example.com')
 * const token = await authorizeDevice({
 *   clientId: 'YOUR_CLIENT_ID',
 *   provider,
 *   onCodes,
 * })
 * ```
 *
 * @param issuer The issuer URL of the server, such as `https://login.example.com`.
 * @throws {@link WrongHostError} if the issuer or an endpoint uses neither `https` nor a loopback address, if the
 * metadata belongs to another issuer, or if a remote issuer names an endpoint on a loopback address.
 * @throws {@link BadResponseError} if there is no metadata (then pass the endpoints to {@link rfc8628}), or it has no
 * device authorization endpoint.
 * @throws {@link RefusedError} if the server has no metadata to read, because it fails or limits requests.
 * @throws {@link UnreachableError}, {@link TimedOutError} and the other errors of a request.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414.html#section-3 RFC 8414, section 3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-4 RFC 8628, section 4}
 */
export async function discover(issuer: string, options: RequestOptions = {}): Promise<Provider> {
  assertKnown(options, { fetch: true, clock: true, signal: true } satisfies Names<RequestOptions>)
  return (await findMetadata(issuer, options)).provider
}

/** Finds the metadata of an issuer as `discover` does, and returns it with its provider. */
export function findMetadata(
  issuer: string,
  { fetch = systemFetch, clock = systemClock, signal }: RequestOptions,
): Promise<{ readonly provider: Provider; readonly body: unknown }> {
  return within({ clock, signal }, async (signal) => {
    let found: { readonly body: unknown } | undefined
    let refusal: RefusedError | undefined
    let missing = 404
    for (const address of documentsOf(issuer)) {
      const response = await get(address, { fetch, clock }, signal)
      const { status, body } = response
      // A service that is down or limits requests may publish metadata.
      if (status >= 500 || status === 429) refusal ??= refusalOf(response)
      if (status !== 404) missing = status
      if (status !== 200) continue
      found = { body }
      // Some servers list the device flow in only one of their documents.
      if (hasMember(body, 'device_authorization_endpoint')) break
    }
    if (found === undefined) {
      const { host, pathname } = new URL(issuer)
      throw (
        refusal ??
        new BadResponseError(
          `the issuer ${host}${withoutSlash(pathname)} publishes no metadata (status ${missing})`,
        )
      )
    }
    return { provider: readMetadata(found.body, issuer), body: found.body }
  })
}

/** Possible URLs of the metadata: before the path of the issuer, or after it as OpenID Connect had it first. */
function documentsOf(issuer: string): Set<string> {
  const { origin, pathname } = secureAddress(issuer)
  const path = pathname.replace(/\/$/, '')
  return new Set([
    `${origin}${METADATA_PATH}${path}`,
    `${origin}${OPENID_CONFIGURATION_PATH}${path}`,
    `${origin}${path}${OPENID_CONFIGURATION_PATH}`,
  ])
}

function readMetadata(body: unknown, issuer: string): Provider {
  const { host } = new URL(issuer)
  if (hasMember(body, 'token_endpoint') && !hasMember(body, 'device_authorization_endpoint'))
    throw new BadResponseError(
      `the metadata of ${host} has no "device_authorization_endpoint": the server may not support the device flow`,
    )
  const { issuer: named, ...endpoints } = parseFields(metadata, body, `metadata of ${host}`)
  const { device_authorization_endpoint, token_endpoint, revocation_endpoint, introspection_endpoint } =
    endpoints
  const userinfoEndpoint = textMemberOf(body, 'userinfo_endpoint')
  // RFC 8414, section 2: the default if it is omitted.
  const methods = memberOf(body, 'token_endpoint_auth_methods_supported') ?? ['client_secret_basic']
  const challengeMethods = memberOf(body, 'code_challenge_methods_supported')
  const jwksUri = textMemberOf(body, 'jwks_uri')
  // RFC 8414, section 3.3: metadata of another issuer may be an attack.
  const expected = tenantIssuer(withoutSlash(issuer))
  if (withoutSlash(named) !== expected) {
    const isPlain = PLAIN.test(named + expected)
    const what = isPlain ? `names the issuer ${named}, not ${expected}` : 'belongs to another issuer'
    throw new WrongHostError(`the metadata of ${host} ${what}: check the URL of the issuer`)
  }
  for (const endpoint of [...Object.values(endpoints), userinfoEndpoint, jwksUri]) {
    if (endpoint === undefined) continue
    const { hostname } = secureAddress(endpoint)
    // Remote metadata must not make us send secrets to a program on this machine.
    if (isLoopback(hostname) && !isLoopback(new URL(issuer).hostname))
      throw new WrongHostError('the metadata of a remote issuer points to an endpoint on this machine')
  }
  return rfc8628({
    issuer: named,
    deviceAuthorizationEndpoint: device_authorization_endpoint,
    tokenEndpoint: token_endpoint,
    ...(revocation_endpoint !== undefined && { revocationEndpoint: revocation_endpoint }),
    ...(introspection_endpoint !== undefined && { introspectionEndpoint: introspection_endpoint }),
    ...(userinfoEndpoint !== undefined && { userinfoEndpoint }),
    ...(isTexts(methods) && { clientAuthenticationMethods: methods }),
    ...(isTexts(challengeMethods) && { codeChallengeMethods: challengeMethods }),
    ...(jwksUri !== undefined && { jwksUri }),
  })
}
