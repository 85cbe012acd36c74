/**
 * Signs app JWTs, and does nothing else. Start with {@link signAppJwt}.
 *
 * @module authgraph/app-jwt
 */

export { AuthgraphError, BadOptionError, JwtError, type JwtErrorCode } from '../errors.ts'
export { Secret } from '../secret.ts'
export {
  type AppJwtOptions,
  type AppJwtSigner,
  createAppJwtSigner,
  signAppJwt,
} from './create-app-jwt-signer.ts'
export type { AppPrivateKey } from './import-private-key.ts'
export type { AppJwtSign } from './sign-with-function.ts'
