import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The tests of what is mutated: without those of pages, of built files and of other packages. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['test/{machines,paths,testing,hostile,client,flow,service,app-jwt}/**/*.test.ts'],
    exclude: ['test/client/{inspect,svelte,vue}*.test.ts', 'test/app-jwt/built.test.ts'],
    // Two workers and their mutants share the machine: what is slow is not killed for that.
    testTimeout: 60_000,
  },
})
