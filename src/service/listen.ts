import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { BadOptionError } from '../errors.ts'
import { withHealth } from './health.ts'
import {
  type Handler,
  LARGEST_REQUEST,
  type ServiceRequest,
  type ServiceResponse,
  TOO_LARGE,
} from './http.ts'

/** Taken before a test makes time stand still. */
const { setImmediate } = globalThis

/** Milliseconds a connection is kept: longer than any client waits between two polls, and than proxies do (60 s). */
const KEEP_ALIVE = 75_000

/** Milliseconds for which a request may be on its way: a connection that brings its bytes one by one is ended. */
const REQUEST_TIMEOUT = 30_000

/** Milliseconds between two looks at what is late. */
const CHECK_INTERVAL = 5000

/** Bytes after which a body that is too large is cut off. Up to there it is read, so that the client hears why. */
const CUT_OFF = 16 * LARGEST_REQUEST

/**
 * Where and how to listen.
 *
 * @group Service
 */
export interface ListenOptions {
  /** 0, the default, for any free one. */
  readonly port?: number
  /** `127.0.0.1` by default: this machine alone. */
  readonly host?: string
  /** The private key and the certificates, as PEM, with which to serve `https`. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /**
   * Says whether requests may be sent here. Where it is given, `GET /healthz` answers 200 as long as the process lives,
   * and `GET /readyz` answers 200 or 503, under any host.
   */
  readonly isReady?: () => boolean | Promise<boolean>
}

/**
 * Where a service listens.
 *
 * @group Service
 */
export interface Listening {
  /** The address that was bound, without a slash at its end. */
  readonly url: string
  /** Resolves when the requests that are on their way now are answered. */
  answered(): Promise<void>
  /** Takes no more connections, ends those that are idle, and resolves when the requests on their way are answered. */
  close(): Promise<void>
}

/**
 * Serves HTTP on Node, and where its servers are to be had.
 *
 * @throws BadOptionError where the port cannot be had, the certificate cannot be used, or the runtime has no servers.
 */
export async function listen(
  handle: Handler,
  { port = 0, host = '127.0.0.1', tls, isReady }: ListenOptions,
): Promise<Listening> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new BadOptionError('port must be a whole number from 0 to 65535')
  const server = await createServer(tls)
  const handler = isReady ? withHealth(handle, isReady) : handle
  const unanswered = new Set<ServerResponse>()
  // Node would drop the last of many headers, and with them a second credential. Their size is limited anyway.
  server.maxHeadersCount = 0
  // Node would wait for connections that are kept alive, or that never sent a request; and for those that never spoke
  // TLS it has no function to end them.
  const connections = new Set<Socket>()
  server.on('connection', (connection) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })
  const endConnections = () => {
    if (!server.listening && unanswered.size === 0) for (const connection of connections) connection.destroy()
  }
  server.on('request', (request, response) => {
    unanswered.add(response)
    response.once('close', () => {
      unanswered.delete(response)
      endConnections()
    })
    void answer(handler, request, response)
  })
  await bind(server, port, host)
  return {
    url: `${tls ? 'https' : 'http'}://${reachable(host)}:${portOf(server)}`,
    async answered() {
      await Promise.all(
        [...unanswered].map((response) => new Promise((resolve) => response.once('close', resolve))),
      )
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        endConnections()
      }),
  }
}

async function createServer(tls: ListenOptions['tls']): Promise<Server> {
  const options = {
    keepAliveTimeout: KEEP_ALIVE,
    requestTimeout: REQUEST_TIMEOUT,
    handshakeTimeout: REQUEST_TIMEOUT,
    connectionsCheckingInterval: CHECK_INTERVAL,
  }
  // In a worker there are no such modules, and bundlers put empty ones into a page.
  const [http, https] = await Promise.all([import('node:http'), import('node:https')]).catch(() => [])
  if (!http?.createServer || !https?.createServer)
    throw new BadOptionError('this runtime cannot listen: hand each request to "fetch" of the service')
  if (tls === undefined) return http.createServer(options)
  try {
    return https.createServer({ ...options, ...tls })
  } catch {
    // What was thrown may quote the key.
    throw new BadOptionError('tls must have a private key and its certificate, both as PEM')
  }
}

function bind(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new BadOptionError(whyNot(error, port, host))),
    )
    server.listen(port, host, resolve)
  })
}

function whyNot({ code }: NodeJS.ErrnoException, port: number, host: string): string {
  if (code === 'EADDRINUSE')
    return `port ${port} of ${host} is in use: choose another one, or 0 for a free one`
  if (code === 'EACCES') return `port ${port} of ${host} needs rights that this process does not have`
  return `cannot listen on port ${port} of ${host}: ${code}`
}

/** A host that stands for every address is no address to call. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new TypeError('the server is not bound')
  return address.port
}

async function answer(handle: Handler, message: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
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

function send(response: ServerResponse, { status, headers, body }: ServiceResponse): void {
  try {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  } catch {
    // A page or a hook of the host has made a header that cannot be sent.
    response.destroy()
  }
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
  const [, host = headersDistinct.host?.join(', ') ?? '', path = '/', query = ''] =
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
