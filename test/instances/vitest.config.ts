import { defineConfig } from 'vitest/config'

/** Tests that run many processes, separate from the others because each takes seconds. */
const PROCESSES = ['test/instances/*.test.ts', 'test/{mcp,session}/processes.test.ts']

/** Tests of thousands of situations and logins: minutes. */
const NIGHTLY = ['test/paths/product.test.ts', 'test/simulate/*.test.ts']

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'processes', include: PROCESSES } },
      { extends: true, test: { name: 'nightly', include: NIGHTLY } },
    ],
    // One file at a time: two would take the processor from each other's instances, which then refuse requests.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 30_000,
    retry: process.env.CI ? 1 : 0,
  },
})
