import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { run, withSavedLogin } from '../saved-login.js'
import { filesThatRan } from './crossed-files.js'

// Prints the files that run for `authgraph token` when the token has expired.
const command = [...process.execArgv, resolve(import.meta.dirname, '../../../src/cli/main.ts')]
await withSavedLogin(command, 0, async ({ folder, env }) => {
  const coverage = join(folder, 'coverage')
  await run([...command, 'token'], { env: { ...env, NODE_V8_COVERAGE: coverage } })
  const reports = readdirSync(coverage).map((name) => JSON.parse(readFileSync(join(coverage, name), 'utf8')))
  process.stdout.write(JSON.stringify(filesThatRan(reports.flatMap(({ result }) => result))))
})
