import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH } from './endpoints.ts'
import type { ScopeSeparator } from './scopes.ts'

/**
 * How one service is spoken to: its addresses and its habits.
 *
 * @group Profiles
 */
export interface Profile {
  /** Where codes are asked for: `https`, or `http` on a loopback address. */
  readonly deviceAuthorizationEndpoint: string
  /** Where the device polls. */
  readonly tokenEndpoint: string
  /** The address of the API, without a slash at its end, where the service has one. */
  readonly baseUrl?: string | undefined
  readonly scopeSeparator: ScopeSeparator
  /** How the fields of a request are written. */
  readonly encoding: 'form' | 'json'
}

/**
 * The two addresses of the service of the specification.
 *
 * @group Profiles
 */
export interface ServiceAddresses {
  /** The host that serves the login paths: `https://github.com` by default. */
  readonly authUrl?: string
  /** The API host: `https://api.github.com` by default. */
  readonly baseUrl?: string
}

/**
 * The service of the specification.
 *
 * @group Profiles
 * @see Spec 4
 */
export function github({
  authUrl = 'https://github.com',
  baseUrl = 'https://api.github.com',
}: ServiceAddresses = {}): Profile {
  return {
    deviceAuthorizationEndpoint: withoutSlash(authUrl) + DEVICE_CODE_PATH,
    tokenEndpoint: withoutSlash(authUrl) + ACCESS_TOKEN_PATH,
    baseUrl: withoutSlash(baseUrl),
    scopeSeparator: ',',
    encoding: 'form',
  }
}

/**
 * An Enterprise installation: on a host of its own (its API lies below `/api/v3`), or on a subdomain of `ghe.com`
 * (its API is on the host `api.` before it).
 *
 * @param host The host as people write it, such as `git.example.com` or `octo.ghe.com`.
 * @group Profiles
 */
export function githubEnterprise(host: string): Profile {
  const baseUrl = host.toLowerCase().endsWith('.ghe.com') ? `https://api.${host}` : `https://${host}/api/v3`
  return github({ authUrl: `https://${host}`, baseUrl })
}

/**
 * A server that keeps to RFC 8628 as written: scopes joined by a space.
 *
 * @group Profiles
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html RFC 8628}
 */
export function rfc8628({
  scopeSeparator = ' ',
  encoding = 'form',
  ...addresses
}: {
  readonly deviceAuthorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly baseUrl?: string | undefined
  readonly scopeSeparator?: ScopeSeparator
  readonly encoding?: 'form' | 'json'
}): Profile {
  return { ...addresses, scopeSeparator, encoding }
}

function withoutSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address
}
