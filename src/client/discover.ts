import * as v from 'valibot'
import { BadResponseError, WrongHostError } from '../errors.ts'
import { isLoopback, secureAddress, withoutSlash } from '../protocol/address.ts'
import { METADATA_PATH } from '../protocol/endpoints.ts'
import { parseFields } from '../protocol/parse-fields.ts'
import { type Provider, rfc8628 } from '../protocol/provider.ts'
import { get } from './exchange.ts'
import { type Clock, systemClock, systemFetch } from './options.ts'
import { within } from './within.ts'

/**
 * What `discover` takes besides the issuer, all with defaults.
 *
 * @group Profiles
 */
export interface DiscoverOptions {
  readonly signal?: AbortSignal | undefined
  /** Sends the requests: the runtime's own by default. */
  readonly fetch?: typeof globalThis.fetch
  /** The runtime's own by default. */
  readonly clock?: Clock
}

const metadata = v.object({
  issuer: v.string(),
  device_authorization_endpoint: v.string(),
  token_endpoint: v.string(),
})

/**
 * Makes a provider from what a server says of itself, by its OAuth or its OpenID metadata.
 *
 * @param issuer The address of the server, such as `https://login.example.com`.
 * @throws {@link WrongHostError} where the issuer is not `https` off loopback, the document is of another issuer, or it names an
 * endpoint that may not be used: without `https`, or at a loopback address though the issuer is not at one;
 * {@link BadResponseError} where there is no document, or it names no device authorization endpoint; and the errors of a request.
 * @group Profiles
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414.html#section-3 RFC 8414, section 3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-4 RFC 8628, section 4}
 */
export function discover(issuer: string, options: DiscoverOptions = {}): Promise<Provider> {
  const { fetch = systemFetch, clock = systemClock, signal } = options
  return within({ clock, signal }, async (signal) => {
    for (const address of documentsOf(issuer)) {
      const { status, body } = await get(address, { fetch, clock }, signal)
      if (status === 200) return read(body, issuer)
    }
    throw new BadResponseError('the issuer publishes no metadata: configure its two endpoints instead')
  })
}

/** Where the document may lie: before the path of the issuer, or, for OpenID, behind it. */
function documentsOf(issuer: string): string[] {
  const { origin, pathname } = secureAddress(issuer)
  const path = pathname.replace(/\/$/, '')
  return [`${origin}${METADATA_PATH}${path}`, `${origin}${path}/.well-known/openid-configuration`]
}

function read(body: unknown, issuer: string): Provider {
  const { device_authorization_endpoint, token_endpoint, ...named } = parseFields(
    metadata,
    body,
    'issuer metadata',
  )
  // RFC 8414, section 3.3: a document of another issuer may be an attack.
  if (withoutSlash(named.issuer) !== withoutSlash(issuer)) {
    throw new WrongHostError('the metadata belongs to another issuer')
  }
  for (const endpoint of [device_authorization_endpoint, token_endpoint]) {
    const { hostname } = secureAddress(endpoint)
    // The metadata of a stranger must not have secrets sent to a program of this machine.
    if (isLoopback(hostname) && !isLoopback(new URL(issuer).hostname))
      throw new WrongHostError('the metadata of a remote issuer points to an endpoint on this machine')
  }
  return rfc8628({
    deviceAuthorizationEndpoint: device_authorization_endpoint,
    tokenEndpoint: token_endpoint,
  })
}
