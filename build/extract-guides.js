import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** Their code needs packages that only `test/interop` installs. */
const INTEROP = ['embed.md', 'protect-your-mcp-server.md', 'protect-your-routes.md', 'remote-mcp-servers.md']

/**
 * Writes the TypeScript blocks of the guides to files, where they are linted, type-checked and tested. A block has the
 * name of its file above it.
 */
export function extractGuides() {
  for (const folder of ['docs/guides', 'docs/extend'])
    for (const document of readdirSync(join(root, folder)).filter((name) => name.endsWith('.md')))
      extract(join(folder, document))
}

function extract(document) {
  const text = readFileSync(join(root, document), 'utf8')
  const files = new Map(
    [...text.matchAll(/^`([^`]+)`:\n\n```tsx?\n(.*?)^```$/gms)].map(([, file, code]) => [file, code]),
  )
  if (files.size !== (text.match(/^```tsx?$/gm) ?? []).length)
    throw new Error(`${document}: a TypeScript block has no file name above it, or the name of another block`)
  if (files.size === 0) return
  const name = basename(document)
  const place = INTEROP.includes(name) ? 'test/interop' : 'test/guides'
  const folder = join(root, place, basename(name, '.md'))
  mkdirSync(folder, { recursive: true })
  const written = readdirSync(folder)
  for (const file of written) if (!files.has(file) && !text.includes(`/${file})`)) rmSync(join(folder, file))
  // A file that has not changed keeps its time, and can be read by other processes meanwhile.
  for (const [file, code] of files)
    if (!written.includes(file) || readFileSync(join(folder, file), 'utf8') !== code)
      writeFileSync(join(folder, file), code)
}

if (process.argv[1] === import.meta.filename) extractGuides()
