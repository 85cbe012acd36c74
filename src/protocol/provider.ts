import { BadOptionError } from '../errors.ts'
import { hostAddress, withoutSlash } from './address.ts'
import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH } from './endpoints.ts'
import type { ScopeSeparator } from './scopes.ts'

/**
 * How one service is spoken to: its addresses and its habits.
 *
 * @group Profiles
 */
export interface Provider {
  /** Where codes are asked for: `https`, or `http` on a loopback address. */
  readonly deviceAuthorizationEndpoint: string
  /** Where the device polls. */
  readonly tokenEndpoint: string
  /** The address of the API, without a slash at its end, where the service has one. */
  readonly baseUrl?: string | undefined
  readonly scopeSeparator: ScopeSeparator
  /**
   * How the fields of a request are written. A server that refuses a form with status 415 is sent JSON without this
   * option too, at the cost of one more request.
   */
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
}: ServiceAddresses = {}): Provider {
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
 * @param host The host as users write it, such as `git.example.com` or `octo.ghe.com`, with or without `https://`. The
 * host `github.com` gives the same as {@link github}`()`.
 * @throws {@link BadOptionError} for anything else, and for `http://` other than on a loopback address.
 * @group Profiles
 */
export function githubEnterprise(host: string): Provider {
  const url = typeof host === 'string' ? hostAddress(host) : undefined
  if (url === undefined)
    throw new BadOptionError(
      'githubEnterprise() expects a host, such as git.example.com or https://git.example.com',
    )
  const { origin, hostname } = url
  if (url.host === 'github.com') return github()
  const baseUrl = hostname.endsWith('.ghe.com') ? `https://api.${url.host}` : `${origin}/api/v3`
  return github({ authUrl: origin, baseUrl })
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
}): Provider {
  return { ...addresses, scopeSeparator, encoding }
}
