import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { build as buildPage } from 'vite'
import { ENTRIES } from './entries.js'

const APP_JWT = 'src/app-jwt/index.ts'

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
    entryPoints: ENTRIES.map(({ source }) => source).filter((source) => source !== APP_JWT),
    outdir: 'dist',
    outbase: '.',
    chunkNames: 'src/chunks/[hash]',
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    external: ['xstate', 'jose', 'react', 'redis', 'pg', 'libsql', 'vitest', '@napi-rs/keyring', 'node:*'],
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
    entryPoints: [APP_JWT],
    outfile: 'dist/src/app-jwt/index.js',
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
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

/**
 * The command with all its dependencies, as CommonJS, which Node loads faster than ES modules: one file with what a stored
 * token needs, one with the session and `status`, one with the rest of a login, and others with what few runs need. Local
 * names are shortened; those of functions and classes stay, for stack traces.
 */
async function command() {
  const bundle = await rolldown({
    input: 'src/cli/main.ts',
    platform: 'node',
    external: ['@napi-rs/keyring', 'redis', 'pg', 'libsql'],
    resolve: {
      conditionNames: shared.conditions,
      mainFields: shared.mainFields,
    },
    transform: { target: 'node20.19', define: { 'import.meta.url': '__filename' } },
  })
  const written = await bundle.write({
    dir: 'dist/src/cli',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    minify: { mangle: { keepNames: true }, compress: true, codegen: { removeWhitespace: true } },
    codeSplitting: {
      groups: [
        { name: 'main', test: /src\/cli\/(main|commands\/(token|git-credential))\.ts$/, priority: 3 },
        { name: 'session', test: /src\/cli\/(storage\/open-session|commands\/status)\.ts$/, priority: 2 },
        { name: 'login', test: /src\/cli\/commands\/login\.ts$/, priority: 1 },
        { name: 'undici', test: /node_modules\/undici\//, priority: 1 },
        { name: 'others', test: /./ },
      ],
    },
  })
  // npm does this when it installs the package. In a clone, `npx authgraph` runs the file as it is.
  chmodSync('dist/src/cli/main.cjs', 0o755)
  return written
}

/**
 * Marks the lines that create errors. Node then begins an uncaught error with its message, and not with three lines of
 * this file: https://github.com/nodejs/node/blob/main/src/node_errors.cc
 *
 * @param {string} file
 */
function hideErrorLines(file) {
  const creating = /^.*\bnew (\w*Error\d*|Refusal|this)\(.*$/gm
  writeFileSync(file, readFileSync(file, 'utf8').replace(creating, '$& // node-do-not-add-exception-line'))
}

/** Excludes imports that match, and loads them from another file. */
const loadFromFile = (filter, path) => ({
  name: 'load from file',
  setup: ({ onResolve }) => onResolve({ filter }, () => ({ path, external: true })),
})

/**
 * Builds everything that runs: the entries, the command and the page of `--watch`. Types are built apart, since they take most
 * of the time.
 *
 * @returns {Promise<readonly string[]>} The files of all bundles.
 */
export async function buildCode() {
  const modules = await entries()
  const [signer, { output }] = await Promise.all([appJwt(modules.metafile), command()])
  const bundles = [modules, signer].map(({ metafile }) => metafile.outputs)
  const built = bundles.flatMap((outputs) => Object.keys(outputs))
  for (const file of built) hideErrorLines(file)
  const written = new Set([...built, ...output.map(({ fileName }) => join('dist/src/cli', fileName))])
  for (const name of readdirSync('dist', { recursive: true })) {
    const file = join('dist', name)
    if (/\.c?js$/.test(file) && !written.has(file)) rmSync(file)
  }
  // The page of `--watch`. Written last: build/if-stale.js takes its presence as the sign of a complete build.
  await buildPage({ configFile: 'docs/live/watch.config.ts', logLevel: 'warn' })
  return [
    ...bundles.flatMap((outputs) => Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))),
    ...output.flatMap(({ moduleIds }) => moduleIds ?? []),
  ]
}
