/**
 * A sandbox as a fixture of Vitest.
 *
 * @module authgraph/testing/vitest
 */

import { test as base, type TestAPI } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from './sandbox/create-sandbox.ts'

/**
 * What a test is given.
 *
 * @group Sandbox
 */
export interface SandboxFixtures {
  /** Of the `sandbox`: set them for a group of tests with `test.override({ sandboxOptions: { … } })`. */
  readonly sandboxOptions: SandboxOptions
  /** A new one for each test, closed at its end. */
  readonly sandbox: Sandbox
}

/**
 * Vitest's `test`, with a `sandbox` of its own for each test.
 *
 * @group Sandbox
 */
export const test: TestAPI<SandboxFixtures> = base.extend<SandboxFixtures>({
  sandboxOptions: {},
  sandbox: async ({ sandboxOptions }, use) => {
    const sandbox = createSandbox(sandboxOptions)
    await use(sandbox)
    await sandbox.close()
  },
})
