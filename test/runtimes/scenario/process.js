import { runChecks } from './scenario.js'

process.stdout.write(`${JSON.stringify(await runChecks())}\n`)
