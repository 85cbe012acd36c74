import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Stream } from './stream.ts'

const HOST = '127.0.0.1'

/** Bytes of the token in the address. */
const TOKEN_BYTES = 16

/** A page that is being served. */
export interface Served {
  /** The address with its token, which grants read-only access. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves the page and its event stream on 127.0.0.1, below a new random token. The server is read-only: it handles only
 * GET, and reads only the path, the host and the last event ID of a request.
 */
export async function servePage(stream: Stream): Promise<Served> {
  const page = await readFile(pageFile(), 'utf8')
  const headers = headersOf(page)
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    const { port } = server.address() as AddressInfo
    const path = pathBelow(token, request.url ?? '')
    // DNS rebinding: another site can point its name to this machine, but cannot change the Host header.
    if (request.headers.host !== `${HOST}:${port}` && request.headers.host !== `localhost:${port}`)
      return refuse(response, 403)
    if (path !== '' && path !== 'events') return refuse(response, 404)
    if (request.method !== 'GET') return refuse(response.setHeader('allow', 'GET'), 405)
    // The last event that the page received before it lost the stream.
    if (path === 'events') return stream.open(response, Number(request.headers['last-event-id']) || 0)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(0, HOST, () => resolve(void server.off('error', reject))),
  )
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/${token}/`,
    close: async () => {
      server.close()
      await stream.end()
      server.closeAllConnections()
    },
  }
}

/** The same file for the sources and for the build. */
function pageFile(): string {
  return join(createRequire(import.meta.url).resolve('authgraph/package.json'), '../dist/src/cli/watch.html')
}

function headersOf(page: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy':
      `default-src 'none'; script-src ${hashes(page, 'script')}; style-src ${hashes(page, 'style')}; ` +
      "connect-src 'self'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    connection: 'close',
  }
}

/** Allows only the scripts and styles in the page itself. */
function hashes(page: string, name: 'script' | 'style'): string {
  const texts = [...page.matchAll(new RegExp(`<${name}\\b[^>]*>([\\s\\S]*?)</${name}>`, 'g'))]
  return texts
    .map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    .join(' ')
}

function pathBelow(token: string, path: string): string | undefined {
  const [, given = '', rest] = /^\/([^/]*)\/([^/]*)$/.exec(path) ?? []
  const [a, b] = [given, token].map((text) => createHash('sha256').update(text).digest())
  return a && b && timingSafeEqual(a, b) ? rest : undefined
}

function refuse(response: ServerResponse, status: 403 | 404 | 405): void {
  response.writeHead(status).end()
}
