import { createServer } from 'node:http'
import { extname } from 'node:path'
import { build } from 'vite'
import { vi } from 'vitest'
import { listenOnLoopback } from './listen-on-loopback.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** Builds a page with the config of its folder and serves the files from memory. */
export async function serveBuiltPage(folder: string) {
  // As it is published: with the NODE_ENV of vitest, XState is larger.
  vi.stubEnv('NODE_ENV', 'production')
  const built = await build({
    configFile: `${folder}/vite.config.ts`,
    logLevel: 'error',
    build: { write: false },
  }).finally(() => vi.unstubAllEnvs())
  if (!('output' in built)) throw new TypeError('the page has more than one build')
  const files = new Map(
    built.output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]),
  )
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    const path = pathname === '/' ? '/index.html' : pathname
    const content = files.get(path)
    if (content === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/plain' }).end(content)
  })
  const { url, close } = await listenOnLoopback(server)
  return { files, url: `${url}/`, close }
}
