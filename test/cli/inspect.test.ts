import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect } from 'vitest'
import { WebSocket } from 'ws'
import { test } from './support/world.ts'

describe('authgraph inspect', { concurrent: true, timeout: 60_000 }, () => {
  test('relays what a program sends to its page, until Ctrl-C', async ({ world }) => {
    let socket: WebSocket | undefined
    let received: unknown
    const { code, stdout } = await world.run(['inspect', '--port', '0'], {
      onOutput: async (text, kill) => {
        const [, address] = /'(ws:[^']*)'/.exec(text) ?? []
        if (address === undefined || socket) return
        socket = new WebSocket(address)
        const page = new WebSocket(address, { origin: address.replace('ws', 'http') })
        await Promise.all([once(socket, 'open'), once(page, 'open')])
        socket.send('{"type":"@xstate.event"}')
        received = String((await once(page, 'message'))[0])
        kill('SIGINT')
      },
    })
    expect({ code, received }).toEqual({ code: 0, received: '{"type":"@xstate.event"}' })
    expect(stdout).toMatch(/^Inspect at http:\/\/127\.0\.0\.1:\d+\n/)
  })

  test('names a port that is in use', async ({ world }) => {
    const server = createServer().listen(0, '127.0.0.1')
    world.onEnd(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { code, stderr } = await world.run(['inspect', '--port', `${port}`])
    expect(code).toBe(1)
    expect(stderr).toContain(`port ${port} cannot be used (EADDRINUSE): choose another with --port`)
  })
})
