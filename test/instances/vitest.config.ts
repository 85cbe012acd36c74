import { defineConfig } from 'vitest/config'

/** Separate from the other tests, because these take most of a minute. */
export default defineConfig({
  test: { include: ['test/instances/*.test.ts'], testTimeout: 120_000, hookTimeout: 30_000 },
})
