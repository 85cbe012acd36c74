/**
 * Providers whose endpoints are known: Keycloak, Microsoft Entra ID, Okta, Auth0, Google and GitLab.
 * Start with {@link knownProvider}.
 *
 * @module authgraph/providers
 */

export { BadOptionError } from '../errors.ts'
export type { Provider } from '../protocol/provider.ts'
export { type KnownProvider, type KnownProviderFields, knownProvider } from './known-provider.ts'
