import { defineConfig } from 'vitest/config'

/** Separate from the other tests, because these run many processes, or thousands of logins. */
export default defineConfig({
  test: {
    include: ['test/instances/*.test.ts', 'test/session/processes.test.ts', 'test/simulate/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 30_000,
  },
})
