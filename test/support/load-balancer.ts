import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** A request that was passed on, and what became of it. */
export interface Passed {
  readonly path: string
  readonly body: string
  /** Which instance it was passed to. */
  readonly to: string
  /** What was answered; nothing yet, or never, where it is undefined. */
  response?: string
}

/** Passes each request on to the instance that `choose` names for its path. Answers 502 where that one breaks off. */
export async function loadBalancer(choose: (path: string) => string) {
  const passed: Passed[] = []
  let clients = 0

  const server = createServer({ keepAliveTimeout: 75_000 }, async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray()).toString()
    const path = incoming.url ?? '/'
    const record: Passed = { path, body, to: choose(path) }
    passed.push(record)
    clients += 1
    passOn(record, incoming, outgoing, `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    passed,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The host stays as the client named it, and the client comes from an address of its own. */
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
