import { assertKnown, type Names } from '../assert-known.ts'
import { BadOptionError } from '../errors.ts'
import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH } from './endpoints.ts'
import type { Provider, ServiceAddresses } from './provider.ts'
import { hostAddress, withoutSlash } from './syntax.ts'

/** What stands for the ID of the user's tenant in an issuer of Entra ID. */
export const TENANT = '{tenantid}'

/** The URLs at which Entra ID serves the accounts of many tenants. */
const MANY_TENANTS = /^(https:\/\/login\.microsoftonline\.com\/)(common|organizations)(\/v2\.0)$/

/**
 * The provider for GitHub, or for a service with the same paths on other hosts.
 *
 * @see {@link https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#device-flow GitHub:
 * device flow}
 */
export function github(addresses: ServiceAddresses = {}): Provider {
  assertKnown(addresses, { authUrl: true, baseUrl: true } satisfies Names<ServiceAddresses>)
  const { authUrl = 'https://github.com', baseUrl = 'https://api.github.com' } = addresses
  return {
    deviceAuthorizationEndpoint: withoutSlash(authUrl) + DEVICE_CODE_PATH,
    tokenEndpoint: withoutSlash(authUrl) + ACCESS_TOKEN_PATH,
    baseUrl: withoutSlash(baseUrl),
    tokenDeletionUrl: withoutSlash(baseUrl),
    scopeSeparator: ',',
    encoding: 'form',
  }
}

/**
 * The provider for GitHub Enterprise Server (such as `git.example.com`, with its API at `/api/v3`) or GitHub Enterprise
 * Cloud with data residency (such as `octo.ghe.com`, with its API at `api.octo.ghe.com`).
 *
 * @param host The host, with or without `https://`. For `github.com` the result is the same as {@link github}`()`.
 * @throws {@link BadOptionError} for anything else, and for `http://` unless it is a loopback address.
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
 * The provider for any service that follows RFC 8628. Scopes are separated by a space unless you say otherwise. Use
 * `discover` to read the endpoints from the service's metadata.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html RFC 8628}
 */
export function rfc8628(
  options: Omit<Provider, 'scopeSeparator' | 'encoding' | 'tokenDeletionUrl'> &
    Partial<Pick<Provider, 'scopeSeparator' | 'encoding'>>,
): Provider {
  assertKnown(options, KNOWN)
  return { ...options, scopeSeparator: options.scopeSeparator ?? ' ', encoding: options.encoding ?? 'form' }
}

const KNOWN: Names<Provider> = {
  deviceAuthorizationEndpoint: true,
  tokenEndpoint: true,
  issuer: true,
  baseUrl: true,
  revocationEndpoint: true,
  introspectionEndpoint: true,
  tokenDeletionUrl: true,
  clientAuthenticationMethods: true,
  codeChallengeMethods: true,
  userinfoEndpoint: true,
  jwksUri: true,
  scopeSeparator: true,
  encoding: true,
}

/** One for all, because ten thousand flows may wait at once. */
const GITHUB = /* @__PURE__ */ github()

/** Reads the option `provider`. Default: {@link github}`()`. Throws a BadOptionError for a URL or a promise. */
export function readProvider(provider: Provider = GITHUB): Provider {
  if (typeof provider?.scopeSeparator === 'string') return provider
  throw new BadOptionError(
    'provider must be what github({ … }), rfc8628({ … }) or "await discover(…)" returns, not a URL or a promise',
  )
}

/**
 * The issuer as the metadata at its URL names it: the URL itself, but for the accounts of many tenants at Entra ID, whose
 * metadata is one template for all of them.
 *
 * @see {@link https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc Microsoft: OpenID Connect}
 */
export function tenantIssuer(issuer: string): string {
  return issuer.replace(MANY_TENANTS, `$1${TENANT}$3`)
}
