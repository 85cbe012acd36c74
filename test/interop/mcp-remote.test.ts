import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { CLIENT_ID } from '../support/start-service.ts'
import { installedCommand } from './support/installed-command.ts'
import { mcpWorld } from './support/mcp-world.ts'

const COMMAND = installedCommand()

const CODE = /\b[A-Z]{4}-[A-Z]{4}\b/g

/** What mcp-remote requires of metadata, though no browser is used. */
const ACCEPTED = { authorizationEndpoint: true }

/** How each bridge is started, with the client that it is given. */
const BRIDGES: Readonly<Record<string, (url: string, issuer: string) => string[]>> = {
  '`mcp-remote --device-code`': (url) => [
    join(import.meta.dirname, 'node_modules/mcp-remote/dist/proxy.js'),
    ...[url, '--device-code', '--static-oauth-client-info', JSON.stringify({ client_id: CLIENT_ID })],
  ],
  '`authgraph mcp`': (url, issuer) => [
    COMMAND,
    ...['mcp', '--store', 'file', '--issuer', issuer, '--client-id', CLIENT_ID, url],
  ],
}

/** What is compared: the same server, service and host, and one bridge. */
const COMPARED: Readonly<Record<string, (bridge: string) => Promise<string>>> = {
  async 'six processes at once'(bridge) {
    const { host, codes } = await start(bridge)
    const hosts = Array.from({ length: 6 }, () => host())
    await Promise.all(hosts.map(({ code }) => code))
    return counted(codes())
  },

  async 'the MCP host gives up, and starts again after the user has approved'(bridge) {
    const { host, codes, approve } = await start(bridge)
    const first = host()
    const code = await first.code
    await first.client.close()
    await approve(code)
    const second = host()
    const waits = second.code.then((shown) => (shown === code ? second.connected : 'waits for the second'))
    const outcome = await Promise.race([second.connected, waits])
    return counted(codes(), outcome)
  },

  async 'a tool needs another scope'(bridge) {
    const { host, codes, approve } = await start(bridge)
    const { client, connected } = host({ onCode: approve })
    await connected
    const first = codes()
    const outcome = await client.callTool({ name: 'write' }).then(
      () => 'the tool responds',
      () => 'an error',
    )
    return counted(codes() - first, outcome)
  },

  async 'the MCP host does not show standard error'(bridge) {
    const { host, approve } = await start(bridge)
    let asked = 'the code is not shown'
    const onElicitation = (message: string) => {
      asked = 'the MCP host asks the user'
      return approve(message.match(CODE)?.[0] ?? '')
    }
    await host({ onCode: approve, onElicitation }).connected
    return asked
  },

  async 'metadata without `authorization_endpoint`'(bridge) {
    const { host } = await start(bridge, {})
    const { code, connected } = host()
    return Promise.race([code.then(() => 'accepted'), connected.then(() => 'refused')])
  },
}

async function start(bridge: string, options: Partial<typeof ACCEPTED> = ACCEPTED) {
  const { url, issuer, service, codes } = await mcpWorld(options)
  const home = mkdtempSync(join(tmpdir(), 'ag-home-'))
  // A process that was stopped may still write.
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 20 }))
  const env = { HOME: home, PATH: process.env.PATH ?? '' }
  const args = BRIDGES[bridge]?.(url, issuer) ?? []

  /** Starts a bridge as a host does. */
  function host({
    onCode,
    onElicitation,
  }: {
    onCode?: (code: string) => unknown
    onElicitation?: (message: string) => unknown
  } = {}) {
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' })
    const capabilities = onElicitation ? { elicitation: { url: {} } } : {}
    const client = new Client({ name: 'host', version: '1.0.0' }, { capabilities })
    onTestFinished(() => client.close())
    if (onElicitation)
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        await onElicitation(params.message)
        return { action: 'accept' }
      })
    const shown = new Set<string>()
    let text = ''
    const code = new Promise<string>((resolve) => {
      transport.stderr?.on('data', (chunk) => {
        text += chunk
        for (const each of text.match(CODE) ?? []) {
          if (!shown.has(each)) onCode?.(each)
          shown.add(each)
          resolve(each)
        }
      })
    })
    const connected = client.connect(transport).then(
      () => 'connects',
      () => 'an error',
    )
    return { client, code, connected }
  }

  return { host, codes, approve: (code: string) => service.approve(code, { id: 7, login: 'octocat' }) }
}

function counted(codes: number, then?: string): string {
  return [`${codes} ${codes === 1 ? 'code' : 'codes'}`, then].filter(Boolean).join(', ')
}

/** The table of the guide. */
const [, ...rows] = readFileSync(
  resolve(import.meta.dirname, '../../docs/guides/remote-mcp-servers.md'),
  'utf8',
)
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()))

test.each(
  Object.keys(COMPARED).flatMap((row) =>
    Object.keys(BRIDGES).map((bridge, column) => [row, bridge, column] as const),
  ),
)('%s, with %s, as the guide says', { timeout: 60_000 }, async (row, bridge, column) => {
  const found = (await COMPARED[row]?.(bridge)) ?? ''
  expect(found).toBe(rows.find(([, name]) => name === row)?.[column + 2])
})
