import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { CERTIFICATE } from '../cli/support/serve.ts'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { listenOnLoopback } from '../support/listen-on-loopback.ts'
import { bridgeUser, CODE } from './support/bridge-user.ts'
import { installedCommand } from './support/installed-command.ts'
import { mcpWorld } from './support/mcp-world.ts'

const COMMAND = installedCommand()

const MODES = ['legacy', 'auto'] as const

/** A host that is logged in and connected. */
async function connected(mode: (typeof MODES)[number]) {
  const server = await mcpWorld()
  const user = bridgeUser(COMMAND, server)
  await user.logIn()
  const { client, transport, faults } = user.host({ versionNegotiation: { mode } })
  await client.connect(transport)
  return { ...server, ...user, client, faults }
}

const READ = [{ type: 'text', text: 'read done' }]

/** Resolves when a check succeeds. */
const soon = (check: () => void) => vi.waitFor(check, 60_000)

describe('authgraph mcp', () => {
  test('speaks to a server of 2026 alone, and passes on why another host cannot', async () => {
    const server = await mcpWorld({ legacy: 'reject' })
    const { run, host, approve, issued } = bridgeUser(COMMAND, server)
    const { initialize, stdout } = run()
    // A host of both revisions does this too, since nobody is logged in.
    initialize({ elicitation: { url: {} } })
    await approve((await stdout(CODE))[0])
    expect((await stdout(/"id":1,.*\n/))[0]).toContain('"code":-32022')
    await stdout(/elicitation\/complete/)
    const { client, transport } = host({ versionNegotiation: { mode: 'auto' } })
    await client.connect(transport)
    expect((await client.callTool({ name: 'read' })).content).toEqual(READ)
    const old = host()
    await expect(old.client.connect(old.transport)).rejects.toMatchObject({ code: -32022 })
    expect(issued()).toBe(1)
  })

  test.for(MODES)('goes on after a restart of a server without sessions (%s)', async (mode) => {
    const { client, url, received, stop, start, issued } = await connected(mode)
    const call = (name: string) => client.callTool({ name }).then(({ content }) => content)
    const waiting = call('wait')
    waiting.catch(() => undefined)
    await soon(() => expect(received).toContain('tools/call'))
    await stop()
    await expect(waiting).rejects.toThrow(/closed the connection too early|cannot be reached/)
    await expect(call('read')).rejects.toThrow(`${new URL(url).host} cannot be reached (ECONNREFUSED`)
    await start()
    expect([await call('read'), issued()]).toEqual([READ, 1])
  })

  test.for(MODES)('passes on that a running request is cancelled (%s)', async (mode) => {
    const { client, received, aborted, faults } = await connected(mode)
    const cancel = new AbortController()
    const waiting = client.callTool({ name: 'wait' }, { signal: cancel.signal })
    waiting.catch(() => undefined)
    await soon(() => expect(received).toContain('tools/call'))
    cancel.abort('enough')
    await expect(waiting).rejects.toThrow('enough')
    // In the revision 2026-07-28, the end of the connection is the message.
    const cancellations = () => received.filter((method) => method === 'notifications/cancelled').length
    await soon(() => expect([aborted, cancellations()]).toEqual([['tools/call'], mode === 'legacy' ? 1 : 0]))
    expect((await client.callTool({ name: 'read' })).content).toEqual(READ)
    expect(faults).toEqual([])
  })

  test('stores a token that it is refreshing before it ends with a signal', async () => {
    const { hooks, demands, tokens, ...server } = await mcpWorld()
    const { logIn, run, host, issued } = bridgeUser(COMMAND, server)
    await logIn()
    const { child, initialize, ended } = run()
    demands.isStrict = true
    hooks.onRefresh = () => {
      demands.isStrict = false
      child.kill('SIGTERM')
    }
    initialize()
    expect(await ended).toEqual([null, 'SIGTERM'])
    hooks.onRefresh = () => {}
    const { client, transport } = host()
    await client.connect(transport)
    const [rejected = ''] = tokens
    expect([tokens.lastIndexOf(rejected), issued()]).toEqual([0, 1])
  })

  test('ends with its host although a server never responds', async () => {
    let ask = () => {}
    const asked = new Promise<void>((resolve) => {
      ask = resolve
    })
    const silent = createServer(({ url }, response) =>
      url === '/mcp' ? response.writeHead(401).end() : ask(),
    )
    const { url, close } = await listenOnLoopback(silent)
    onTestFinished(close)
    const { run } = bridgeUser(COMMAND, { ...(await mcpWorld()), url: `${url}/mcp` })
    const { child, initialize, ended } = run()
    initialize()
    await asked
    const start = performance.now()
    child.stdin.end()
    expect(await ended).toEqual([0, null])
    // Documents may take 10 seconds, codes and polls 30.
    expect(performance.now() - start).toBeLessThan(5000)
  })

  test('reaches the server through the proxy of --proxy, without a variable', async () => {
    const server = await mcpWorld({ isSecure: true })
    const proxy = await startConnectProxy()
    onTestFinished(proxy.close)
    const env = { NODE_EXTRA_CA_CERTS: CERTIFICATE }
    const user = bridgeUser(COMMAND, server, { options: ['--proxy', proxy.url], env })
    await user.logIn()
    for (const mode of MODES) {
      const { client, transport } = user.host({ versionNegotiation: { mode } })
      await client.connect(transport)
      expect((await client.callTool({ name: 'read' })).content).toEqual(READ)
    }
    expect(new Set(proxy.hosts)).toEqual(new Set([new URL(server.url).host]))
    await proxy.close()
    const { client, transport } = user.host()
    await expect(client.connect(transport)).rejects.toThrow(/the proxy .* cannot be reached/)
  })
})
