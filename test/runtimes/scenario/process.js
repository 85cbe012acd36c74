import { runChecks } from './scenario.js'

const checks = await runChecks()
process.stdout.write(`${JSON.stringify(checks)}\n`, () => {
  // After success, nothing may keep the process alive.
  if (checks.some(({ problem }) => problem)) process.exit()
})
