import { Client as ClientOfSdk1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as TransportOfSdk1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bridgeUser, CODE } from './support/bridge-user.ts'
import { installedCommand } from './support/installed-command.ts'
import { mcpWorld } from './support/mcp-world.ts'

const COMMAND = installedCommand()

async function userOf(env = {}) {
  const world = await mcpWorld()
  return { ...world, ...bridgeUser(COMMAND, world, { env }) }
}

const done = (name: string) => [{ type: 'text', text: `${name} done` }]

describe('authgraph mcp', () => {
  test('carries all three kinds of host after a login in a shell', async () => {
    const { logIn, host, server, issued } = await userOf()
    await logIn()
    for (const mode of ['legacy', 'auto'] as const) {
      const { client, transport, faults } = host({ versionNegotiation: { mode } })
      await client.connect(transport)
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read', 'write', 'wait'])
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

  test.for([{}, { NODE_OPTIONS: '--trace-warnings' }])(
    'writes nothing but the protocol to standard output, with the environment %o',
    async (env) => {
      const { run, approve, demands } = await userOf(env)
      const { child, ended, send, initialize, stdout } = run()
      initialize({ elicitation: { url: {} } })
      await approve((await stdout(CODE))[0])
      await stdout(/"id":1/)
      send('tools/call', { name: 'write' }, 2)
      const [, shown = ''] = await stdout(/"mode":"url".*"mode":"url"(.*\n)/s)
      await approve(CODE.exec(shown)?.[0] ?? '')
      await stdout(/"id":2/)
      demands.isStrict = true
      send('tools/list', {}, 3)
      await stdout(/"id":3/)
      child.stdin.end()
      await ended
      const [text] = await stdout(/.*/s)
      const messages = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
      // That a login is complete may be said before or after the response which waited for it.
      expect(messages.map(({ jsonrpc, method, id }) => [jsonrpc, method ?? id]).toSorted()).toEqual([
        ['2.0', 1],
        ['2.0', 2],
        ['2.0', 3],
        ['2.0', 'elicitation/create'],
        ['2.0', 'elicitation/create'],
        ['2.0', 'notifications/elicitation/complete'],
        ['2.0', 'notifications/elicitation/complete'],
      ])
    },
  )

  test('shows one code to a host that starts again and to six at once, which all go on', async () => {
    const { run, host, approve, issued } = await userOf()
    const first = run()
    first.initialize()
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
    const { child, send, stdout, ended } = run()
    send('server/discover')
    await stdout(/"error":{"code":-32603,"message":"not logged in/)
    const start = performance.now()
    child.stdin.end()
    expect(await ended).toEqual([0, null])
    expect([performance.now() - start < 1000, issued()]).toEqual([true, 0])
  })

  test.for([
    [['--store', 'keyring'], /"error":.*keyring/, 1],
    [['--issuer', 'https://login.example'], /"error":.*there is a login at http:.*: log out first/, 2],
  ] as const)('says in the response why it cannot start with %j', async ([options, error, code]) => {
    const { run, logIn } = await userOf()
    await logIn()
    const { child, initialize, stdout, ended } = run(options)
    initialize()
    await stdout(error)
    child.stdin.end()
    expect(await ended).toEqual([code, null])
  })

  test('ends with its host during a login, without an error', async () => {
    const { run, issued } = await userOf()
    const { child, initialize, stderr, ended } = run()
    initialize()
    await stderr(CODE)
    const start = performance.now()
    child.stdin.end()
    expect(await ended).toEqual([0, null])
    expect([performance.now() - start < 3000, issued()]).toEqual([true, 1])
    await expect(Promise.race([stderr(/bug|Warning|aborted/), 'none'])).resolves.toBe('none')
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

  test('asks nothing of hosts that open no URLs, and continues when the user has approved', async () => {
    const { run, host, approve, issued } = await userOf()
    const bridges = [{}, { elicitation: {} }, { elicitation: { form: {} } }].map((capabilities) => {
      const bridge = run()
      bridge.initialize(capabilities)
      return bridge
    })
    const codes = await Promise.all(bridges.map(({ stderr }) => stderr(CODE)))
    await approve(codes[0]?.[0] ?? '')
    for (const { stdout } of bridges) expect((await stdout(/.*"id":1/s))[0]).not.toContain('elicitation')
    const { client, transport, stderr } = host({ versionNegotiation: { mode: 'auto' } })
    await client.connect(transport)
    const write = client.callTool({ name: 'write' })
    await approve((await stderr(CODE))[0])
    expect((await write).content).toEqual(done('write'))
    expect(issued()).toBe(2)
  })

  test.for(['decline', 'cancel'] as const)('fails with the code if the user answers "%s"', async (action) => {
    const { host } = await userOf()
    const { client, transport } = host({ capabilities: { elicitation: { url: {} } } })
    client.setRequestHandler('elicitation/create', () => ({ action }))
    const start = performance.now()
    await expect(client.connect(transport)).rejects.toThrow(/needs a login: enter/)
    expect(performance.now() - start).toBeLessThan(8000)
  })

  test.for(['accept', 'decline', 'cancel'] as const)(
    'asks a host of 2026 with the result of its request, once, and its user answers "%s"',
    async (action) => {
      const { logIn, host, approve, issued } = await userOf()
      await logIn()
      const { client, transport } = host({
        capabilities: { elicitation: { url: {} } },
        versionNegotiation: { mode: 'auto' },
      })
      const asked: string[] = []
      const approveAsked = () => approve(CODE.exec(asked[0] ?? '')?.[0] ?? '')
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params.message)
        if (action === 'accept') await approveAsked()
        return { action }
      })
      await client.connect(transport)
      if (action !== 'accept') {
        await expect(client.callTool({ name: 'write' })).rejects.toThrow(/needs a login: enter/)
        // Declined was the request, not the login.
        await approveAsked()
      }
      expect((await client.callTool({ name: 'write' })).content).toEqual(done('write'))
      expect([asked.length, issued()]).toEqual([1, 2])
    },
  )

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
      const { child, initialize, stdout, ended } = run()
      initialize()
      await stdout(/serverInfo/)
      Object.assign(demands, { isStrict })
      child.stdin.end()
      expect(await ended).toEqual([0, null])
      expect([sessions.known?.size, issued()]).toEqual([left, 1])
    }
  })

  test('says that a token is rejected although the login is new, and asks for no other login', async () => {
    const { logIn, host, demands, issued } = await userOf()
    await logIn()
    demands.isStrict = true
    const { client, transport } = host()
    await expect(client.connect(transport)).rejects.toThrow(
      'the server rejects the token of this login (status 401): try again in a minute.',
    )
    expect(issued()).toBe(1)
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
