import { rmSync } from 'node:fs'
import { install } from '../support/install.js'
import { installPackage } from './install-package.js'
import { readChecks } from './read-checks.js'

install(import.meta.dirname)
// Imported after the installation, which these need.
const { bun, deno, node20, node24 } = await import('./runtimes/processes.js')
const { chromium } = await import('./runtimes/chromium.js')
const { workerd } = await import('./runtimes/workerd.js')
const runtimes = [node20, node24, bun, deno, workerd, chromium]

const folder = installPackage()
const problems = []
try {
  for (const runtime of runtimes) {
    const { version, checks, problem } = await outcomeOf(runtime)
    const outcome = problem ? 'failed' : `passed (${checks.length} checks)`
    process.stdout.write(`${runtime.name.padEnd(12)} ${version.padEnd(16)} ${outcome}\n`)
    if (problem) problems.push(`\n${runtime.name}: ${problem}\n`)
  }
} finally {
  rmSync(folder, { recursive: true })
}

process.stderr.write(problems.join(''))
process.stdout.write(`\n${runtimes.length - problems.length} passed, ${problems.length} failed\n`)
process.exitCode = problems.length === 0 ? 0 : 1

/** A runtime that is missing, crashes or prints nothing has failed. */
async function outcomeOf(runtime) {
  let version = 'missing'
  try {
    version = await runtime.version(folder)
    const checks = readChecks(await runtime.run(folder))
    const failed = checks.filter(({ problem }) => problem)
    return { version, checks, problem: failed.map(({ name, problem }) => `${name}: ${problem}`).join('\n') }
  } catch (error) {
    return { version, checks: [], problem: error.stack }
  }
}
