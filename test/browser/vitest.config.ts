import { defineConfig } from 'vitest/config'

/** Apart from the other tests, since these take minutes, and a browser. */
export default defineConfig({
  test: {
    include: ['test/browser/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A browser draws when it can: where the machine is busy, a test gets a second try, which the report names.
    retry: process.env.CI ? 1 : 0,
  },
})
