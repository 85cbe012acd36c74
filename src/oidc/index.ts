/**
 * OpenID Connect beyond the login: authenticate with a private key, and verify ID tokens. Start
 * with {@link verifyIdToken}.
 *
 * @module authgraph/oidc
 */

export type { AppPrivateKey } from '../app-jwt/import-private-key.ts'
export type { AppJwtSign } from '../app-jwt/sign-with-function.ts'
export {
  AuthgraphError,
  BadIdTokenError,
  BadOptionError,
  JwtError,
  type JwtErrorCode,
  TimedOutError,
  UnreachableError,
  WrongHostError,
} from '../errors.ts'
export { type PrivateKeyJwtOptions, privateKeyJwt } from './private-key-jwt.ts'
export { type IdTokenClaims, type VerifyIdTokenOptions, verifyIdToken } from './verify-id-token.ts'
