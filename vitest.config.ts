import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { aliasesTo } from './build/entries.js'
import { extractGuides } from './build/extract-guides.js'

/** These run the package as it is built, mostly in processes of their own. All others import the sources, and need no build. */
const BUILT_TESTS = [
  'test/documents.test.ts',
  'test/cli/**/*.test.ts',
  'test/app-jwt/built.test.ts',
  'test/docs/device-login.test.ts',
  'test/package/*.test.ts',
  'test/guides/protect-your-routes.test.ts',
  'test/guides/run-the-service.test.ts',
  'test/guides/test-your-login/app.test.ts',
  'test/guides/your-own-cli.test.ts',
  'test/testing/built.test.ts',
]

const TESTS = 'test/**/*.test.{ts,tsx}'
const ELSEWHERE = [
  '**/node_modules/**',
  'test/bench/**',
  'test/browser/**',
  'test/instances/**',
  'test/interop/**',
  'test/paths/product.test.ts',
  'test/runtimes/**',
  'test/{mcp,session}/processes.test.ts',
  'test/simulate/**',
]

/** The tests of the service also run over a store that responds a turn of the event loop later, as a database does. */
const OVER_A_STORE = [
  'test/service/**/*.test.ts',
  'test/hostile/{forged-approvals,guesses,requests}.test.ts',
  'test/paths/{service,family}.test.ts',
]

const laterStore: Plugin = {
  name: 'later-store',
  transform: (code, id) =>
    id.endsWith('/src/store/memory-store.ts')
      ? `${code.replace('export function memoryStore', 'function memoryStoreAtOnce')}
export function memoryStore(...options) {
  const store = memoryStoreAtOnce(...options)
  const later = () => new Promise((resolve) => setImmediate(resolve))
  const { update } = store
  return Object.assign(store, {
    update: async (...change) => {
      await later()
      return update(...change)
    },
  })
}`
      : undefined,
}

/** The same faults for several clients. */
const RACES = 'test/interop/failed-poll.test.ts'

/** They take longest, which neither their size says nor, as they load for seconds, what vitest remembers of them. */
const LONGEST = /\/test\/(paths\/[\w-]+|docs\/diagrams)\.test\.ts$/

/** The longest files first, and those that need a page last: a worker ends where the next file needs another environment. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rankOf = ({ moduleId }: TestSpecification) =>
      readFileSync(moduleId, 'utf8').startsWith('// @vitest-environment jsdom')
        ? 1
        : -Number(LONGEST.test(moduleId))
    const ranks = new Map(sorted.map((file) => [file, rankOf(file)]))
    return sorted.sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))
  }
}

extractGuides()

export default defineConfig({
  // The code of the guides names the package as its users do.
  resolve: {
    alias: aliasesTo('source'),
  },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'sources', include: [TESTS], exclude: [...ELSEWHERE, ...BUILT_TESTS] },
      },
      {
        extends: true,
        plugins: [laterStore],
        test: { name: 'later-store', include: OVER_A_STORE },
      },
      {
        extends: true,
        // All paths once more, with DPoP and a resource: `sources` walks only some of them so.
        test: {
          name: 'bound',
          include: ['test/paths/{device,service,family,session}.test.ts'],
          env: { WALKS: 'bound' },
        },
      },
      {
        extends: true,
        test: {
          name: 'interop',
          include: ['test/interop/*.test.ts'],
          exclude: [RACES],
          globalSetup: 'test/support/fresh-build.ts',
        },
      },
      {
        extends: true,
        // In a process of its own: time stops while any stream is read, and other packages leave some open.
        test: { name: 'races', include: [RACES], isolate: true },
      },
      {
        extends: true,
        test: {
          name: 'built',
          include: BUILT_TESTS,
          globalSetup: 'test/support/fresh-build.ts',
        },
      },
    ],
    // Nothing is measured here: a busy machine may take its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Many tests start programs and servers, for which a busy machine may leave too little time. The report shows a retry.
    retry: process.env.CI ? 1 : 0,
    sequence: { sequencer: LongestFirst },
    // No test leaves anything behind, so that one worker can run many files: loading the modules anew for each of them
    // took a quarter of the time.
    isolate: false,
    // More than two cores can run, since many tests wait for a service or a program.
    maxWorkers: 4,
  },
})
