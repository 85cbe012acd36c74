/**
 * Authenticates Octokit with any form of authentication. Start with {@link octokitAuth}.
 *
 * @module authgraph/octokit
 */

export type { ApiTarget, Auth } from '../auth/auth.ts'
export { AuthgraphError, WrongHostError } from '../errors.ts'
export type { Secret } from '../secret.ts'
export {
  type OctokitAuth,
  type OctokitAuthentication,
  type OctokitRequest,
  type OctokitStrategyOptions,
  octokitAuth,
} from './octokit-auth.ts'
