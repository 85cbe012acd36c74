import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Separate from the other tests, because these take minutes and need a browser. */
export default defineConfig({
  // A guide's page, which names the package as its users do.
  resolve: { alias: { 'authgraph/service': resolve(import.meta.dirname, '../../src/service/index.ts') } },
  test: {
    include: ['test/browser/*.test.ts'],
    // The pages wait most of the time, so that more of them can be open than there are cores.
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a busy machine a browser renders late, so a failed test gets one retry, which the report shows.
    retry: process.env.CI ? 1 : 0,
  },
})
