import { connect, createServer } from 'node:net'
import { listenOnLoopback } from './listen-on-loopback.ts'

/** Relays connections to a port, and breaks them where a test needs it. */
export async function breakableRelay(port: number) {
  let swallowed: string | undefined
  let isSilent = false

  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    let breakAtResponse = false
    let isMute = false
    for (const socket of [near, far]) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
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
  const { port: ownPort, close } = await listenOnLoopback(server)

  return {
    port: ownPort,
    url: `redis://127.0.0.1:${ownPort}`,
    /** Forwards the next command that contains this text, and breaks the connection before its response arrives. */
    swallowResponseTo(text: string) {
      swallowed = text
    },
    /** Leaves a connection open, but forwards nothing any more, from the next command on that it brings. */
    silence(silent: boolean) {
      isSilent = silent
    },
    close,
  }
}
