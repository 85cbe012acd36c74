import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { BadOptionError } from '../errors.ts'
import { LARGEST_REQUEST, TOO_LARGE } from './fetch.ts'
import type { ServiceRequest, ServiceResponse } from './http.ts'

/** Milliseconds a connection is kept: longer than any client waits between two polls, and than proxies do (60 s). */
const KEEP_ALIVE = 75_000

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
 * Serves HTTP on Node, and where its servers are to be had.
 *
 * @param port 0 for any free one.
 * @throws BadOptionError where the port cannot be had, or the runtime has no servers.
 */
export async function listen(
  handle: (request: ServiceRequest) => Promise<ServiceResponse>,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<Listening> {
  // In a worker there is no such module, and bundlers put an empty one into a page.
  const { createServer } = await import('node:http').catch(() => ({ createServer: undefined }))
  if (createServer === undefined)
    throw new BadOptionError('this runtime cannot listen: hand each request to "fetch" of the service')
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE, headersTimeout: KEEP_ALIVE + 1000 },
    (request, response) => {
      void answer(handle, request, response)
    },
  )
  await bind(server, port, host)
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${reachable(host)}:${bound}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
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
    const body = await readBody(message)
    const {
      status,
      headers,
      body: text,
    } = body === undefined ? TOO_LARGE : await handle(serviceRequest(message, body))
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) })
    response.end(text)
  } catch {
    // The connection broke while the body came: nobody is left to answer.
    response.destroy()
  }
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
  { method = 'GET', url = '/', headers, headersDistinct }: IncomingMessage,
  body: string,
): ServiceRequest {
  const [path = '/', query = ''] = url.split('?', 2)
  return {
    method,
    host: headers.host ?? '',
    path,
    query: new URLSearchParams(query),
    body,
    // Every one of a repeated header: Node would hide a second credential.
    header: (name) => headersDistinct[name]?.join(', '),
  }
}
