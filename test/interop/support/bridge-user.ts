import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stream } from 'node:stream'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished } from 'vitest'
import type { startIssuer } from '../../support/start-issuer.ts'
import { CLIENT_ID } from '../../support/start-service.ts'

/** A code in a text. */
export const CODE = /\b[A-Z]{4}-[A-Z]{4}\b/

/** A server, and its issuer. */
interface BridgedServer {
  readonly url: string
  readonly issuer: string
  readonly service: Awaited<ReturnType<typeof startIssuer>>['service']
}

/** What a test may add to each start of the command. */
interface Start {
  readonly options?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A user with an MCP host, which starts the command in a minimal environment. */
export function bridgeUser(command: string, { url, issuer, service }: BridgedServer, start: Start = {}) {
  const home = mkdtempSync(join(tmpdir(), 'ag-home-'))
  // A process that was stopped may still write.
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 20 }))
  const { options: more = [], env: added } = start
  const options = ['--store', 'file', '--issuer', issuer, '--client-id', CLIENT_ID, ...more]
  const env = { HOME: home, PATH: process.env.PATH ?? '', ...added }
  const approve = (code: string) => service.approve(code, { id: 7, login: 'octocat' })
  const issued = () => service.events.filter(({ type }) => type === 'codes.issued').length

  /** Runs the command with messages of the test. */
  function run(words: readonly string[] = []) {
    const child = spawn(process.execPath, [command, 'mcp', ...options, ...words, url], { env })
    onTestFinished(() => void child.kill('SIGKILL'))
    const send = (method: string, params = {}, id = 1) =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return {
      child,
      ended: once(child, 'close'),
      send,
      initialize: (capabilities = {}) => send('initialize', { ...INITIALIZE, capabilities }),
      stdout: textOf(child.stdout),
      stderr: textOf(child.stderr),
    }
  }

  async function logIn(): Promise<void> {
    const { stdout, ended } = run(['login'])
    const [code] = await stdout(CODE)
    await approve(code)
    expect(await ended).toEqual([0, null])
  }

  const server = { command: process.execPath, args: [command, 'mcp', ...options, url], env }

  /** Starts the bridge as a host does. */
  function host(more: ClientOptions = {}) {
    const transport = new StdioClientTransport({ ...server, stderr: 'pipe' })
    const client = new Client({ name: 'host', version: '1.0.0' }, more)
    const faults: Error[] = []
    client.onerror = (error) => faults.push(error)
    onTestFinished(() => client.close())
    return { client, transport, faults, stderr: textOf(transport.stderr) }
  }

  return { server, run, logIn, host, approve, issued }
}

const INITIALIZE = { protocolVersion: '2025-11-25', clientInfo: { name: 'host', version: '1.0.0' } }

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
