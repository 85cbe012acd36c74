import { dirname, relative, resolve } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'
import { aliasesTo, ENTRIES } from '../../build/entries.js'
import { extractGuides } from '../../build/extract-guides.js'

const root = resolve(import.meta.dirname, '../..')

/** The built entries by their source. `Secret` is an export of the root entry. */
const BUILT = new Map([
  ...ENTRIES.map(({ source, built }) => [source, built] as const),
  ['src/errors.ts', 'errors'],
  ['src/secret.ts', 'dist/src/index.js'],
])

/** The entries that export all errors between them. */
const OF_ERRORS = [
  'src/index.ts',
  'src/auth/index.ts',
  'src/mcp/index.ts',
  'src/oidc/index.ts',
  'src/session/index.ts',
]

/** Whose imports are replaced: the API that the tests add to the service is not published, and throws the service's errors. */
const USERS = ['test', 'src/github-api']

/** Replaces imports of an entry's source with the built entry. */
function publishedEntries(): Plugin {
  return {
    name: 'published-entries',
    enforce: 'pre',
    resolveId(name, importer = '') {
      if (!name.startsWith('.') || !USERS.some((folder) => importer.startsWith(`${root}/${folder}/`)))
        return undefined
      const built = BUILT.get(relative(root, resolve(dirname(importer), name)))
      return built === undefined ? undefined : resolve(root, built)
    },
    load(id) {
      if (id !== resolve(root, 'errors')) return undefined
      return OF_ERRORS.map((source) => `export * from '${resolve(root, BUILT.get(source) ?? '')}'`).join('\n')
    },
  }
}

extractGuides()

/** Runs the tests of the public entries against the published build, except those that import internals. */
export default defineConfig({
  root,
  plugins: [publishedEntries()],
  resolve: {
    alias: aliasesTo('built'),
  },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    include: [
      'test/{app-jwt,auth,client,dpop,flow,guides,oidc,providers,react,service,session,testing}/**/*.test.{ts,tsx}',
    ],
    exclude: [
      // They start their own processes from the sources.
      'test/session/processes.test.ts',
      // They look into parts that are not published.
      'test/session/{hold-signals,keep-in-time,session-record}.test.ts',
      // It breaks the part that the stores share, which is not published.
      'test/service/stores/compare-and-set.test.ts',
      // They start servers, which takes long. The projects of the peers use both stores.
      'test/service/stores/{outages,postgres,redis,sql}.test.ts',
      // A bundler cannot break the text of a page.
      'test/service/pages/**',
    ],
    globalSetup: resolve(root, 'test/support/fresh-build.ts'),
    // Nothing is measured here: a busy machine may take its time.
    testTimeout: 300_000,
    isolate: false,
    maxWorkers: 4,
  },
})
