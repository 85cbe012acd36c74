import { createServer } from 'node:http'
import { connect } from 'node:net'
import { listenOnLoopback } from './listen-on-loopback.ts'

/**
 * A proxy on this machine that tunnels connections and records the requested hosts.
 *
 * @param refusal The status with which it refuses every request, or that it ends connections without a response.
 */
export async function startConnectProxy(refusal?: number | 'ends') {
  const hosts: string[] = []
  const server = createServer().on('connect', (request, client) => {
    const { host, hostname, port } = new URL(`http://${request.url}`)
    hosts.push(host)
    if (refusal === 'ends') return client.end()
    if (refusal !== undefined) return client.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`)
    const target = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      target.pipe(client).pipe(target)
    })
    for (const socket of [client, target]) socket.on('error', () => undefined)
  })
  const { url, close } = await listenOnLoopback(server)
  return { hosts, url, close }
}
