import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'

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

/** Listens on this machine only. Programs send events; the page at `url` shows them, and no other page receives any. */
export async function startRelay(port = 0) {
  const server = createServer((request, response) => {
    if (!isOurs(request)) return response.writeHead(403).end()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `http://${host}`

  /** Browsers send the origin of the page; programs send none. The host is checked too, against DNS rebinding. */
  function isOurs({ headers }: IncomingMessage): boolean {
    return headers.host === host && (headers.origin === undefined || headers.origin === url)
  }

  const sockets = new WebSocketServer({
    server,
    verifyClient: ({ req }: { req: IncomingMessage }) => isOurs(req),
  })
  const pages = new Set<WebSocket>()
  const events: string[] = []
  sockets.on('connection', (socket, { headers }) => {
    if (headers.origin === url) {
      pages.add(socket)
      socket.on('close', () => pages.delete(socket))
      for (const event of events) socket.send(event)
      return
    }
    socket.on('message', (data) => {
      const event = String(data)
      events.push(event)
      if (events.length > 1000) events.shift()
      for (const page of pages) if (page.readyState === WebSocket.OPEN) page.send(event)
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
