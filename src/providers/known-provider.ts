import { BadOptionError } from '../errors.ts'
import type { Provider } from '../protocol/provider.ts'
import { rfc8628, tenantIssuer } from '../protocol/providers.ts'
import { hostAddress } from '../protocol/syntax.ts'
import { PROVIDERS } from './table.ts'

/** The name of a provider whose endpoints are known. */
export type KnownProvider = keyof typeof PROVIDERS

/** The names of the fields in a template. */
type FieldOf<Template> = Template extends `${string}{${infer Field}}${infer Rest}`
  ? Field | FieldOf<Rest>
  : never

type TemplateOf<Name extends KnownProvider> = (typeof PROVIDERS)[Name]['tokenEndpoint']

/** The fields outside `[…]`. */
type RequiredOf<Template> = Template extends `${infer Start}[${string}]${infer End}`
  ? FieldOf<`${Start}${End}`>
  : FieldOf<Template>

/**
 * What {@link knownProvider} needs to know of a provider, such as `host` (with or without `https://`) and `realm`. `server`
 * of Okta is optional. Default: the org authorization server.
 */
export type KnownProviderFields<Name extends KnownProvider> = Readonly<
  Record<RequiredOf<TemplateOf<Name>>, string> &
    Partial<Record<FieldOf<TemplateOf<Name>>, string | undefined>>
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
 *   onCodes,
 * })
 * ```
 *
 * @param fields Google needs `{}`.
 * @throws {@link BadOptionError} if the provider is unknown, or a field is missing or invalid.
 */
export function knownProvider<Name extends KnownProvider>(
  name: Name,
  fields: KnownProviderFields<Name>,
): Provider {
  if (!Object.hasOwn(PROVIDERS, name))
    throw new BadOptionError(`unknown provider: use ${Object.keys(PROVIDERS).join(', ')}, or discover()`)
  const members = Object.entries(PROVIDERS[name]).map(([member, template]) => [
    member,
    // Changes no endpoint: they have other paths.
    tenantIssuer(fillIn(template, fields)),
  ])
  return rfc8628(Object.fromEntries(members))
}

function fillIn(template: string, fields: Readonly<Record<string, unknown>>): string {
  return template
    .replace(/\[(.*{(\w+)})\]/, (_, part, field) => (fields[field] === undefined ? '' : part))
    .replaceAll(/{(\w+)}/g, (_, field) => segmentOf(field, fields[field]))
}

function segmentOf(field: string, value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  // A dot segment would lead to another path.
  const name = /^\.{0,2}$/.test(text) ? undefined : encodeURIComponent(text)
  const filled = field === 'host' ? hostAddress(text)?.origin : name
  if (filled !== undefined) return filled
  throw new BadOptionError(
    `${field} must be a ${field === 'host' ? 'host, such as id.example.com' : 'name: not empty, "." or ".."'}`,
  )
}
