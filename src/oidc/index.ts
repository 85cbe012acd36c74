/**
 * OpenID Connect and JWTs beyond the login: authenticate with a private key, verify ID tokens, and protect an API with access
 * tokens. Start with {@link verifyIdToken}, or for an API with {@link createVerifier}.
 *
 * @module authgraph/oidc
 */

export type { Gate, GateOptions } from '../access/gate.ts'
export type { IncomingRequest, NodeRequest, WebRequest } from '../access/incoming-request.ts'
export type { AppPrivateKey } from '../app-jwt/import-private-key.ts'
export type { AppJwtSign } from '../app-jwt/sign-with-function.ts'
export {
  AccessError,
  type AccessRefusal,
  AuthgraphError,
  BadIdTokenError,
  BadOptionError,
  JwtError,
  type JwtErrorCode,
  TimedOutError,
  UnreachableError,
  WrongHostError,
} from '../errors.ts'
export { createVerifier, type VerifiedToken, type Verifier, type VerifierOptions } from './create-verifier.ts'
export { type PrivateKeyJwtOptions, privateKeyJwt } from './private-key-jwt.ts'
export { type IdTokenClaims, type VerifyIdTokenOptions, verifyIdToken } from './verify-id-token.ts'
