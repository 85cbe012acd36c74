/**
 * The sandbox as a Vitest fixture. Start with {@link test}.
 *
 * @module authgraph/testing/vitest
 */

import { test as base, type TestAPI } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from './sandbox/create-sandbox.ts'

/** The fixtures of a test. */
export interface SandboxFixtures {
  /** Options of the `sandbox`. Set them for a group of tests with `test.override({ sandboxOptions: { … } })`. */
  readonly sandboxOptions: SandboxOptions
  /** A new sandbox for each test, closed at its end. */
  readonly sandbox: Sandbox
}

/** Vitest's `test`, with a new `sandbox` for each test. */
export const test: TestAPI<SandboxFixtures> = base.extend<SandboxFixtures>({
  sandboxOptions: {},
  sandbox: async ({ sandboxOptions }, use) => {
    const sandbox = createSandbox(sandboxOptions)
    await use(sandbox)
    await sandbox.close()
  },
})
