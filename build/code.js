import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve as absolute, join } from 'node:path'
import { rolldown } from 'rolldown'
import { build as buildPage } from 'vite'
import { ENTRIES } from './entries.js'

const APP_JWT = 'src/app-jwt/index.ts'
const [MAIN, AUTH, OIDC, SERVICE] = ['index.ts', 'auth/index.ts', 'oidc/index.ts', 'service/index.ts'].map(
  (file) => absolute('src', file),
)
const SIGNER = 'dist/src/app-jwt/index.js'

// ofetch's `node` build carries its own copy of a fetch implementation; every runtime here has one.
const resolve = { conditionNames: ['module', 'browser', 'default'], mainFields: ['module', 'main'] }

const forModules = { platform: 'neutral', resolve, transform: { target: 'es2023' } }

/**
 * The package entries: ES modules that share their classes through common chunks. Since each further file takes Node a
 * millisecond, what `authgraph` loads is in few files, by who else needs it: everybody, `authgraph/auth`, `authgraph/oidc`,
 * `authgraph/service`, or only entries that log in.
 */
async function entries() {
  const sources = ENTRIES.map(({ source }) => source).filter((source) => source !== APP_JWT)
  const bundle = await rolldown({
    ...forModules,
    input: Object.fromEntries(sources.map((source) => [source.replace(/\.ts$/, ''), source])),
    external: [/^(xstate|jose|react|redis|pg|libsql|vitest)(\/|$)/, '@napi-rs/keyring', /^node:/],
    plugins: [loadFromFile(/^\.\.\/app-jwt\/create-app-jwt-signer\.ts$/, '../app-jwt/index.js')],
  })
  return bundle.write({
    dir: 'dist',
    chunkFileNames: 'src/chunks/[name].js',
    minifyInternalExports: false,
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: { groups: Object.entries(CHUNKS).map(groupOf) },
  })
}

/** What `authgraph` loads, by who else does. A module is in the first that it matches; all others are left to the bundler. */
const CHUNKS = {
  errors: (id) => /src\/(errors|assert-known)\.ts$/.test(id),
  requests: (_, loading) => loading.has(MAIN) && loading.has(AUTH),
  responses: (_, loading) => loading.has(MAIN) && loading.has(OIDC),
  machines: (_, loading) => loading.has(MAIN) && loading.has(SERVICE),
  login: (id, loading) => loading.has(MAIN) && id !== MAIN,
}

const groupOf = ([chunk, matches], index) => ({
  name: (id, graph) => (matches(id, whatLoads(id, graph)) ? chunk : null),
  debugName: chunk,
  priority: 9 - index,
})

function whatLoads(id, graph, loading = new Set()) {
  if (loading.has(id)) return loading
  loading.add(id)
  for (const importer of graph.getModuleInfo(id).importers) whatLoads(importer, graph, loading)
  return loading
}

/**
 * One file, because a signer is often all that an application loads, and each further file takes Node a millisecond.
 * Only the errors stay external, because `instanceof` needs the same classes as the other entries.
 */
async function appJwt() {
  const bundle = await rolldown({
    ...forModules,
    input: APP_JWT,
    plugins: [loadFromFile(/\/errors\.ts$/, '../chunks/errors.js')],
  })
  return bundle.write({ file: SIGNER })
}

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
    resolve,
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
        { name: 'session', test: /src\/(session\/create-session|cli\/commands\/status)\.ts$/, priority: 2 },
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
  const creating = /^.*\bnew (\w*Error[$\d]*|\(.*Error\)|this)\(.*$/gm
  writeFileSync(file, readFileSync(file, 'utf8').replace(creating, '$& // node-do-not-add-exception-line'))
}

/** Excludes imports that match, and loads them from another file. */
const loadFromFile = (filter, file) => ({
  name: 'load from file',
  resolveId: { filter: { id: filter }, handler: () => ({ id: file, external: true }) },
})

/**
 * Builds everything that runs: the entries, the command and the page of `--watch`. Types are built apart, since they take most
 * of the time.
 *
 * @returns {Promise<readonly string[]>} The files of all bundles.
 */
export async function buildCode() {
  const outputs = await Promise.all([entries(), appJwt(), command()])
  const [modules, signer, program] = outputs.map(({ output }) => output)
  const built = [...modules.map(({ fileName }) => join('dist', fileName)), SIGNER]
  for (const file of built) hideErrorLines(file)
  const written = new Set([...built, ...program.map(({ fileName }) => join('dist/src/cli', fileName))])
  for (const name of readdirSync('dist', { recursive: true })) {
    const file = join('dist', name)
    if (/\.c?js$/.test(file) && !written.has(file)) rmSync(file)
  }
  // The page of `--watch`. Written last: build/if-stale.js takes its presence as the sign of a complete build.
  await buildPage({ configFile: 'docs/live/watch.config.ts', logLevel: 'warn' })
  return [modules, signer, program].flat().flatMap(({ moduleIds }) => moduleIds ?? [])
}
