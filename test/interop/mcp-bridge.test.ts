import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stream } from 'node:stream'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as ClientOfSdk1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as TransportOfSdk1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CLIENT_ID } from '../support/start-service.ts'
import { installedCommand } from './support/installed-command.ts'
import { mcpWorld } from './support/mcp-world.ts'

const COMMAND = installedCommand()

const CODE = /\b[A-Z]{4}-[A-Z]{4}\b/

/** A server, its issuer, and a user with an MCP host that passes on nothing but the minimal environment. */
async function userOf() {
  const world = await mcpWorld()
  const { service, issuer, url } = world
  const home = mkdtempSync(join(tmpdir(), 'ag-home-'))
  // A process that was stopped may still write.
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 20 }))
  const options = ['--store', 'file', '--issuer', issuer, '--client-id', CLIENT_ID]
  const env = { HOME: home, PATH: process.env.PATH ?? '', NODE_OPTIONS: '--trace-warnings' }
  const approve = (code: string) => service.approve(code, { id: 7, login: 'octocat' })
  const issued = () => service.events.filter(({ type }) => type === 'codes.issued').length

  /** Runs the command, with what it has written so far. */
  function run(words: readonly string[]) {
    const child = spawn(process.execPath, [COMMAND, 'mcp', ...options, ...words, url], { env })
    onTestFinished(() => void child.kill('SIGKILL'))
    return { child, ended: once(child, 'close'), ...reading(child) }
  }

  async function logIn(): Promise<void> {
    const { stdout, ended } = run(['login'])
    const [code] = await stdout(CODE)
    await approve(code)
    expect(await ended).toEqual([0, null])
  }

  const server = { command: process.execPath, args: [COMMAND, 'mcp', ...options, url], env }

  /** Starts the bridge as a host does. */
  function host(more: ClientOptions = {}) {
    const transport = new StdioClientTransport({ ...server, stderr: 'pipe' })
    const client = new Client({ name: 'host', version: '1.0.0' }, more)
    const faults: Error[] = []
    client.onerror = (error) => faults.push(error)
    onTestFinished(() => client.close())
    return { client, transport, faults, stderr: textOf(transport.stderr) }
  }

  return { ...world, server, run, logIn, host, approve, issued }
}

/** Waits for a text in the output of a process. */
function textOf(stream: Stream | null) {
  let text = ''
  let check = () => {}
  stream?.on('data', (chunk) => {
    text += chunk
    check()
  })
  return (wanted: RegExp) =>
    new Promise<RegExpExecArray>((resolve) => {
      check = () => {
        const found = wanted.exec(text)
        if (found) resolve(found)
      }
      check()
    })
}

function reading({ stdout, stderr }: ChildProcess) {
  return { stdout: textOf(stdout), stderr: textOf(stderr) }
}

const done = (name: string) => [{ type: 'text', text: `${name} done` }]

describe('authgraph mcp', () => {
  test('carries all three kinds of host after a login in a shell, and nothing but the protocol', async () => {
    const { logIn, host, server, issued } = await userOf()
    await logIn()
    for (const mode of ['legacy', 'auto'] as const) {
      const { client, transport, faults } = host({ versionNegotiation: { mode } })
      await client.connect(transport)
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read', 'write'])
      const calls = await Promise.all(Array.from({ length: 5 }, () => client.callTool({ name: 'read' })))
      expect(calls.map(({ content }) => content)).toEqual(Array(5).fill(done('read')))
      expect([client.getProtocolEra(), faults]).toEqual([mode === 'auto' ? 'modern' : 'legacy', []])
    }
    const old = new ClientOfSdk1({ name: 'host', version: '1.0.0' })
    onTestFinished(() => old.close())
    await old.connect(new TransportOfSdk1(server) as never)
    expect((await old.callTool({ name: 'read' })).content).toEqual(done('read'))
    expect(issued()).toBe(1)
  })
  test('shows one code to a host that starts again and to six at once, which all go on', async () => {
    const { run, host, approve, issued } = await userOf()
    const first = run([])
    first.child.stdin.write(message('initialize', INITIALIZE))
    const [code] = await first.stderr(CODE)
    first.child.kill('SIGKILL')
    const hosts = Array.from({ length: 6 }, () => host())
    const connected = hosts.map(({ client, transport }) => client.connect(transport))
    const shown = await Promise.all(hosts.map(({ stderr }) => stderr(CODE)))
    await approve(code)
    await Promise.all(connected)
    expect([new Set(shown.map(([each]) => each)), issued()]).toEqual([new Set([code]), 1])
  })

  test('fails with the code in words after eight seconds, and the next start goes on', async () => {
    const { host, approve, issued } = await userOf()
    const first = host()
    const start = performance.now()
    const failure = await first.client.connect(first.transport).catch((error) => error)
    const [code = ''] = CODE.exec(failure.message) ?? []
    expect(failure.message).toMatch(/needs a login: enter .* at .* \(issuer: .*\), then try again/)
    expect(performance.now() - start).toBeGreaterThan(8000)
    await approve(code)
    const next = host()
    await next.client.connect(next.transport)
    expect(issued()).toBe(1)
  })

  test('refuses a probe while nobody is logged in, and ends with its host', async () => {
    const { run, issued } = await userOf()
    const { child, stdout, ended } = run([])
    child.stdin.write(message('server/discover'))
    await stdout(/"error":{"code":-32603,"message":"not logged in/)
    const start = performance.now()
    child.stdin.end()
    expect(await ended).toEqual([0, null])
    expect([performance.now() - start < 1000, issued()]).toEqual([true, 0])
  })

  test('says in the response why it cannot start', async () => {
    const { run } = await userOf()
    const { child, stdout, ended } = run(['--store', 'keyring'])
    child.stdin.write(message('initialize', INITIALIZE))
    await stdout(/"error":.*keyring/)
    child.stdin.end()
    expect(await ended).toEqual([1, null])
  })

  test('ends with its host during a login, without an error', async () => {
    const { run, issued } = await userOf()
    const { child, stderr, ended } = run([])
    child.stdin.write(message('initialize', INITIALIZE))
    await stderr(CODE)
    const start = performance.now()
    child.stdin.end()
    expect(await ended).toEqual([0, null])
    expect([performance.now() - start < 3000, issued()]).toEqual([true, 1])
    await expect(Promise.race([stderr(/bug|Warning/), 'none'])).resolves.toBe('none')
  })

  test('elicits the login of a host that opens URLs, and says when it is done', async () => {
    const { host, approve, issued } = await userOf()
    const { client, transport, faults } = host({ capabilities: { elicitation: { url: {} } } })
    const asked: unknown[] = []
    const completed = new Promise((resolve) =>
      client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
        resolve(params.elicitationId),
      ),
    )
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params)
      await approve(CODE.exec(params.message)?.[0] ?? '')
      return { action: 'accept' }
    })
    await client.connect(transport)
    const [{ elicitationId }] = asked as [{ elicitationId: string }]
    expect(await completed).toBe(elicitationId)
    expect((await client.callTool({ name: 'write' })).content).toEqual(done('write'))
    // The second login is for the scope of the tool.
    expect([asked.length, issued(), faults]).toEqual([2, 2, []])
    expect(asked[0]).toMatchObject({ mode: 'url', url: expect.stringContaining('http://127.0.0.1:') })
  })

  test.for(['decline', 'cancel'] as const)('fails with the code if the user answers "%s"', async (action) => {
    const { host } = await userOf()
    const { client, transport } = host({ capabilities: { elicitation: { url: {} } } })
    client.setRequestHandler('elicitation/create', () => ({ action }))
    const start = performance.now()
    await expect(client.connect(transport)).rejects.toThrow(/needs a login: enter/)
    expect(performance.now() - start).toBeLessThan(8000)
  })

  test('asks a host of 2026 with the result of its request, once', async () => {
    const { logIn, host, approve, issued } = await userOf()
    await logIn()
    const { client, transport } = host({
      capabilities: { elicitation: { url: {} } },
      versionNegotiation: { mode: 'auto' },
    })
    const asked: string[] = []
    const action = { now: 'accept' as 'accept' | 'decline' }
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message)
      if (action.now === 'accept') await approve(CODE.exec(params.message)?.[0] ?? '')
      return { action: action.now }
    })
    await client.connect(transport)
    action.now = 'decline'
    await expect(client.callTool({ name: 'write' })).rejects.toThrow(/needs a login: enter/)
    expect([asked.length, issued()]).toEqual([1, 2])
    // Declined was the request, not the login.
    await approve(CODE.exec(asked[0] ?? '')?.[0] ?? '')
    expect((await client.callTool({ name: 'write' })).content).toEqual(done('write'))
    expect(issued()).toBe(2)
  })

  test('initializes once for all calls after the server has forgotten its session', async () => {
    const { logIn, host, sessions } = await userOf()
    await logIn()
    sessions.known = new Set()
    const { client, transport, faults } = host()
    await client.connect(transport)
    sessions.known.clear()
    const calls = await Promise.all(Array.from({ length: 5 }, () => client.callTool({ name: 'read' })))
    expect(calls.map(({ content }) => content)).toEqual(Array(5).fill(done('read')))
    expect([sessions.count, faults]).toEqual([2, []])
  })

  test('ends its session with its host, also if the server never says so or refuses the token', async () => {
    const { logIn, run, sessions, demands, issued } = await userOf()
    await logIn()
    for (const [isEndSilent, isStrict, left] of [
      [false, false, 0],
      [true, false, 0],
      [false, true, 1],
    ] as const) {
      Object.assign(sessions, { known: new Set(), isEndSilent })
      Object.assign(demands, { isStrict: false })
      const { child, stdout, ended } = run([])
      child.stdin.write(message('initialize', INITIALIZE))
      await stdout(/serverInfo/)
      Object.assign(demands, { isStrict })
      child.stdin.end()
      expect(await ended).toEqual([0, null])
      expect([sessions.known?.size, issued()]).toEqual([left, 1])
    }
  })

  test('gives up a request that the host cancels, but not the login', async () => {
    const { logIn, host, approve, issued } = await userOf()
    await logIn()
    const { client, transport, stderr } = host()
    await client.connect(transport)
    const cancel = new AbortController()
    const write = client.callTool({ name: 'write' }, { signal: cancel.signal }).catch((error) => error)
    const [code] = await stderr(CODE)
    cancel.abort('enough')
    expect(String(await write)).toContain('enough')
    expect((await client.callTool({ name: 'read' })).content).toEqual(done('read'))
    await approve(code)
    expect((await client.callTool({ name: 'write' })).content).toEqual(done('write'))
    expect(issued()).toBe(2)
  })
})

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'host', version: '1.0.0' },
}

function message(method: string, params = {}): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`
}
