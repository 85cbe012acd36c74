import { createServer } from 'node:http'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import type { McpLoginOptions, PendingCodes } from '../../../src/mcp/index.ts'
import type { ServiceOptions } from '../../../src/service/index.ts'
import { memoryStore } from '../../../src/session/index.ts'
import { listenOnLoopback } from '../../support/listen-on-loopback.ts'
import { startIssuer } from '../../support/start-issuer.ts'
import { CLIENT_ID } from '../../support/start-service.ts'
import { startOidcProvider } from './oidc-provider.ts'

/** An issuer of tokens for a server. */
interface McpIssuer {
  readonly url: string
  /** How many codes were asked for, how many tokens refreshed, and how many revoked. */
  readonly codes: () => number
  readonly refreshes: () => number
  readonly revocations: () => number
  /** The scopes of the token of a request; `undefined` if it is not valid. */
  readonly scopesOf: (headers: Headers) => Promise<readonly string[] | undefined>
  /** What the user does. */
  readonly approve: (codes: PendingCodes) => unknown
}

/** A stream on which a client listens for messages of the server. */
interface OpenStream {
  readonly authorization: string
  readonly end: () => void
}

/** A real MCP server with our service as its issuer: with a client that the program is given, or with registration only. */
export async function mcpWorld(
  kind: 'given client' | 'registration' = 'given client',
  more: Pick<ServiceOptions, 'authorizationEndpoint'> = {},
) {
  const own = kind === 'registration' ? { clients: [], registration: true } : {}
  const { service, ...issuer } = await startIssuer({ ...own, ...more })
  const count = (type: string) => service.events.filter((event) => event.type === type).length
  const world = await mcpServerOf({
    ...issuer,
    revocations: () => count('token.revoked'),
    scopesOf: (headers) =>
      service.authenticate({ headers }).then(
        (caller) => caller && ('scopes' in caller ? caller.scopes : []),
        () => undefined,
      ),
    approve: ({ userCode }) => service.approve(userCode, { id: 7, login: 'octocat' }),
  })
  const clients = kind === 'given client' && { clients: { [issuer.url]: { clientId: CLIENT_ID } } }
  return { ...world, options: { ...world.options, ...clients }, service }
}

/** The same with oidc-provider, which registers clients too, and gives tokens for the server only. */
export async function mcpWorldOfOidcProvider() {
  const counts = { '/device/auth': 0, '/token/revocation': 0, refresh_token: 0 }
  const { issuer, provider, close, approve } = await startOidcProvider(
    {
      features: {
        registration: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({ scope: 'tool:read tool:write', accessTokenFormat: 'opaque' }),
        },
      },
    },
    async (context, next) => {
      const { path } = context
      if (path in counts) counts[path as keyof typeof counts] += 1
      await next()
      // It tells none, and does not enforce the five seconds that are then meant.
      if (path === '/device/auth') Object.assign(context.body as object, { interval: 1 })
    },
  )
  onTestFinished(close)
  provider.on('grant.success', ({ oidc }) => {
    if (oidc.params?.grant_type === 'refresh_token') counts.refresh_token += 1
  })
  return mcpServerOf({
    url: issuer,
    codes: () => counts['/device/auth'],
    refreshes: () => counts.refresh_token,
    revocations: () => counts['/token/revocation'],
    async scopesOf(headers) {
      const token = await provider.AccessToken.find(
        headers.get('authorization')?.slice('Bearer '.length) ?? '',
      )
      return token?.scope?.split(' ')
    },
    approve,
  })
}

/** A real MCP server with two tools, one of which needs a scope. */
async function mcpServerOf(issuer: McpIssuer) {
  /** Tokens that the server refuses. */
  const refused = new Set<string>()
  /** The sessions that the server knows; it has none until a test adds this. It may leave their end without an answer. */
  const sessions = { known: undefined as Set<string> | undefined, count: 0, isEndSilent: false }
  /** Gets the streams that clients open to listen; there are none until a test adds this. */
  const streams = { onOpen: undefined as ((stream: OpenStream) => void) | undefined }
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
    const isRefused = demands.isStrict || refused.has(header)
    const scopes = isRefused ? undefined : await issuer.scopesOf(request.headers)
    const challenge = (more = '') => ({ headers: { 'www-authenticate': `Bearer scope="tool:read"${more}` } })
    if (scopes === undefined) return new Response('', { status: 401, ...challenge() })
    const { onOpen } = streams
    if (onOpen && request.method === 'GET') {
      const body = new ReadableStream({
        start(controller) {
          // In how many milliseconds to come back.
          controller.enqueue(Buffer.from('retry: 1\n\n'))
          onOpen({ authorization: header, end: () => controller.close() })
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    }
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
    onCodes: (codes) => {
      shown.push(codes)
      return issuer.approve(codes)
    },
  }
  const { codes, refreshes, revocations } = issuer
  return {
    url,
    issuer: issuer.url,
    options,
    shown,
    refused,
    sessions,
    streams,
    demands,
    codes,
    refreshes,
    revocations,
  }
}
