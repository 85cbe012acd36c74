/** What a response has in common with its request. */
export type McpId = string | number

/** An object of a message. */
export type McpFields = Readonly<Record<string, unknown>>

/** A JSON-RPC message. */
export interface McpMessage {
  readonly jsonrpc: '2.0'
  readonly id?: McpId
  readonly method?: string
  readonly params?: McpFields
  readonly result?: McpFields
  readonly error?: McpFields
}

/** What ends a request, and what is called at the end of its response. */
export interface SendOptions {
  readonly requestSignal?: AbortSignal
  readonly onRequestStreamEnd: () => void
}

/** The part of a transport of the MCP packages that is used here. */
export interface McpTransport {
  onmessage?: (message: McpMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  start(): Promise<void>
  send(message: McpMessage, options?: SendOptions): Promise<void>
  close(): Promise<void>
}

/** The transport to the server. */
export interface ServerTransport extends McpTransport {
  readonly sessionId?: string | undefined
  /** Tells the server that its session is over, if there is one. */
  terminateSession(): Promise<void>
  setProtocolVersion(version: string): void
}

/** Whether a message wants a response. */
export function isRequest(message: McpMessage): message is McpMessage & { readonly id: McpId } {
  return message.method !== undefined && message.id !== undefined
}
