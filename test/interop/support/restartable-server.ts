import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type CreateMcpHandlerOptions, createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { CERTIFICATE } from '../../cli/support/serve.ts'
import { startIssuer } from '../../support/start-issuer.ts'

/** Options of the server. */
interface ServerOptions extends Pick<CreateMcpHandlerOptions, 'legacy'> {
  /** Whether it speaks HTTPS. */
  readonly isSecure?: boolean
}

/** A real MCP server without sessions, which a test can stop and start again, and our service as its issuer. */
export async function restartableServer({ isSecure = false, ...options }: ServerOptions = {}) {
  /** How many requests it rejects, and what is called before the response with a refreshed token. */
  const state = { rejections: 0, onRefresh: () => {} }
  const { service, url: issuer } = await startIssuer({
    onEvent(event) {
      service.events.push(event)
      if (event.type === 'token.refreshed') state.onRefresh()
    },
  })
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'tools', version: '1.0.0' })
    server.registerTool('read', {}, () => ({ content: [{ type: 'text', text: 'read done' }] }))
    server.registerTool('wait', {}, () => new Promise(() => undefined))
    return server
  }, options)
  /** The tokens and methods that it received, and the methods whose connection ended before the response. */
  const received: string[] = []
  const aborted: string[] = []
  const tokens: string[] = []

  const serve: RequestListener = async (incoming, outgoing) => {
    if (incoming.url?.startsWith('/.well-known/'))
      return outgoing.end(JSON.stringify({ resource: url, authorization_servers: [issuer] }))
    const headers = new Headers(incoming.headers as Record<string, string>)
    tokens.push(headers.get('authorization') ?? '')
    const caller = await service.authenticate({ headers }).catch(() => undefined)
    if (!caller || state.rejections-- > 0)
      return outgoing.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    const body = String(Buffer.concat(await incoming.toArray())) || null
    const { method } = JSON.parse(body ?? '{}')
    received.push(method)
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) aborted.push(method)
    })
    const response = await handler.fetch(new Request(url, { method: incoming.method ?? '', headers, body }))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.flushHeaders()
    if (response.body) for await (const chunk of response.body) outgoing.write(chunk)
    outgoing.end()
  }

  function create() {
    if (!isSecure) return createServer(serve)
    const pem = readFileSync(CERTIFICATE)
    return createSecureServer({ key: pem, cert: pem }, serve)
  }

  async function listen(port = 0) {
    const server = create()
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }

  async function stop(): Promise<void> {
    const closed = once(http, 'close')
    http.close()
    http.closeAllConnections()
    await closed
  }

  let http = await listen()
  const { port } = http.address() as AddressInfo
  const url = isSecure ? `https://localhost:${port}/mcp` : `http://127.0.0.1:${port}/mcp`
  const start = async () => {
    http = await listen(port)
  }
  onTestFinished(async () => {
    await stop()
    await handler.close()
  })
  return { service, issuer, url, state, tokens, received, aborted, stop, start }
}
