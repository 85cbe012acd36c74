import { runChecks } from './scenario.js'

globalThis.checks = runChecks()
