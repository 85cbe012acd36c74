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

/** Taken before a test makes time stand still. */
const { setImmediate } = globalThis

/** Bytes after which a body that is too large is cut off. Up to there it is read, so that the client hears why. */
const CUT_OFF = 16 * LARGEST_REQUEST

/** A body that something else has read is gone: the request would wait for it until it times out. */
const BODY_READ_BEFORE = json(500, {
  error: 'server_error',
  error_description: 'the body was read before the service saw it: mount the service before body parsers',
})

/**
 * Responds to a request of Node's `http` module.
 *
 * @group Service
 */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Makes a request listener of Node, as `http.createServer` takes it. */
export function createRequestListener(handle: Handler, traffic: Traffic = createTraffic()): RequestListener {
  return async (message, response) => {
    if (!traffic.admit(message, response)) return
    try {
      if (isReadBefore(message)) return send(response, BODY_READ_BEFORE)
      const body = await readBody(message)
      const answered = body === undefined ? TOO_LARGE : await handle(serviceRequest(message, body))
      // What was not read of a body would be taken for the next request.
      if (!message.complete) response.shouldKeepAlive = false
      // What is answered in one turn leaves together: the system wakes a reader for each answer that leaves alone.
      setImmediate(send, response, answered)
    } catch {
      // The connection broke while the body came: nobody is left to answer.
      response.destroy()
    }
  }
}

function send(response: ServerResponse, { status, headers, body }: ServiceResponse): void {
  try {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  } catch {
    // A page or a hook of the host has made a header that cannot be sent.
    response.destroy()
  }
}

function isReadBefore({ readableEnded, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return readableEnded && hasBody
}

/** Reads a body as text; `undefined` where it is too large. By events: an iterator is slower. */
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
  // The address may be absolute, as proxies are asked; then it names the host (RFC 9112, section 3.2.2).
  const [, host = headersDistinct.host?.join(', '), path = '/', query = ''] =
    /^(?:https?:\/\/([^/?]*))?([^?]*)\??(.*)$/i.exec(url) ?? []
  return {
    method,
    host,
    path,
    // Of a connection that was reset there is none any more: all those share one, so that they are limited, too.
    address: socket.remoteAddress ?? '',
    query: new URLSearchParams(query),
    body,
    // Every one of a repeated header: Node would hide a second credential.
    header: (name) => headersDistinct[name]?.join(', '),
    isGone: () => socket.destroyed,
  }
}
