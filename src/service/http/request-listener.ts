import type { IncomingMessage, ServerResponse } from 'node:http'
import { createTraffic, type Traffic } from './traffic.ts'
import {
  type Handler,
  json,
  LARGEST_REQUEST,
  type ServiceRequest,
  type ServiceResponse,
  TOO_LARGE,
} from './types.ts'

/** Captured before a test installs fake timers. */
const { setImmediate } = globalThis

/** Bytes after which an oversized body is cut off. Up to there it is read, so that the client gets the 413. */
const CUT_OFF = 16 * LARGEST_REQUEST

/** A body can be read only once: without this response, the request would wait until it times out. */
const BODY_READ_BEFORE = json(500, {
  error: 'server_error',
  error_description: 'another middleware has read the body: mount the service before body parsers',
})

/** Responds to a request of Node's `http` module. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Creates a request listener for `http.createServer`. */
export function createRequestListener(handle: Handler, traffic: Traffic = createTraffic()): RequestListener {
  return async (message, response) => {
    if (!traffic.admit(message, response)) return
    try {
      if (isReadBefore(message)) return send(response, BODY_READ_BEFORE)
      const body = await readBody(message)
      const handled = body === undefined ? TOO_LARGE : await handle(serviceRequest(message, body))
      // The unread rest of a body would be taken for the next request.
      if (!message.complete) response.shouldKeepAlive = false
      // Sends the responses of one turn together: the system wakes the reader for each separate write.
      setImmediate(send, response, handled)
    } catch {
      // The connection broke while the body was being received.
      response.destroy()
    }
  }
}

function send(response: ServerResponse, { status, headers, body }: ServiceResponse): void {
  try {
    // RFC 9110, section 8.6: a response without a body has no length either.
    const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }
    response.writeHead(status, { ...headers, ...length })
    response.end(body)
  } catch {
    // The host's own code returned a header that cannot be sent.
    response.destroy()
  }
}

function isReadBefore({ readableEnded, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return readableEnded && hasBody
}

/** Reads a body as text; `undefined` if it is too large. Uses events, since an iterator is slower. */
function readBody(message: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    message.on('data', (chunk: Buffer) => {
      size += chunk.byteLength
      if (size <= LARGEST_REQUEST) chunks.push(chunk)
      if (size > CUT_OFF) resolve(void message.pause())
    })
    message.once('end', () => resolve(size > LARGEST_REQUEST ? undefined : Buffer.concat(chunks).toString()))
    message.once('error', reject)
  })
}

function serviceRequest(
  { method = 'GET', url = '/', headersDistinct, socket }: IncomingMessage,
  body: string,
): ServiceRequest {
  // A request to a proxy has an absolute URL, which names the host (RFC 9112, section 3.2.2).
  const [, host = headersDistinct.host?.join(', '), path = '/', query = ''] =
    /^(?:https?:\/\/([^/?]*))?([^?]*)\??(.*)$/i.exec(url) ?? []
  return {
    method,
    host,
    path,
    // A connection that was reset has no address. They all share the empty one, so that limits apply to them too.
    address: socket.remoteAddress ?? '',
    query: new URLSearchParams(query),
    body,
    // All values of a repeated header: `headers` would hide a second credential.
    header: (name) => headersDistinct[name]?.join(', '),
    isGone: () => socket.destroyed,
  }
}
