import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebSocket } from 'ws'

const VISUALIZER = 'https://stately.ai'

const page = `<!doctype html>
<title>Inspector</title>
<style>html, body, iframe { width: 100%; height: 100%; margin: 0; border: 0 }</style>
<iframe src="${VISUALIZER}/inspect"></iframe>
<script>
  const { contentWindow } = document.querySelector('iframe')
  addEventListener('message', ({ origin, source, data }) => {
    if (origin !== '${VISUALIZER}' || source !== contentWindow || data?.type !== '@statelyai.connected') return
    const socket = new WebSocket(location.origin.replace('http', 'ws'))
    socket.onmessage = (event) => contentWindow.postMessage(JSON.parse(event.data), '${VISUALIZER}')
  }, false)
</script>`

/** Events kept for pages that open late. */
const KEPT = 1000

/** Bytes of an event. */
const MAX_EVENT = 1024 * 1024

/** A relay from programs to the page at `url`. */
export interface Relay {
  readonly url: string
  close(): void
}

/**
 * Listens on this machine only. Programs send events; the page at `url` shows them in the visualizer, and no other page
 * receives any.
 */
export async function startRelay(port = 0): Promise<Relay> {
  const { WebSocketServer } = await import('ws')
  const server = createServer((request, response) => {
    if (!isOurs(request)) return response.writeHead(403).end()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: bound } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${bound}`

  /** Browsers send the origin of the page; programs send none. The host is checked too, against DNS rebinding. */
  function isOurs({ headers: { host, origin } }: IncomingMessage): boolean {
    const isThisHost = host === `127.0.0.1:${bound}` || host === `localhost:${bound}`
    return isThisHost && (origin === undefined || origin === `http://${host}`)
  }

  const sockets = new WebSocketServer({
    server,
    maxPayload: MAX_EVENT,
    verifyClient: ({ req }: { req: IncomingMessage }) => isOurs(req),
  })
  const pages = new Set<WebSocket>()
  const events: string[] = []
  sockets.on('connection', (socket, { headers }) => {
    // A frame that is invalid or too large closes its connection. Without a listener, it would end the process.
    socket.on('error', () => undefined)
    if (headers.origin !== undefined) {
      pages.add(socket)
      socket.on('close', () => pages.delete(socket))
      for (const event of events) socket.send(event)
      return
    }
    socket.on('message', (data) => {
      const event = String(data)
      events.push(event)
      if (events.length > KEPT) events.shift()
      for (const page of pages) if (page.readyState === page.OPEN) page.send(event)
    })
  })

  return {
    url,
    close: () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.close()
    },
  }
}
