import { expect, test } from 'vitest'
import { bridge } from '../../src/cli/commands/mcp/bridge.ts'
import type { McpMessage } from '../../src/cli/commands/mcp/mcp-message.ts'
import type { PendingCodes } from '../../src/errors.ts'

const CODES: PendingCodes = {
  server: 'https://mcp.example.com/mcp',
  issuer: 'https://mcp.example.com',
  userCode: 'WDJB-MJHT',
  verificationUri: 'https://mcp.example.com/device',
  expiresAt: 0,
}

test('a call that the server works on is not ended by the login that another call needs', async () => {
  const told: McpMessage[] = []
  const host = {
    onmessage: (_: McpMessage) => {},
    onclose: () => {},
    start: async () => {},
    send: async (message: McpMessage) => void told.push(message),
    close: async () => {},
  }
  let show = (_: PendingCodes) => {}
  const server = {
    start: async () => {},
    // The second call waits for the login.
    send: ({ id }: McpMessage) => (id === 2 ? new Promise<void>(() => undefined) : Promise.resolve()),
    close: async () => {},
    terminateSession: async () => {},
    setProtocolVersion: () => {},
  }
  const login = { status: async () => ({ isLoggedIn: true, scopes: [] }), stop: () => {} }
  const ended = bridge(host, async (onCodes) => {
    show = onCodes
    return { login, server }
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  await settled()
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } }
  for (const id of [1, 2]) host.onmessage({ jsonrpc: '2.0', id, method: 'tools/call', params: { _meta } })
  await settled()
  show(CODES)
  expect(told.map(({ id, result }) => [id, result?.resultType])).toEqual([[2, 'input_required']])
  host.onclose()
  await ended
})
