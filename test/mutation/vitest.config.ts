import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { aliasesTo } from '../../build/entries.js'

const root = resolve(import.meta.dirname, '../..')

export default defineConfig({
  root,
  resolve: {
    alias: aliasesTo('source'),
  },
  test: {
    include: ['test/mutation/resident.test.js'],
    runner: 'test/mutation/test-runner.js',
    pool: 'threads',
    maxWorkers: 1,
    isolate: false,
    // Most mutants that hang fail here, before Stryker has to restart the process.
    testTimeout: 12_000,
    hookTimeout: 12_000,
  },
})
