import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { BadOptionError } from '../../errors.ts'
import { withHealth } from './health.ts'
import { nodeModule } from './node-module.ts'
import { createRequestListener } from './request-listener.ts'
import { createTraffic } from './traffic.ts'
import type { Handler } from './types.ts'
import { listenOnSocket, UNIX_SOCKET } from './unix-socket.ts'

/** The default host: reachable from this machine only. */
export const LOOPBACK = '127.0.0.1'

/** Milliseconds an idle connection stays open: longer than any pause between polls, and than proxies keep it (60 s). */
const KEEP_ALIVE = 75_000

/** Milliseconds within which a request must arrive. A client that sends it byte by byte is disconnected. */
const REQUEST_TIMEOUT = 30_000

/** Milliseconds between two checks for late requests. */
const CHECK_INTERVAL = 5000

/** Where and how to listen. */
export interface ListenOptions {
  /** The port. Default: 0, which picks a free port. */
  readonly port?: number
  /** The host. Default: `127.0.0.1`, which is reachable from this machine only. */
  readonly host?: string
  /**
   * The path of a Unix socket to listen on, instead of `port` and `host`. Default: none. Not on Windows.
   *
   * It needs `authUrl`. The file is deleted on `close`, and one that an ended process left behind is replaced. Give each
   * instance its own. The address of its clients is `unix:`, which `behindProxies` can trust.
   */
  readonly path?: string
  /** The mode of the file at `path`: who may connect. Default: `0o600`, the same user; `0o660` adds the group. */
  readonly mode?: number
  /**
   * A private key and its certificate chain, both as PEM, to serve `https`. Default: none, which serves `http`.
   */
  readonly tls?: { readonly key: string; readonly cert: string }
  /**
   * Returns whether the service can take requests. Default: none. With it, `GET /healthz` responds with 200 while the
   * process runs, and `GET /readyz` with 200 or 503, under any host.
   */
  readonly isReady?: () => boolean | Promise<boolean>
}

/**
 * A service that is listening.
 *
 * @inline
 */
export interface Listening {
  /** The URL that was bound, without a trailing slash; for a Unix socket `unix:` and its path. */
  readonly url: string
  /** Resolves when every request that is in flight now has its response. */
  drain(): Promise<void>
  /** Stops listening, closes idle connections, and resolves when every request in flight has its response. */
  close(): Promise<void>
}

/**
 * Serves HTTP on Node and on runtimes with its `http` module.
 *
 * @throws {@link BadOptionError} if the port or the path is not available, the certificate is not valid, or the runtime has no HTTP
 * server.
 */
export async function listen(
  handle: Handler,
  { port = 0, host = LOOPBACK, path, mode = 0o600, tls, isReady }: ListenOptions,
): Promise<Listening> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new BadOptionError('port must be a whole number from 0 to 65535')
  const server = createServer(tls)
  const handler = isReady ? withHealth(handle, isReady) : handle
  // Ends a connection whose client does not read. It must come after the request timeout, whose response (408) it would
  // cut off.
  server.timeout = REQUEST_TIMEOUT + 2 * CHECK_INTERVAL
  // Otherwise Node drops headers beyond a number, and a second credential with them. Their size is limited anyway.
  server.maxHeadersCount = 0
  // Node would wait for keep-alive connections and for those that never sent a request. It has no function that ends
  // connections without a TLS handshake.
  const connections = new Set<Socket>()
  server.on('connection', (connection) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })
  const endConnections = () => {
    if (!server.listening && traffic.isQuiet()) for (const connection of connections) connection.destroy()
  }
  const traffic = createTraffic(endConnections)
  server.on('request', createRequestListener(handler, traffic, path === undefined ? '' : UNIX_SOCKET))
  if (path === undefined) await bind(server, port, host)
  else await listenOnSocket(server, path, mode)
  return {
    url:
      path === undefined
        ? `${tls ? 'https' : 'http'}://${reachableHost(host)}:${portOf(server)}`
        : UNIX_SOCKET + path,
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
    throw new BadOptionError('this runtime cannot listen: pass each request to the "fetch" of the service')
  if (tls === undefined) return http.createServer(options)
  try {
    return https.createServer({ ...options, ...tls })
  } catch {
    // The error may quote the key.
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
    return `port ${port} of ${host} is in use: choose another one, or 0 for any free port`
  if (code === 'EACCES') return `no permission to listen on port ${port} of ${host}: choose a port above 1023`
  return `cannot listen on port ${port} of ${host} (${code}): check the host`
}

/** Replaces a host that means every address: nobody can call it. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null)
    throw new TypeError('the server is not listening on a port')
  return address.port
}
