import { defineConfig } from 'vitest/config'

/** Separate from the other tests, because these take minutes and need a browser. */
export default defineConfig({
  test: {
    include: ['test/browser/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a busy machine a browser renders late, so a failed test gets one retry, which the report shows.
    retry: process.env.CI ? 1 : 0,
  },
})
