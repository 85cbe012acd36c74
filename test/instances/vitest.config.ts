import { defineConfig } from 'vitest/config'

/** Apart from the other tests, since these take most of a minute. */
export default defineConfig({
  test: { include: ['test/instances/*.test.ts'], testTimeout: 120_000, hookTimeout: 30_000 },
})
