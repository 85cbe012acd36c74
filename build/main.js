import { execFile } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { build as buildPage } from 'vite'
import { listBundledPackages } from './bundled-packages.js'

/**
 * Packages that few runs of the command need, as separate files: undici is larger than the rest of the command. Of ws, the
 * ES module: Node finds the named exports of its bundle.
 */
const RARELY_USED = { undici: 'undici', ws: 'node_modules/ws/wrapper.mjs' }

const shared = {
  bundle: true,
  metafile: true,
  logLevel: 'warning',
  // ofetch's `node` build carries its own copy of a fetch implementation; every runtime here has one.
  conditions: ['module', 'browser', 'default'],
  mainFields: ['module', 'main'],
}

/** The package entries: ES modules that share their classes through common chunks. */
const entries = () =>
  build({
    ...shared,
    entryPoints: [
      'src/index.ts',
      'src/machines.ts',
      'src/auth/index.ts',
      'src/octokit/index.ts',
      'src/oidc/index.ts',
      'src/providers/index.ts',
      'src/service/index.ts',
      'src/service/stores/redis.ts',
      'src/service/stores/sql/index.ts',
      'src/session/index.ts',
      'src/session/node/index.ts',
      'src/terminal/index.ts',
      'src/testing/index.ts',
      'src/testing/vitest.ts',
    ],
    outdir: 'dist',
    outbase: '.',
    chunkNames: 'src/chunks/[hash]',
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    sourcemap: true,
    external: ['xstate', 'jose', 'redis', 'pg', 'libsql', 'vitest', '@napi-rs/keyring', 'node:*'],
    plugins: [loadFromFile(/^\.\.\/app-jwt\/create-app-jwt-signer\.ts$/, '../app-jwt/index.js')],
  })

/**
 * One file, because a signer is often all that an application loads, and each further file takes Node a millisecond.
 * Only the errors stay external, because `instanceof` needs the same classes as the other entries.
 *
 * @param {import('esbuild').Metafile} entries
 */
const appJwt = ({ outputs }) =>
  build({
    ...shared,
    entryPoints: ['src/app-jwt/index.ts'],
    outfile: 'dist/src/app-jwt/index.js',
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    sourcemap: true,
    plugins: [
      loadFromFile(
        /\/errors\.ts$/,
        relative(
          'dist/src/app-jwt',
          Object.keys(outputs).find((file) => 'src/errors.ts' in outputs[file].inputs),
        ),
      ),
    ],
  })

/** The command with all its dependencies, as CommonJS, which Node loads faster than ES modules. */
const command = (entryPoint, name, options = {}) =>
  build({
    ...shared,
    entryPoints: [entryPoint],
    outfile: `dist/src/cli/${name}.cjs`,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
    ...options,
  })

/** Excludes imports that match, and loads them from another file. */
const loadFromFile = (filter, path) => ({
  name: 'load from file',
  setup: ({ onResolve }) => onResolve({ filter }, () => ({ path, external: true })),
})

const types = () =>
  promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '--emitDeclarationOnly'])

rmSync('dist', { recursive: true, force: true })
const modules = await entries()
const [, ...bundles] = await Promise.all([
  types(),
  appJwt(modules.metafile),
  command('src/cli/main.ts', 'main', {
    external: ['@napi-rs/keyring', 'redis', 'pg', 'libsql'],
    define: { 'import.meta.url': '__filename' },
    plugins: Object.keys(RARELY_USED).map((name) => loadFromFile(new RegExp(`^${name}$`), `./${name}.cjs`)),
  }),
  ...Object.entries(RARELY_USED).map(([name, entry]) => command(entry, name)),
])
listBundledPackages([modules, ...bundles].map(({ metafile }) => metafile))
// `authgraph replay` lights the states of this picture.
copyFileSync('docs/machines/device-authorization.svg', 'dist/src/cli/device-authorization.svg')
// The page of `--watch`. Written last: build/if-stale.js takes its presence as the sign of a complete build.
await buildPage({ configFile: 'docs/live/watch.config.ts', logLevel: 'warn' })
