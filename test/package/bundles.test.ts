import { resolve } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

/** Entries that need a server or a test runner. */
const NOT_FOR_BROWSERS = [
  './package.json',
  './service/redis',
  './service/sql',
  './session/node',
  './terminal',
  './testing/vitest',
]

const entries = Object.entries(manifest.exports).filter(([entry]) => !NOT_FOR_BROWSERS.includes(entry))

test.each(entries)('%s can be bundled for a browser without configuration', async (_, file) => {
  const { errors } = await build({
    entryPoints: [resolve(import.meta.dirname, '../..', file)],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  }).catch((failure) => failure)
  expect(errors.map(({ text }: { readonly text: string }) => text)).toEqual([])
})
