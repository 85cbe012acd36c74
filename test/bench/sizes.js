import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { printTable } from './statistics.js'

/**
 * Each entry, and the packages that must not be in it. `xstate` is a peer, and counted apart. @octokit/auth-app is what
 * installations are compared with.
 */
const ENTRIES = {
  authgraph: ['jose', 'ofetch'],
  'authgraph/machines': ['jose', 'ofetch'],
  'authgraph/auth': ['xstate', 'valibot'],
  'authgraph/octokit': ['xstate', 'valibot', 'ofetch', '@octokit'],
  'authgraph/app-jwt': ['xstate', 'ofetch', 'valibot'],
  'authgraph/dpop': ['xstate', 'ofetch', 'valibot', 'jose'],
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
  const whole = await bundle(entry, ['jose', 'node:*'])
  const without = await bundle(entry, ['jose', 'node:*', 'xstate'])
  const found = forbidden.filter((name) =>
    whole.inputs.some((input) => input.includes(`node_modules/${name}/`)),
  )
  if (found.length > 0) throw new Error(`${entry} holds ${found.join(' and ')}`)
  rows.push([`\`${entry}\``, kilobytes(without.bytes), kilobytes(whole.bytes), forbidden.join(', ')])
}
printTable(
  'Bundled and minified, gzip, for browsers',
  ['entry', 'KB without xstate', 'KB with it', 'must not hold'],
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

function kilobytes(bytes) {
  return (bytes / 1000).toFixed(1)
}
