import { defineConfig } from 'vitest/config'
import { aliasesTo } from '../../build/entries.js'
import { extractGuides } from '../../build/extract-guides.js'

extractGuides()

/** Separate from the other tests, because these take minutes and need a browser. */
export default defineConfig({
  // The code of the guides names the package as its users do.
  resolve: { alias: aliasesTo('source') },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    include: ['test/browser/*.test.{ts,tsx}'],
    // The pages wait most of the time, so that more of them can be open than there are cores.
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a busy machine a browser renders late, so a failed test gets one retry, which the report shows.
    retry: process.env.CI ? 1 : 0,
  },
})
