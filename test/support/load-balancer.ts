import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { listenOnLoopback } from './listen-on-loopback.ts'

/** A forwarded request and its response. */
export interface Passed {
  readonly path: string
  readonly body: string
  /** The instance that received it. */
  readonly to: string
  /** The response; `undefined` while there is none. */
  response?: string
}

/** Forwards each request to the instance that `choose` names for its path. Responds with 502 if that one fails. */
export async function loadBalancer(choose: (path: string) => string) {
  const passed: Passed[] = []
  let clients = 0

  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray()).toString()
    const path = incoming.url ?? '/'
    const record: Passed = { path, body, to: choose(path) }
    passed.push(record)
    clients += 1
    passOn(record, incoming, outgoing, `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`)
  })
  const { url, close } = await listenOnLoopback(server)
  return { url, passed, close }
}

/** Keeps the Host header of the client and adds the address of the client. */
function passOn(record: Passed, incoming: IncomingMessage, outgoing: ServerResponse, client: string): void {
  const { method, headers } = incoming
  const breakOff = () => {
    if (!outgoing.headersSent) outgoing.writeHead(502)
    outgoing.end()
  }
  const onward = request(
    new URL(record.path, record.to),
    { method, headers: { ...headers, 'x-forwarded-for': client } },
    async (response) => {
      try {
        const body = Buffer.concat(await response.toArray()).toString()
        record.response = body
        outgoing.writeHead(response.statusCode ?? 502, response.headers).end(body)
      } catch {
        breakOff()
      }
    },
  )
  onward.on('error', breakOff)
  onward.end(record.body)
}
