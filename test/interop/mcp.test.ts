import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientOfSdk1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportOfSdk1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, test } from 'vitest'
import { deviceLogin, type McpLoginOptions, type PendingCodes } from '../../src/mcp/index.ts'
import { systemClock } from '../../src/request/clock.ts'
import type { AtEnd } from '../support/start-issuer.ts'
import { connect } from './remote-mcp-servers/connect.ts'
import { mcpWorld, mcpWorldOfOidcProvider } from './support/mcp-world.ts'

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

/** A program that uses the tools of a server. */
interface Program {
  readonly list: () => Promise<string[]>
  readonly call: (tool: string) => Promise<unknown>
}

type Transport = Required<ConstructorParameters<typeof StreamableHTTPClientTransport>>

/** A client of a package, as a program. */
async function programOf(client: Client | ClientOfSdk1, transport: unknown, atEnd: AtEnd): Promise<Program> {
  atEnd(() => client.close())
  await client.connect(transport as never)
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name) => (await client.callTool({ name })).content,
  }
}

const ME = { name: 'my-agent', version: '1.0.0' }

const PROGRAMS: Record<string, (atEnd: AtEnd, ...transport: Transport) => Promise<Program>> = {
  'client 2.x, legacy': (atEnd, ...at) =>
    programOf(
      new Client(ME, { versionNegotiation: { mode: 'legacy' } }),
      new StreamableHTTPClientTransport(...at),
      atEnd,
    ),
  'client 2.x, automatic': (atEnd, ...at) =>
    programOf(
      new Client(ME, { versionNegotiation: { mode: 'auto' } }),
      new StreamableHTTPClientTransport(...at),
      atEnd,
    ),
  'sdk 1.x': (atEnd, ...at) =>
    programOf(new ClientOfSdk1(ME), new TransportOfSdk1(at[0], at[1] as never), atEnd),
  'plain fetch': async (_, url, { fetch = globalThis.fetch }) => {
    const send = async (method: string, params: object) => {
      const headers = {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-06-18',
      }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', headers, body })
      if (!response.ok) throw new Error(`status ${response.status}`)
      return JSON.parse(/\{.*\}/.exec(await response.text())?.[0] ?? '').result
    }
    await send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: ME })
    return {
      list: async () => (await send('tools/list', {})).tools.map(({ name }: { name: string }) => name),
      call: async (name) => (await send('tools/call', { name })).content,
    }
  },
}

const WORLDS = {
  'our service with a given client': (atEnd: AtEnd) => mcpWorld({ atEnd }),
  'our service with registration only': (atEnd: AtEnd) => mcpWorld({ registration: true, atEnd }),
  'oidc-provider with registration': (atEnd: AtEnd) => mcpWorldOfOidcProvider({ atEnd }),
}
const CELLS = Object.entries(WORLDS).flatMap(([issuer, start]) =>
  Object.keys(PROGRAMS).map((name) => ({ issuer, start, name })),
)

/** A program that has not connected yet. */
async function begin({ start, name }: (typeof CELLS)[number], atEnd: AtEnd) {
  const world = await start(atEnd)
  let ahead = 0
  const clock = { ...systemClock, now: () => Date.now() + ahead }
  const login = deviceLogin(world.url, { ...world.options, clock })
  atEnd(async () => void (await login.session().catch(() => undefined))?.actor.stop())
  return {
    ...world,
    login,
    expire: () => {
      ahead += 9 * 3600 * 1000
    },
    connect: async () =>
      (await PROGRAMS[name]?.(atEnd, login.url, { fetch: login.fetch })) ?? Promise.reject(new Error(name)),
  }
}

// Logins wait for seconds.
describe.each(CELLS)('$name, at $issuer', { concurrent: true }, (cell) => {
  const done = (tool: string) => [{ type: 'text', text: `${tool} done` }]

  test('connects, lists, calls, refreshes, steps up, and logs in again after a revocation', async ({
    onTestFinished,
  }) => {
    const { connect, login, expire, refused, codes, refreshes, revocations } = await begin(
      cell,
      onTestFinished,
    )
    const { list, call } = await connect()
    expect([await list(), await call('read'), codes(), refreshes()]).toEqual([
      ['read', 'write', 'wait'],
      done('read'),
      1,
      0,
    ])
    const session = await login.session()
    refused.add(`Bearer ${(await session?.token())?.reveal()}`)
    expect(await Promise.all(Array.from({ length: 10 }, () => call('read')))).toEqual(
      Array(10).fill(done('read')),
    )
    expect([codes(), refreshes()]).toEqual([1, 1])
    expire()
    expect([await call('read'), codes(), refreshes()]).toEqual([done('read'), 1, 2])
    expect([await call('write'), codes()]).toEqual([done('write'), 2])
    await login.logout()
    expect(revocations()).toBeGreaterThan(0)
    expect([await call('read'), codes()]).toEqual([done('read'), 3])
  })

  // The others listen on no stream of their own.
  test.runIf(['client 2.x, legacy', 'sdk 1.x'].includes(cell.name))(
    'opens its stream again after the token has expired, with one refresh for it and ten calls',
    async ({ onTestFinished }) => {
      const { connect, streams, expire, codes, refreshes } = await begin(cell, onTestFinished)
      const opened = () =>
        new Promise<Parameters<NonNullable<typeof streams.onOpen>>[0]>((resolve) => {
          streams.onOpen = resolve
        })
      const [first, { call }] = await Promise.all([opened(), connect()])
      expire()
      const again = opened()
      first.end()
      const calls = Promise.all(Array.from({ length: 10 }, () => call('read')))
      expect((await again).authorization).not.toBe(first.authorization)
      expect(await calls).toEqual(Array(10).fill(done('read')))
      expect([codes(), refreshes()]).toEqual([1, 1])
    },
  )

  // What the packages do with a refusal is the same at each issuer.
  const isEnough = cell.name === 'plain fetch' || cell.start === WORLDS['our service with a given client']
  test.runIf(isEnough)(
    'asks the user three times for scopes that never suffice, and once for a token that is always refused',
    async ({ onTestFinished }) => {
      const { connect, demands, codes } = await begin(cell, onTestFinished)
      const { call } = await connect()
      demands.scope = () => `more:${codes()}`
      await expect(call('read')).rejects.toThrow()
      expect(codes()).toBe(4)
      const strict = await begin(cell, onTestFinished)
      strict.demands.isStrict = true
      await expect(strict.connect()).rejects.toThrow()
      await expect(strict.connect()).rejects.toThrow()
      expect(strict.codes()).toBe(1)
    },
  )
})

describe.each(Object.entries(CLIENTS))('%s', { concurrent: true }, (_, connectTo) => {
  test('shares a login with another program, and its second scope', async ({ onTestFinished }) => {
    const { url, options, shown } = await mcpWorld({ atEnd: onTestFinished })
    for (const name of ['write', 'write']) {
      const client = await connectTo(url, options)
      onTestFinished(() => client.close())
      expect((await client.callTool({ name })).content).toEqual([{ type: 'text', text: 'write done' }])
      expect(shown).toHaveLength(2)
    }
  })

  test('says in its error which code the user has to enter, if nobody does in time', async ({
    onTestFinished,
  }) => {
    const { url, options, service } = await mcpWorld({ atEnd: onTestFinished })
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
