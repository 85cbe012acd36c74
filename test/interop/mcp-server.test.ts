import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { discoverAuthorizationServerMetadata as discover } from '@modelcontextprotocol/client'
import { discoverAuthorizationServerMetadata as discoverOfSdk1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth as bearerAuthOfSdk1 } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { OAuthError, requireBearerAuth } from '@modelcontextprotocol/server'
import express from 'express'
import { describe, expect, onTestFinished, test } from 'vitest'
import { protectMcpServer } from '../../src/mcp/server/index.ts'
import { freePort } from '../support/free-port.js'
import { listenOnLoopback } from '../support/listen-on-loopback.ts'
import { startService } from '../support/start-service.ts'
import { userAt } from '../support/user.ts'

const RESOURCE = 'http://localhost/mcp'
const OTHER = 'http://localhost/other'

/** A service whose tokens expire after a minute, and what asks a server about a token: its status and its challenge. */
function world() {
  const time = { passed: 0 }
  let issued = 0
  const service = startService({
    clock: { now: () => Date.now() + time.passed * 1000 },
    resources: [
      { uri: RESOURCE, name: 'Notes' },
      { uri: OTHER, name: 'Other' },
    ],
    issueToken: () => ({ token: `token-${++issued}`, expiresIn: 60 }),
  })
  const { requireToken } = service
  const { verifier, metadataUrl } = protectMcpServer({
    resource: RESOURCE,
    issuer: 'http://localhost',
    requireToken,
  })
  const options = { requiredScopes: ['repo'], resourceMetadataUrl: metadataUrl }
  return { service, verifier, options, time }
}

type World = ReturnType<typeof world>

const SERVERS: Record<string, (at: World) => Promise<(init: RequestInit) => Promise<Response>>> = {
  async '@modelcontextprotocol/server 2.4'({ verifier, options }) {
    const gate = requireBearerAuth({
      ...options,
      verifier: verifier((message) => new OAuthError('invalid_token', message)),
    })
    return async (init) => {
      const auth = await gate(new Request(RESOURCE, init))
      return auth instanceof Response ? auth : Response.json(auth)
    }
  },
  async '@modelcontextprotocol/sdk 1.32'({ verifier, options }) {
    const gate = bearerAuthOfSdk1({
      ...options,
      verifier: verifier((message) => new InvalidTokenError(message)),
    })
    const app = express().use(gate, (request, response) => void response.json(request.auth))
    const listening = await listenOnLoopback(createServer(app))
    onTestFinished(listening.close)
    return (init) => fetch(listening.url, init)
  },
}

describe.each(Object.entries(SERVERS))('requireBearerAuth of %s', (_, start) => {
  test('lets in a token for the server, and refuses any other without a 500', async () => {
    const at = world()
    const { service, time } = at
    const send = await start(at)
    const token = async (fields: Readonly<Record<string, string>>) =>
      (await service.login(fields)).access_token as string
    const ask = (token: string) => send({ headers: { authorization: `Bearer ${token}` } })
    const refusal = async (token: string) => {
      const { status, headers } = await ask(token)
      return [status, headers.get('www-authenticate')]
    }
    const challenge = (error: string) => expect.stringMatching(`error="${error}".*resource_metadata=`)

    const good = await token({ resource: RESOURCE })
    const response = await ask(good)
    expect(response.status).toBe(200)
    const { expiresAt, scopes, extra } = await response.json()
    expect(scopes).toEqual(['repo', 'gist'])
    expect(extra.user.login).toBe('octocat')
    // In seconds: milliseconds would never expire.
    expect(Math.abs(expiresAt - Date.now() / 1000 - 60)).toBeLessThan(30)

    expect(await refusal('unknown')).toEqual([401, challenge('invalid_token')])
    expect(await refusal(await token({ resource: OTHER }))).toEqual([401, challenge('invalid_token')])
    expect(await refusal(await token({}))).toEqual([401, challenge('invalid_token')])
    const few = await token({ resource: RESOURCE, scope: 'gist' })
    expect(await refusal(few)).toEqual([403, challenge('insufficient_scope')])
    time.passed = 60
    expect(await refusal(good)).toEqual([401, challenge('invalid_token')])
  })
})

test.each([
  ['@modelcontextprotocol/client 2.4', discover],
  ['@modelcontextprotocol/sdk 1.32', discoverOfSdk1],
])('%s reads the metadata of the service only with an authorization endpoint', async (_, discover) => {
  const find = async (authorizationEndpoint: boolean) => {
    const issuer = await startService({ authorizationEndpoint }).listen()
    onTestFinished(issuer.close)
    return discover(issuer.url)
  }
  await expect(find(false)).rejects.toThrow('authorization_endpoint')
  expect(await find(true)).toMatchObject({ response_types_supported: ['code'] })
})

test('the example, started by one command, lists tools, calls one, and one that needs another scope', async () => {
  const folder = resolve(import.meta.dirname, '../../docs/examples/mcp')
  execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
  const env = { ...process.env, PORT: String(await freePort()) }
  const example = spawn('npm', ['start', '--silent'], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    // npm, its shell and the program.
    process.kill(-(example.pid as number))
    await once(example, 'exit')
  })
  const printed: string[] = []
  for await (const line of createInterface(example.stdout)) {
    printed.push(line)
    const [, userCode, page] = /^Enter (\S+) at (\S+)$/.exec(line) ?? []
    if (userCode && page) {
      const { open, send } = userAt()
      await send(await send(await open(`${page}?user_code=${userCode}`)), { decision: 'approve' })
    }
    if (line.startsWith('add_note')) break
  }
  expect(printed).toEqual([
    expect.stringMatching(/^Enter /),
    'Tools: read_notes, add_note',
    'read_notes: [{"type":"text","text":"Buy milk"}]',
    expect.stringMatching(/^Enter /),
    'add_note: [{"type":"text","text":"Added"}]',
  ])
})
