import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { BadOptionError } from '../../errors.ts'
import { withHealth } from './health.ts'
import { nodeModule } from './node-module.ts'
import { createRequestListener } from './request-listener.ts'
import { createTraffic } from './traffic.ts'
import type { Handler } from './types.ts'

/** Where to listen by default: on this machine alone. */
export const LOOPBACK = '127.0.0.1'

/** Milliseconds a connection is kept: longer than any client waits between two polls, and than proxies do (60 s). */
const KEEP_ALIVE = 75_000

/** Milliseconds for which a request may be on its way: a connection that brings its bytes one by one is ended. */
const REQUEST_TIMEOUT = 30_000

/** Milliseconds between two looks at what is late. */
const CHECK_INTERVAL = 5000

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
  drain(): Promise<void>
  /** Takes no more connections, ends those that are idle, and resolves when the requests on their way are answered. */
  close(): Promise<void>
}

/**
 * Serves HTTP on Node, and where its servers are to be had.
 *
 * @throws {@link BadOptionError} where the port cannot be had, the certificate cannot be used, or the runtime has no servers.
 */
export async function listen(
  handle: Handler,
  { port = 0, host = LOOPBACK, tls, isReady }: ListenOptions,
): Promise<Listening> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new BadOptionError('port must be a whole number from 0 to 65535')
  const server = createServer(tls)
  const handler = isReady ? withHealth(handle, isReady) : handle
  // A connection on which nothing moves, since its client does not read. Later than the limit of a request, whose
  // response (408) would otherwise be cut off.
  server.timeout = REQUEST_TIMEOUT + 2 * CHECK_INTERVAL
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
    if (!server.listening && traffic.isQuiet()) for (const connection of connections) connection.destroy()
  }
  const traffic = createTraffic(endConnections)
  server.on('request', createRequestListener(handler, traffic))
  await bind(server, port, host)
  return {
    url: `${tls ? 'https' : 'http'}://${reachable(host)}:${portOf(server)}`,
    drain: traffic.settled,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        endConnections()
      }),
  }
}

function createServer(tls: ListenOptions['tls']): Server {
  const options = {
    keepAliveTimeout: KEEP_ALIVE,
    requestTimeout: REQUEST_TIMEOUT,
    handshakeTimeout: REQUEST_TIMEOUT,
    connectionsCheckingInterval: CHECK_INTERVAL,
  }
  const http = nodeModule('node:http')
  const https = nodeModule('node:https')
  if (!http || !https)
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
