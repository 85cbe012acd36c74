import { dirname, relative, resolve } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'

const root = resolve(import.meta.dirname, '../..')

/** The public entries by source file. The errors and `Secret` are exports of the root entry. */
const ENTRIES = new Map([
  ['src/index.ts', 'src/index.js'],
  ['src/errors.ts', 'src/index.js'],
  ['src/secret.ts', 'src/index.js'],
  ['src/machines.ts', 'src/machines.js'],
  ['src/auth/index.ts', 'src/auth/index.js'],
  ['src/app-jwt/index.ts', 'src/app-jwt/index.js'],
  ['src/oidc/index.ts', 'src/oidc/index.js'],
  ['src/providers/index.ts', 'src/providers/index.js'],
  ['src/service/index.ts', 'src/service/index.js'],
  ['src/service/stores/redis.ts', 'src/service/stores/redis.js'],
  ['src/service/stores/sql/index.ts', 'src/service/stores/sql/index.js'],
  ['src/session/index.ts', 'src/session/index.js'],
  ['src/session/node/index.ts', 'src/session/node/index.js'],
  ['src/terminal/index.ts', 'src/terminal/index.js'],
  ['src/testing/index.ts', 'src/testing/index.js'],
  ['src/testing/vitest.ts', 'src/testing/vitest.js'],
])

/** Replaces imports of an entry's source with the built entry. */
function publishedEntries(): Plugin {
  return {
    name: 'published-entries',
    enforce: 'pre',
    resolveId(name, importer = '') {
      if (!name.startsWith('.') || !importer.startsWith(`${root}/test/`)) return undefined
      const built = ENTRIES.get(relative(root, resolve(dirname(importer), name)))
      return built === undefined ? undefined : resolve(root, 'dist', built)
    },
  }
}

/** Runs the tests of the public entries against the published build, except those that import internals. */
export default defineConfig({
  root,
  plugins: [publishedEntries()],
  resolve: {
    alias: [
      { find: /^authgraph$/, replacement: resolve(root, 'dist/src/index.js') },
      { find: /^authgraph\/session\/node$/, replacement: resolve(root, 'dist/src/session/node/index.js') },
      { find: /^authgraph\/testing\/vitest$/, replacement: resolve(root, 'dist/src/testing/vitest.js') },
      {
        find: /^authgraph\/(auth|oidc|providers|service|session|terminal|testing)$/,
        replacement: resolve(root, 'dist/src/$1/index.js'),
      },
    ],
  },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    include: [
      'test/{app-jwt,auth,client,flow,guides,oidc,providers,service,session,testing}/**/*.test.{ts,tsx}',
    ],
    exclude: [
      // They start their own processes from the sources.
      'test/session/processes.test.ts',
      // They start servers, which takes long. The projects of the peers use both stores.
      'test/service/stores/{redis,sql}.test.ts',
      // A bundler cannot break the text of a page.
      'test/service/pages/**',
    ],
    globalSetup: resolve(root, 'test/support/fresh-build.ts'),
    testTimeout: 60_000,
    isolate: false,
    maxWorkers: 4,
  },
})
