import { createServer } from 'node:http'
import { Client as ClientOfSdk1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportOfSdk1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { deviceLogin, type McpLoginOptions, type PendingCodes } from '../../src/mcp/index.ts'
import { memoryStore } from '../../src/session/index.ts'
import { listenOnLoopback } from '../support/listen-on-loopback.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'
import { connect } from './remote-mcp-servers/connect.ts'

/** A real MCP server with two tools, one of which needs a scope, and our service as its issuer. */
async function world() {
  const service = startService({
    clock: { now: Date.now },
    dialect: 'rfc8628',
    interval: 1,
    refreshTokens: { lifetime: 3600 },
  })
  const issuer = await service.listen()
  onTestFinished(issuer.close)
  /** Tokens that the server refuses. */
  const refused = new Set<string>()
  const counts = { refreshes: () => service.events.filter(({ type }) => type === 'token.refreshed').length }
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
    const found = refused.has(header)
      ? undefined
      : await service.authenticate({ headers: request.headers }).catch(() => undefined)
    const challenge = (more = '') => ({ headers: { 'www-authenticate': `Bearer scope="tool:read"${more}` } })
    if (found === undefined) return new Response('', { status: 401, ...challenge() })
    const needsMore = (await request.clone().text()).includes('"name":"write"')
    const { scopes = [] } = found as { readonly scopes?: readonly string[] }
    if (!needsMore || scopes.includes('tool:write')) return handler.fetch(request)
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
    clients: { [issuer.url]: { clientId: CLIENT_ID } },
    onCodes: (codes) => {
      shown.push(codes)
      return service.approve(codes.userCode, { id: 7, login: 'octocat' })
    },
  }
  const lastToken = async () => {
    const session = await deviceLogin(url, options).session()
    return `Bearer ${(await session?.token())?.reveal()}`
  }
  return { url, options, shown, service, refused, counts, lastToken }
}

const CLIENTS = {
  '@modelcontextprotocol/client 2.4': connect,
  '@modelcontextprotocol/sdk 1.32': async (url: string, options: McpLoginOptions) => {
    const client = new ClientOfSdk1({ name: 'my-agent', version: '1.0.0' })
    const login = deviceLogin(url, options)
    // The types of this package are not made for exactOptionalPropertyTypes.
    await client.connect(new TransportOfSdk1(login.url, { fetch: login.fetch }) as never)
    return client
  },
}

describe.each(Object.entries(CLIENTS))('%s', (_, connectTo) => {
  test('connects with one code, lists, calls, refreshes once for ten calls, and steps up', async () => {
    const { url, options, shown, refused, counts, lastToken } = await world()
    const client = await connectTo(url, options)
    onTestFinished(() => client.close())
    expect(shown).toHaveLength(1)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['read', 'write'])
    const call = async (name: string) => (await client.callTool({ name })).content
    const done = (name: string) => [{ type: 'text', text: `${name} done` }]
    expect(await call('read')).toEqual(done('read'))
    refused.add(await lastToken())
    const ten = await Promise.all(Array.from({ length: 10 }, () => call('read')))
    expect(ten).toEqual(Array(10).fill(done('read')))
    expect([counts.refreshes(), shown.length]).toEqual([1, 1])
    expect(await call('write')).toEqual(done('write'))
    expect(shown).toHaveLength(2)
    // Another program with the same store.
    const other = await connectTo(url, options)
    onTestFinished(() => other.close())
    expect((await other.callTool({ name: 'write' })).content).toEqual(done('write'))
    expect(shown).toHaveLength(2)
  })

  test('says in its error which code the user has to enter, if nobody does in time', async () => {
    const { url, options, service } = await world()
    const shown: PendingCodes[] = []
    const waiting = { ...options, wait: 1, onCodes: (codes: PendingCodes) => shown.push(codes) }
    const error = await connectTo(url, waiting).catch((error) => error)
    expect(error).toMatchObject({ code: 'login_pending' })
    expect(error.message).toContain(shown[0]?.userCode)
    await service.approve(shown[0]?.userCode ?? '', { id: 7, login: 'octocat' })
    const client = await connectTo(url, { ...waiting, wait: 45 })
    onTestFinished(() => client.close())
    expect(new Set(shown.map(({ userCode }) => userCode)).size).toBe(1)
  })
})
