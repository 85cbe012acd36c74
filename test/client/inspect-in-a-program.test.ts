import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createWebSocketInspector } from '@statelyai/inspect'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { inspectorContract } from '../support/inspector-contract.ts'

inspectorContract('an inspector in a program', async () => {
  const received: string[] = []
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket, { url, rawHeaders }) => {
    received.push(JSON.stringify([url, rawHeaders]))
    socket.on('message', (data) => received.push(String(data)))
  })
  await once(server, 'listening')
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { inspect, start, stop } = createWebSocketInspector({ url, autoStart: false })
  onTestFinished(() => {
    stop()
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  return { inspect, connect: start, left: () => received }
})
