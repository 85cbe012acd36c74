/**
 * Protects an MCP server with access tokens. Start with {@link protectMcpServer}.
 *
 * @module authgraph/mcp/server
 */

export type { Gate, GateOptions } from '../../access/gate.ts'
export type { IncomingRequest, NodeRequest, WebRequest } from '../../access/incoming-request.ts'
export {
  AccessError,
  type AccessRefusal,
  AuthgraphError,
  BadOptionError,
  WrongHostError,
} from '../../errors.ts'
export { Secret } from '../../secret.ts'
export {
  type McpAuthInfo,
  type McpServerProtection,
  type ProtectMcpServerOptions,
  protectMcpServer,
} from './protect-mcp-server.ts'
export type { ResourceMetadata } from './resource-metadata.ts'
