import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { BadOptionError } from '../errors.ts'
import { LARGEST_REQUEST, TOO_LARGE } from './fetch.ts'
import { json, type ServiceRequest, type ServiceResponse } from './http.ts'

/** Milliseconds a connection is kept: longer than any client waits between two polls, and than proxies do (60 s). */
const KEEP_ALIVE = 75_000

/** What is said of a host or a target that make no address. */
const BAD_ADDRESS = json(400, { message: 'the address of the request cannot be read' })

/**
 * Where a service listens.
 *
 * @group Service
 */
export interface Listening {
  /** The address that was bound, without a slash at its end. */
  readonly url: string
  /** Ends the connections that are idle, lets requests on their way finish, and resolves when all is closed. */
  close(): Promise<void>
}

/**
 * Serves HTTP on Node.
 *
 * @param port 0 for any free one.
 * @throws BadOptionError where the port cannot be had.
 */
export async function listen(
  handle: (request: ServiceRequest) => Promise<ServiceResponse>,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<Listening> {
  const { createServer } = await import('node:http')
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE, headersTimeout: KEEP_ALIVE + 1000 },
    (request, response) => {
      void answer(handle, request, response)
    },
  )
  let closing = false
  let onTheirWay = 0
  server.on('request', (_, response) => {
    onTheirWay += 1
    response.on('close', () => {
      onTheirWay -= 1
      if (closing && onTheirWay === 0) server.closeAllConnections()
    })
  })
  await bind(server, port, host)
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${reachable(host)}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        closing = true
        server.close(() => resolve())
        // Browsers open connections ahead of any request: Node would wait for those.
        if (onTheirWay === 0) server.closeAllConnections()
      }),
  }
}

function bind(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new BadOptionError(`cannot listen on port ${port} of ${host}: ${error.code}`)),
    )
    server.listen(port, host, resolve)
  })
}

/** A host that stands for every address is no address to call. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

async function answer(
  handle: (request: ServiceRequest) => Promise<ServiceResponse>,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, headers, body: text } = await respond(handle, message)
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) })
    response.end(text)
  } catch {
    // The connection broke while the body came: nobody is left to answer.
    response.destroy()
  }
}

async function respond(
  handle: (request: ServiceRequest) => Promise<ServiceResponse>,
  message: IncomingMessage,
): Promise<ServiceResponse> {
  const body = await readBody(message)
  if (body === undefined) return TOO_LARGE
  const address = addressOf(message)
  return URL.canParse(address) ? handle(serviceRequest(message, address, body)) : BAD_ADDRESS
}

/** The target of a request is a path, or, as proxies send it, a whole address. HTTP/1.0 may name no host. */
function addressOf({ url = '/', headers }: IncomingMessage): string {
  return url.startsWith('/') ? `http://${headers.host ?? 'localhost'}${url}` : url
}

async function readBody(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.byteLength
    if (size > LARGEST_REQUEST) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function serviceRequest(
  { method = 'GET', headersDistinct }: IncomingMessage,
  address: string,
  body: string,
): ServiceRequest {
  const { host, pathname, searchParams } = new URL(address)
  return {
    method,
    host,
    path: pathname,
    query: searchParams,
    body,
    // Every one of a repeated header: Node would hide a second credential.
    header: (name) => headersDistinct[name]?.join(', '),
  }
}
