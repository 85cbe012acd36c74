import * as v from 'valibot'
import { discover } from '../client/discover.ts'
import { github, githubEnterprise, type Profile } from '../protocol/profiles.ts'

/** Which service is meant, in the words of the command line: `readHost` gives the host. */
export const serviceAddress = v.union([v.object({ host: v.string() }), v.object({ issuer: v.string() })])

/** Which service is meant. */
export type ServiceAddress = v.InferOutput<typeof serviceAddress>

/** The service of the specification. */
export const DEFAULT_ADDRESS: ServiceAddress = { host: 'github.com' }

/**
 * Makes the profile of a service: a loopback address is an embedded service, every other host an Enterprise one.
 *
 * @throws What `discover` throws, for an issuer.
 */
export async function profileAt(address: ServiceAddress, fetch: typeof globalThis.fetch): Promise<Profile> {
  if ('issuer' in address) return discover(address.issuer, { fetch })
  const { host } = address
  if (host === 'github.com') return github()
  return host.includes('://') ? github({ authUrl: host, baseUrl: host }) : githubEnterprise(host)
}

/** The origin at which people and git meet the service. */
export function originOf(address: ServiceAddress): URL {
  if ('issuer' in address) return new URL(address.issuer)
  return new URL(address.host.includes('://') ? address.host : `https://${address.host}`)
}
