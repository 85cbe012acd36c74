import { once } from 'node:events'
import { createServer, request } from 'node:http'
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

  for (const [name, frame] of [
    ['that is not masked', [0x81, 0]],
    // Its header announces 2 MB.
    ['that is too large', [0x82, 0xff, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0]],
  ] as const)
    test(`drops a program that sends a frame ${name}, and keeps running`, async ({ world }) => {
      let isSent = false
      const ended = await world.run(['inspect', '--port', '0'], {
        onOutput: async (text, kill) => {
          const [, address] = /'(ws:[^']*)'/.exec(text) ?? []
          if (address === undefined || isSent) return
          isSent = true
          const headers = {
            connection: 'Upgrade',
            upgrade: 'websocket',
            'sec-websocket-version': '13',
            'sec-websocket-key': btoa('0123456789abcdef'),
          }
          const upgrade = request(address.replace('ws', 'http'), { headers }).end()
          const [, socket] = await once(upgrade, 'upgrade')
          socket.resume().on('error', () => undefined)
          socket.write(Buffer.from(frame))
          await once(socket, 'close')
          const other = new WebSocket(address)
          other.on('error', () => undefined).on('close', () => kill('SIGINT'))
          other.on('open', () => kill('SIGINT'))
        },
      })
      expect(ended).toMatchObject({ code: 0, stderr: '' })
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
