import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { join } from 'node:path'
import { listenOnLoopback } from '../../support/listen-on-loopback.ts'

/** A self-signed certificate for `localhost`, with its key. */
export const CERTIFICATE = join(import.meta.dirname, 'localhost.pem')

/** Serves HTTP or HTTPS on a free local port. */
export async function serve(listener: RequestListener, { isSecure = false } = {}) {
  const pem = readFileSync(CERTIFICATE)
  const server = isSecure ? createSecureServer({ key: pem, cert: pem }, listener) : createServer(listener)
  const { port, close } = await listenOnLoopback(server)
  return { url: `http${isSecure ? 's' : ''}://localhost:${port}`, close }
}
