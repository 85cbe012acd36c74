import { serve } from '@hono/node-server'
import {
  createMcpHandler,
  McpServer,
  requireScopes,
} from '@modelcontextprotocol/server'
import { protectMcpServer } from 'authgraph/mcp/server'
import { createService } from 'authgraph/service'

const port = Number(process.env.PORT ?? 3000)
const issuer = `http://localhost:${port}`
const resource = `${issuer}/mcp`
const scopesSupported = ['notes:read', 'notes:write']

const service = createService({
  authUrl: issuer,
  dialect: 'rfc8628',
  clients: [{ clientId: 'my-agent', name: 'My agent' }],
  resources: [{ uri: resource, name: 'Notes', scopes: scopesSupported }],
  refreshTokens: { lifetime: 30 * 24 * 60 * 60 },
})
const { authenticate, metadataResponse } = protectMcpServer({
  resource,
  issuer,
  requireToken: service.requireToken,
  scopes: ['notes:read'],
  scopesSupported,
})

const mcp = createMcpHandler(() => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  const say = (text: string) => ({
    content: [{ type: 'text' as const, text }],
  })
  server.registerTool('read_notes', {}, () => say('Buy milk'))
  const scopeChallenge = requireScopes('notes:read', 'notes:write')
  server.registerTool('add_note', { scopeChallenge }, () => say('Added'))
  return server
})

export const server = serve({
  port,
  hostname: 'localhost',
  overrideGlobalObjects: false,
  async fetch(request, { incoming }) {
    const { pathname } = new URL(request.url)
    const address = incoming.socket.remoteAddress
    if (service.paths.includes(pathname))
      return service.fetch(request, { address })
    const metadata = metadataResponse(request)
    if (metadata) return metadata
    if (pathname !== '/mcp') return new Response(null, { status: 404 })
    const authInfo = await authenticate(request)
    if (authInfo instanceof Response) return authInfo
    return mcp.fetch(request, { authInfo })
  },
})
