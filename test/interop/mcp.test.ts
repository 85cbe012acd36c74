import { Client as ClientOfSdk1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportOfSdk1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { deviceLogin, type McpLoginOptions, type PendingCodes } from '../../src/mcp/index.ts'
import { connect } from './remote-mcp-servers/connect.ts'
import { mcpWorld } from './support/mcp-world.ts'

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
    const { url, options, shown, refused, counts, lastToken } = await mcpWorld()
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
    const { url, options, service } = await mcpWorld()
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
