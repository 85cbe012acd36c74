import type { AddressInfo, Server, Socket } from 'node:net'

/**
 * Lets a server listen on a free port of this machine. `close` also ends its connections. None ends because it was idle: on a
 * busy machine, that would break the request that a client sends at the same moment.
 */
export async function listenOnLoopback(server: Server) {
  Object.assign(server, { keepAliveTimeout: 0 })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
