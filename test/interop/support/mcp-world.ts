import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type CreateMcpHandlerOptions, createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import type { McpLoginOptions, PendingCodes } from '../../../src/mcp/index.ts'
import type { ServiceOptions } from '../../../src/service/index.ts'
import { memoryStore } from '../../../src/session/index.ts'
import { CERTIFICATE } from '../../cli/support/serve.ts'
import { type AtEnd, startIssuer } from '../../support/start-issuer.ts'
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

/** Options of a server. */
interface ServerOptions extends Pick<CreateMcpHandlerOptions, 'legacy'> {
  /** Whether it speaks HTTPS. */
  readonly isSecure?: boolean
  /** The `onTestFinished` of the test's context, for concurrent tests. */
  readonly atEnd?: AtEnd
}

/** Options of a server and its issuer. */
interface WorldOptions extends ServerOptions, Pick<ServiceOptions, 'authorizationEndpoint'> {
  /** Whether clients register. By default, the program is given a client. */
  readonly registration?: boolean
}

/** A real MCP server with our service as its issuer. */
export async function mcpWorld({
  registration = false,
  isSecure = false,
  legacy = 'stateless',
  atEnd = onTestFinished,
  ...more
}: WorldOptions = {}) {
  /** What is called before the response with a refreshed token. */
  const hooks = { onRefresh: () => {} }
  const { service, ...issuer } = await startIssuer(
    {
      ...(registration && { clients: [], registration }),
      ...more,
      onEvent(event) {
        service.events.push(event)
        if (event.type === 'token.refreshed') hooks.onRefresh()
      },
    },
    atEnd,
  )
  const count = (type: string) => service.events.filter((event) => event.type === type).length
  const world = await mcpServerOf(
    {
      ...issuer,
      revocations: () => count('token.revoked'),
      scopesOf: (headers) =>
        service.authenticate({ headers }).then(
          (caller) => caller && ('scopes' in caller ? caller.scopes : []),
          () => undefined,
        ),
      approve: ({ userCode }) => service.approve(userCode, { id: 7, login: 'octocat' }),
    },
    { isSecure, legacy, atEnd },
  )
  const clients = !registration && { clients: { [issuer.url]: { clientId: CLIENT_ID } } }
  return { ...world, options: { ...world.options, ...clients }, service, hooks }
}

/** The same with oidc-provider, which registers clients too, and gives tokens for the server only. */
export async function mcpWorldOfOidcProvider({ atEnd = onTestFinished }: Pick<WorldOptions, 'atEnd'> = {}) {
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
  atEnd(close)
  provider.on('grant.success', ({ oidc }) => {
    if (oidc.params?.grant_type === 'refresh_token') counts.refresh_token += 1
  })
  return mcpServerOf(
    {
      url: issuer,
      codes: () => counts['/device/auth'],
      refreshes: () => counts.refresh_token,
      revocations: () => counts['/token/revocation'],
      async scopesOf(headers) {
        const [, value = ''] = headers.get('authorization')?.split(' ') ?? []
        return (await provider.AccessToken.find(value))?.scope?.split(' ')
      },
      approve,
    },
    { atEnd },
  )
}

/** A real MCP server with three tools: one needs a scope, and one never responds. A test can stop it and start it again. */
async function mcpServerOf(
  issuer: McpIssuer,
  { isSecure = false, atEnd = onTestFinished, ...handling }: ServerOptions = {},
) {
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
    server.registerTool('wait', {}, () => new Promise(() => undefined))
    return server
  }, handling)
  /** The tokens and methods that it received, and the methods whose connection ended before the response. */
  const tokens: string[] = []
  const received: string[] = []
  const aborted: string[] = []

  async function serve(request: Request, text: string): Promise<Response> {
    if (new URL(request.url).pathname.startsWith('/.well-known/'))
      return Response.json({ resource: url, authorization_servers: [issuer.url] })
    const header = request.headers.get('authorization') ?? ''
    tokens.push(header)
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
    const isFirst = text.includes('"method":"initialize"')
    const session = request.headers.get('mcp-session-id') ?? ''
    if (sessions.known && !isFirst && !sessions.known.has(session)) return new Response('', { status: 404 })
    if (request.method === 'DELETE' && sessions.known?.delete(session))
      return sessions.isEndSilent ? new Promise(() => undefined) : new Response()
    const lacksMore = text.includes('"name":"write"') && !scopes.includes('tool:write')
    const needed = (text.includes('"tools/call"') && demands.scope?.()) || (lacksMore && 'tool:write')
    if (needed) {
      const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${needed}"` }
      return new Response('', { status: 403, headers })
    }
    const response = await handler.fetch(request)
    if (!sessions.known || !isFirst) return response
    sessions.count += 1
    sessions.known.add(`session ${sessions.count}`)
    response.headers.set('mcp-session-id', `session ${sessions.count}`)
    return response
  }

  const listener: RequestListener = async (incoming, outgoing) => {
    const text = String(Buffer.concat(await incoming.toArray()))
    const headers = incoming.headers as Record<string, string>
    const init = { method: incoming.method ?? '', headers, body: text || null }
    const [, method = ''] = /"method":"(.*?)"/.exec(text) ?? []
    received.push(method)
    outgoing.on('close', () => outgoing.writableFinished || aborted.push(method))
    const response = await serve(new Request(new URL(incoming.url ?? '', url), init), text)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.flushHeaders()
    if (response.body) for await (const chunk of response.body) outgoing.write(chunk)
    outgoing.end()
  }
  async function listen(port = 0) {
    const pem = isSecure ? readFileSync(CERTIFICATE) : ''
    const http = isSecure ? createSecureServer({ key: pem, cert: pem }, listener) : createServer(listener)
    // A connection that ends because it was idle would break the request that a client sends at the same moment.
    Object.assign(http, { keepAliveTimeout: 0 })
    await once(http.listen(port, '127.0.0.1'), 'listening')
    return http
  }
  let http = await listen()
  const { port } = http.address() as AddressInfo
  const url = isSecure ? `https://localhost:${port}/mcp` : `http://127.0.0.1:${port}/mcp`
  const start = async () => {
    http = await listen(port)
  }
  async function stop(): Promise<void> {
    const closed = once(http, 'close')
    http.close()
    http.closeAllConnections()
    await closed
  }
  atEnd(async () => {
    await stop()
    await handler.close()
  })
  const shown: PendingCodes[] = []
  const options: McpLoginOptions = {
    store: memoryStore(),
    onCodes: (codes) => {
      shown.push(codes)
      return issuer.approve(codes)
    },
  }
  const controls = { refused, sessions, streams, demands, start, stop }
  return { ...issuer, ...controls, url, issuer: issuer.url, options, shown, tokens, received, aborted }
}
