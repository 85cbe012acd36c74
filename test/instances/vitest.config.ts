import { defineConfig } from 'vitest/config'

/** Separate from the other tests, because these run many processes, other services, or thousands of situations and logins. */
export default defineConfig({
  test: {
    include: [
      'test/check/interop.test.ts',
      'test/instances/*.test.ts',
      'test/paths/product.test.ts',
      'test/session/processes.test.ts',
      'test/simulate/*.test.ts',
    ],
    // One file at a time: two would take the processor from each other's instances, which then refuse requests.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 30_000,
    retry: process.env.CI ? 1 : 0,
  },
})
