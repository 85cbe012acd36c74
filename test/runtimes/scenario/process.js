import { runChecks } from './scenario.js'

const checks = await runChecks()
process.stdout.write(`${JSON.stringify(checks)}\n`, () => {
  // Where all went well, nothing is left that keeps the process alive.
  if (checks.some(({ problem }) => problem)) process.exit()
})
