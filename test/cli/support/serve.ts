import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** A self-signed certificate for `localhost`, with its key. */
export const CERTIFICATE = join(import.meta.dirname, 'localhost.pem')

/** Serves HTTP or HTTPS on a free local port. */
export async function serve(listener: RequestListener, { isSecure = false } = {}) {
  const pem = readFileSync(CERTIFICATE)
  const server = isSecure ? createSecureServer({ key: pem, cert: pem }, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http${isSecure ? 's' : ''}://localhost:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
