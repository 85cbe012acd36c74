/**
 * Logs in to remote MCP servers without a browser on this machine. Start with {@link deviceLogin}.
 *
 * @module authgraph/mcp
 */

export type { Revocation } from '../../machines/session-context.ts'
export {
  BadOptionError,
  BadResponseError,
  BusyError,
  DeniedError,
  ExpiredError,
  LoginPendingError,
  type PendingCodes,
  WrongHostError,
} from '../errors.ts'
export type { ClientAuthentication, PrivateKeyJwt } from '../protocol/client-authentication.ts'
export type { Clock, RequestOptions } from '../request/options.ts'
export { Secret } from '../secret.ts'
export type { Session } from '../session/create-session.ts'
export type { SessionStore } from '../session/session-store.ts'
export {
  deviceLogin,
  type McpLogin,
  type McpLoginOptions,
  type McpLoginStatus,
} from './device-login.ts'
export type { IssuerQuestion } from './find-issuer.ts'
export type { IssuerClient } from './issuer-clients.ts'
