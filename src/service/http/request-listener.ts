import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { headerOf, type NodeRequest } from '../../access/incoming-request.ts'
import { createTraffic, type Traffic } from './traffic.ts'
import {
  type Handler,
  LARGEST_REQUEST,
  type ServiceRequest,
  type ServiceResponse,
  TOO_LARGE,
} from './types.ts'

/** Captured before a test installs fake timers. */
const { setImmediate } = globalThis

/** Bytes after which an oversized body is cut off. Up to there it is read, so that the client gets the 413. */
const CUT_OFF = 16 * LARGEST_REQUEST

/** Responds to a request of Node's `http` module, or of `http2` with its compatibility API. */
export type RequestListener = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => Promise<void>

/**
 * Creates a request listener for `http.createServer`.
 *
 * @param unknown The address of connections that have none. A connection that was reset has none either: they all share the
 *   empty one, so that limits apply to them too.
 */
export function createRequestListener(
  handle: Handler,
  traffic: Traffic = createTraffic(),
  unknown = '',
): RequestListener {
  return async (message, response) => {
    if (!traffic.admit(message, response)) return
    try {
      const isUnread = !message.readableDidRead
      const body = isUnread ? await readBody(message) : undefined
      const isTooLarge = isUnread && body === undefined
      const handled = isTooLarge ? TOO_LARGE : await handle(serviceRequest(message, body, unknown))
      // The unread rest of a body would be taken for the next request.
      if (!message.complete && 'shouldKeepAlive' in response) response.shouldKeepAlive = false
      // Sends the responses of one turn together: the system wakes the reader for each separate write.
      setImmediate(send, response, handled)
    } catch {
      // The connection broke while the body was being received.
      response.destroy()
    }
  }
}

function send(
  response: ServerResponse | Http2ServerResponse,
  { status, headers, body }: ServiceResponse,
): void {
  try {
    const list: string[] = []
    for (const name in headers) list.push(name, headers[name] ?? '')
    // RFC 9110, section 8.6: a response without a body has no length either.
    if (status !== 204) list.push('content-length', String(Buffer.byteLength(body)))
    // The types of Http2ServerResponse omit that it takes a list, too.
    const http = response as ServerResponse
    http.writeHead(status, list)
    response.end(body)
  } catch {
    // The host's own code returned a header that cannot be sent.
    response.destroy()
  }
}

/** Reads a body as text; `undefined` if it is too large. Uses events, since an iterator is slower. */
function readBody(message: IncomingMessage | Http2ServerRequest): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    // Another middleware has seen that there is no body. There is no second `end` event.
    if (message.readableEnded) resolve('')
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

export function serviceRequest(
  { method = 'GET', url = '/', rawHeaders, socket }: NodeRequest,
  body: string | undefined,
  unknown?: string,
): ServiceRequest {
  const header = (name: string) => headerOf(name, rawHeaders)
  // A request to a proxy has an absolute URL, which names the host (RFC 9112, section 3.2.2).
  const [, host = header(':authority') ?? header('host'), path = '/', query = ''] =
    /^(?:https?:\/\/([^/?]*))?([^?]*)\??(.*)$/i.exec(url) ?? []
  return {
    method,
    host,
    path,
    address: socket.remoteAddress ?? unknown,
    get query() {
      return new URLSearchParams(query)
    },
    body,
    header,
    isGone: () => socket.destroyed === true,
  }
}
