import { defineConfig } from 'vitest/config'

/** Tests of many processes that share a login. They mostly wait. */
const PROCESSES = ['test/{mcp,session}/processes.test.ts']

/** Tests of a service with several instances. */
const INSTANCES = ['test/instances/*.test.ts']

/** Tests of thousands of situations and logins: minutes. */
const NIGHTLY = ['test/paths/product.test.ts', 'test/simulate/*.test.ts']

/** One file at a time, after the processes. */
const ALONE = { maxWorkers: 1, sequence: { groupOrder: 1 } }

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'processes', include: PROCESSES, maxWorkers: 2 } },
      // One file at a time: two would take the processor from each other's instances, which then refuse requests.
      { extends: true, test: { name: 'instances', include: INSTANCES, ...ALONE } },
      { extends: true, test: { name: 'nightly', include: NIGHTLY, ...ALONE } },
    ],
    testTimeout: 120_000,
    hookTimeout: 30_000,
    retry: process.env.CI ? 1 : 0,
  },
})
