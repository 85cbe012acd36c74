import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { ENTRIES } from '../../../build/entries.js'

const root = new URL('../../../', import.meta.url)

export function resolve(specifier, context, next) {
  const entry = ENTRIES.find(({ name }) => name === specifier)
  return entry ? { url: new URL(entry.source, root).href, shortCircuit: true } : next(specifier, context)
}

export async function load(url, context, next) {
  if (!/\.tsx?$/.test(url)) return next(url, context)
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), {
    loader: 'ts',
    format: 'esm',
  })
  return { format: 'module', source: code, shortCircuit: true }
}
