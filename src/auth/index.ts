/**
 * Client authentication, and API calls that use it. Start with {@link createApi}.
 *
 * @module authgraph/auth
 */

export type { AppJwtOptions } from '../app-jwt/create-app-jwt-signer.ts'
export type { AppPrivateKey } from '../app-jwt/import-private-key.ts'
export type { AppJwtSign } from '../app-jwt/sign-with-function.ts'
export {
  AuthgraphError,
  BadOptionError,
  BadResponseError,
  JwtError,
  type JwtErrorCode,
  RedirectedError,
  RefusedError,
  StoreUnavailableError,
  TimedOutError,
  UnreachableError,
  WrongHostError,
} from '../errors.ts'
export type { OAuthToken, TokenWarning } from '../protocol/oauth-token.ts'
export type { Provider, ServiceAddresses } from '../protocol/provider.ts'
export { github, githubEnterprise, rfc8628 } from '../protocol/providers.ts'
export type { Clock } from '../request/options.ts'
export { Secret } from '../secret.ts'
export type { Store } from '../store/store.ts'
export { ApiError } from './api-error.ts'
export { type AppAuth, app } from './app.ts'
export type { Auth, AuthRequest } from './auth.ts'
export { basic } from './basic.ts'
export {
  type Api,
  type ApiRequest,
  type ApiResponse,
  type ApiWait,
  type CreateApiOptions,
  createApi,
} from './create-api.ts'
export { type Installation, type InstallationOptions, installation } from './installation.ts'
export { type FoundInstallation, installationsOf } from './installations-of.ts'
export { none } from './none.ts'
export { type OAuthOptions, oauth } from './oauth.ts'
export { personalToken } from './personal-token.ts'
export { type ApiOptions, withAuth } from './with-auth.ts'
