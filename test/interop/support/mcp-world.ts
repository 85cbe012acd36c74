import { createServer } from 'node:http'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import type { McpLoginOptions, PendingCodes } from '../../../src/mcp/index.ts'
import type { ServiceOptions } from '../../../src/service/index.ts'
import { memoryStore } from '../../../src/session/index.ts'
import { listenOnLoopback } from '../../support/listen-on-loopback.ts'
import { startIssuer } from '../../support/start-issuer.ts'
import { CLIENT_ID } from '../../support/start-service.ts'

/**
 * A real MCP server with two tools, one of which needs a scope, and our service as its issuer: with a client that the program
 * is given, or with registration only.
 */
export async function mcpWorld(
  kind: 'given client' | 'registration' = 'given client',
  more: Pick<ServiceOptions, 'authorizationEndpoint'> = {},
) {
  const own = kind === 'registration' ? { clients: [], registration: true } : {}
  const issuer = await startIssuer({ ...own, ...more })
  const { service, codes, refreshes } = issuer
  /** Tokens that the server refuses. */
  const refused = new Set<string>()
  /** The sessions that the server knows; it has none until a test adds this. It may leave their end without an answer. */
  const sessions = { known: undefined as Set<string> | undefined, count: 0, isEndSilent: false }
  /** What the server asks for, whatever the token: a scope for each call, or another token. */
  const demands = { scope: undefined as (() => string) | undefined, isStrict: false }
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'tools', version: '1.0.0' })
    for (const name of ['read', 'write'])
      server.registerTool(name, {}, () => ({ content: [{ type: 'text', text: `${name} done` }] }))
    return server
  })
  onTestFinished(() => handler.close())

  async function serve(request: Request): Promise<Response> {
    if (new URL(request.url).pathname.startsWith('/.well-known/'))
      return Response.json({ resource: url, authorization_servers: [issuer.url] })
    const header = request.headers.get('authorization') ?? ''
    const found =
      demands.isStrict || refused.has(header)
        ? undefined
        : await service.authenticate({ headers: request.headers }).catch(() => undefined)
    const challenge = (more = '') => ({ headers: { 'www-authenticate': `Bearer scope="tool:read"${more}` } })
    if (found === undefined) return new Response('', { status: 401, ...challenge() })
    const text = await request.clone().text()
    const isFirst = text.includes('"method":"initialize"')
    if (sessions.known && !isFirst && !sessions.known.has(request.headers.get('mcp-session-id') ?? ''))
      return new Response('', { status: 404 })
    if (request.method === 'DELETE' && sessions.known?.delete(request.headers.get('mcp-session-id') ?? ''))
      return sessions.isEndSilent ? new Promise(() => undefined) : new Response()
    const needed = text.includes('"tools/call"') && demands.scope?.()
    if (needed) {
      const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${needed}"` }
      return new Response('', { status: 403, headers })
    }
    const needsMore = text.includes('"name":"write"')
    const { scopes = [] } = found as { readonly scopes?: readonly string[] }
    if (!needsMore || scopes.includes('tool:write')) {
      const response = await handler.fetch(request)
      if (!sessions.known || !isFirst) return response
      sessions.count += 1
      sessions.known.add(`session ${sessions.count}`)
      response.headers.set('mcp-session-id', `session ${sessions.count}`)
      return response
    }
    const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="tool:write"' }
    return new Response('', { status: 403, headers })
  }

  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
    const headers = incoming.headers as Record<string, string>
    const request = new Request(`${listening.url}${incoming.url}`, {
      method: incoming.method ?? '',
      headers,
      ...body,
    })
    const response = await serve(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    if (response.body) for await (const chunk of response.body) outgoing.write(chunk)
    outgoing.end()
  })
  const listening = await listenOnLoopback(server)
  onTestFinished(listening.close)
  const url = `${listening.url}/mcp`
  const shown: PendingCodes[] = []
  const options: McpLoginOptions = {
    store: memoryStore(),
    ...(kind === 'given client' && { clients: { [issuer.url]: { clientId: CLIENT_ID } } }),
    onCodes: (codes) => {
      shown.push(codes)
      return service.approve(codes.userCode, { id: 7, login: 'octocat' })
    },
  }
  return {
    url,
    issuer: issuer.url,
    options,
    shown,
    service,
    refused,
    sessions,
    demands,
    codes,
    refreshes,
  }
}
