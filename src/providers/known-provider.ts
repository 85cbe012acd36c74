import { BadOptionError } from '../errors.ts'
import { hostAddress } from '../protocol/address.ts'
import { type Provider, rfc8628 } from '../protocol/provider.ts'
import { PROVIDERS } from './table.ts'

/**
 * The name of a provider whose endpoints are known.
 *
 * @group Providers
 */
export type KnownProvider = keyof typeof PROVIDERS

/** The names of the fields in a template. */
type FieldOf<Template> = Template extends `${string}{${infer Field}}${infer Rest}`
  ? Field | FieldOf<Rest>
  : never

/**
 * What {@link knownProvider} must be told of a provider: such as `host` (with or without `https://`) and `realm`.
 *
 * @group Providers
 */
export type KnownProviderFields<Name extends KnownProvider> = Readonly<
  Record<FieldOf<(typeof PROVIDERS)[Name]['tokenEndpoint']>, string>
>

/**
 * The provider for Keycloak, Microsoft Entra ID, Okta, Auth0, Google or GitLab, by the endpoints that it documents.
 * Sends nothing: `discover` asks the server instead.
 *
 * @example
 * ```ts
 * import { authorizeDevice } from 'authgraph'
 * import { knownProvider } from 'authgraph/providers'
 *
 * const token = await authorizeDevice({
 *   clientId: '00001111-aaaa-2222-bbbb-3333cccc4444',
 *   scopes: ['user.read', 'offline_access'],
 *   provider: knownProvider('entra', { tenant: 'organizations' }),
 * })
 * ```
 *
 * @param fields Google needs `{}`.
 * @throws {@link BadOptionError} if the provider is unknown, or a field is missing or invalid.
 * @group Providers
 */
export function knownProvider<Name extends KnownProvider>(
  name: Name,
  fields: KnownProviderFields<Name>,
): Provider {
  if (!Object.hasOwn(PROVIDERS, name))
    throw new BadOptionError(`unknown provider: use ${Object.keys(PROVIDERS).join(', ')}, or discover()`)
  const filled = Object.entries(PROVIDERS[name]).map(([endpoint, template]) => [
    endpoint,
    template.replaceAll(/{(\w+)}/g, (_, field) => fill(field, (fields as Record<string, unknown>)[field])),
  ])
  return rfc8628(Object.fromEntries(filled))
}

function fill(field: string, value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  const filled = field === 'host' ? hostAddress(text)?.origin : encodeURIComponent(text)
  if (filled) return filled
  throw new BadOptionError(
    `${field} must be a ${field === 'host' ? 'host, such as id.example.com' : 'non-empty string'}`,
  )
}
