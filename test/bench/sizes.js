import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { printTable } from './statistics.js'

/**
 * Each entry, and the packages that must not be in it. `xstate`, which is a peer, and `jose` are counted apart, since
 * applications may load them anyway. @octokit/auth-app is what installations are compared with.
 */
const ENTRIES = {
  authgraph: ['jose', 'ofetch'],
  'authgraph/machines': ['jose', 'ofetch'],
  'authgraph/auth': ['xstate', 'valibot'],
  'authgraph/octokit': ['xstate', 'valibot', 'ofetch', '@octokit'],
  'authgraph/app-jwt': ['xstate', 'ofetch', 'valibot'],
  'authgraph/dpop': ['xstate', 'ofetch', 'valibot', 'jose'],
  'authgraph/mcp': ['jose', 'ofetch'],
  'authgraph/mcp/server': ['xstate', 'jose', 'ofetch'],
  'authgraph/oidc': ['xstate', 'ofetch'],
  'authgraph/providers': ['xstate', 'ofetch', 'valibot', 'jose'],
  'authgraph/react': ['jose', 'ofetch'],
  'authgraph/service': ['ofetch'],
  'authgraph/session': ['jose', 'ofetch'],
  '@octokit/auth-app': [],
}

/** Where our entries are found, and those of others. */
const bench = import.meta.dirname
const root = resolve(bench, '../..')

const rows = []
for (const [entry, forbidden] of Object.entries(ENTRIES)) {
  const whole = await bundle(entry, ['node:*'])
  const withoutJose = await bundle(entry, ['node:*', 'jose'])
  const without = await bundle(entry, ['node:*', 'jose', 'xstate'])
  const found = forbidden.filter((name) =>
    whole.inputs.some((input) => input.includes(`node_modules/${name}/`)),
  )
  if (found.length > 0) throw new Error(`${entry} holds ${found.join(' and ')}`)
  const sizes = [without, withoutJose, whole].map(({ bytes }) => (bytes / 1000).toFixed(1))
  rows.push([`\`${entry}\``, ...sizes, forbidden.join(', ')])
}
printTable(
  'Bundled and minified, gzip, for browsers',
  ['entry', 'KB without xstate and jose', 'with xstate', 'with both', 'must not hold'],
  rows,
)

async function bundle(entry, external) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export * from '${entry}'`, resolveDir: entry.startsWith('authgraph') ? root : bench },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['browser', 'default'],
    mainFields: ['module', 'main'],
    external,
    write: false,
    metafile: true,
    logLevel: 'error',
    outdir: '.',
  })
  const used = Object.values(metafile.outputs)[0].inputs
  const inputs = Object.keys(used).filter((name) => used[name].bytesInOutput > 0)
  return { bytes: gzipSync(outputFiles[0].contents, { level: 9 }).byteLength, inputs }
}
