import { connect, createServer, type Socket } from 'node:net'

/** Relays connections to a port, and breaks them where a test needs it. */
export async function breakableRelay(port: number) {
  const sockets = new Set<Socket>()
  let swallowed: string | undefined
  let isSilent = false

  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    let breakAtResponse = false
    let isMute = false
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (chunk) => {
      isMute ||= isSilent
      if (isMute) return
      if (swallowed !== undefined && chunk.includes(swallowed)) {
        swallowed = undefined
        breakAtResponse = true
      }
      far.write(chunk)
    })
    far.on('data', (chunk) => (breakAtResponse ? near.destroy() : near.write(chunk)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `redis://127.0.0.1:${(server.address() as { port: number }).port}`,
    /** Forwards the next command that contains this text, and breaks the connection before its response arrives. */
    swallowResponseTo(text: string) {
      swallowed = text
    },
    /** Leaves a connection open, but forwards nothing any more, from the next command on that it brings. */
    silence(silent: boolean) {
      isSilent = silent
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
