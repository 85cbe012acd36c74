import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BadOptionError } from '../../errors.ts'
import type { Listening } from '../../service/http/listen.ts'
import { nodeModule } from '../../service/http/node-module.ts'

/** Serves a `fetch` on a free local port. If it rejects, the connection breaks. */
export async function serve(fetch: typeof globalThis.fetch): Promise<Pick<Listening, 'url' | 'close'>> {
  const http = nodeModule('node:http')
  if (!http) throw new BadOptionError('this runtime cannot listen: use sandbox.fetch instead')
  const server = http.createServer((message, response) => void respond(fetch, message, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function respond(
  fetch: typeof globalThis.fetch,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  // The sandbox sets the date by its own clock.
  response.sendDate = false
  try {
    const { status, headers, body } = await fetch(await readRequest(message), { signal: gone.signal })
    response.statusCode = status
    response.setHeaders(headers)
    response.end(body === null ? '' : await new Response(body).text())
  } catch {
    message.socket.destroy()
  }
}

async function readRequest(message: IncomingMessage): Promise<Request> {
  const { method = 'GET', url = '/', headers } = message
  const chunks = await message.toArray()
  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    body: method === 'GET' || method === 'HEAD' ? null : Buffer.concat(chunks).toString(),
  })
}
