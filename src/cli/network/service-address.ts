import * as v from 'valibot'
import { BadOptionError } from '../../errors.ts'
import type { Provider } from '../../protocol/provider.ts'
import { github, githubEnterprise, rfc8628 } from '../../protocol/providers.ts'
import { REVOCATION_PATH } from '../../protocol/service-paths.ts'
import { hostAddress, isLoopback } from '../../protocol/syntax.ts'

/** The encoding of requests; by default, the service decides. */
const encoding = v.exactOptional(v.picklist(['form', 'json']))

/** The endpoints of a service. */
export const endpoints = v.object({
  deviceAuthorizationEndpoint: v.string(),
  tokenEndpoint: v.string(),
  revocationEndpoint: v.exactOptional(v.string()),
  userinfoEndpoint: v.exactOptional(v.string()),
  encoding,
})

/** The address of a service as the command line gives it; `readHost` parses the host. */
export const serviceAddress = v.union([
  v.object({ host: v.string(), encoding }),
  v.object({ issuer: v.string(), encoding }),
  endpoints,
])

/** The address of a service. */
export type ServiceAddress = v.InferOutput<typeof serviceAddress>

/** The options that name a service. */
export interface AddressOptions {
  readonly host?: string
  readonly issuer?: string
  readonly deviceAuthorizationEndpoint?: string
  readonly tokenEndpoint?: string
}

/** The service of the specification. */
export const DEFAULT_ADDRESS: ServiceAddress = { host: 'github.com' }

/** The API hosts of GitHub whose logins are at another host. */
const API_HOST = /^api\.(?=github\.com$|[^.]+\.ghe\.com$)/

/**
 * Reads a host as users write it. The API hosts of GitHub stand for the hosts of their logins. A loopback address keeps
 * its scheme, which is `http` by default.
 */
export function hostIn(text: string): string | undefined {
  const url = hostAddress(text)
  return url && (isLoopback(url.hostname) ? url.origin : url.host.replace(API_HOST, ''))
}

/** Reads the options that name a service. Throws {@link BadOptionError} if only one endpoint is given. */
export function addressOf(options: AddressOptions): ServiceAddress | undefined {
  const { host, issuer } = options
  const endpoints = endpointsOf(options)
  if (endpoints) return endpoints
  if (issuer) return { issuer }
  return host ? { host } : undefined
}

/** Reads the two endpoints. Throws {@link BadOptionError} if only one is given. */
export function endpointsOf({ deviceAuthorizationEndpoint, tokenEndpoint }: AddressOptions) {
  if (deviceAuthorizationEndpoint && tokenEndpoint) return { deviceAuthorizationEndpoint, tokenEndpoint }
  if (!deviceAuthorizationEndpoint && !tokenEndpoint) return undefined
  throw new BadOptionError(
    deviceAuthorizationEndpoint
      ? '--device-authorization-endpoint requires --token-endpoint'
      : '--token-endpoint requires --device-authorization-endpoint',
  )
}

/**
 * Creates the provider of a service. A loopback address is an embedded service; every other host is github.com or GitHub
 * Enterprise.
 *
 * @throws The errors of `discover`, for an issuer.
 */
export async function providerAt(address: ServiceAddress, fetch: typeof globalThis.fetch): Promise<Provider> {
  const { encoding } = address
  return { ...(await providerWithoutEncoding(address, fetch)), ...(encoding && { encoding }) }
}

async function providerWithoutEncoding(
  address: ServiceAddress,
  fetch: typeof globalThis.fetch,
): Promise<Provider> {
  if ('issuer' in address) {
    const { discover } = await import('../../client/discover.ts')
    return discover(address.issuer, { fetch })
  }
  if ('tokenEndpoint' in address) return rfc8628(address)
  const { host } = address
  if (!host.includes('://')) return githubEnterprise(host)
  return { ...github({ authUrl: host, baseUrl: host }), revocationEndpoint: host + REVOCATION_PATH }
}

/** The address of the service for users and git. */
export function authOrigin(address: ServiceAddress): URL {
  if ('issuer' in address) return new URL(address.issuer)
  if ('tokenEndpoint' in address) return new URL(new URL(address.deviceAuthorizationEndpoint).origin)
  return new URL(address.host.includes('://') ? address.host : `https://${address.host}`)
}

/** Tells whether two addresses belong to one service: only then may the secrets of one be sent to the other. */
export function isSameService(one: ServiceAddress, other: ServiceAddress): boolean {
  return originsOf(one).join() === originsOf(other).join()
}

function originsOf(address: ServiceAddress): string[] {
  const { href } = authOrigin(address)
  return 'tokenEndpoint' in address ? [href, new URL(address.tokenEndpoint).origin] : [href]
}
