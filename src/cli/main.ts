#!/usr/bin/env node
import { createRequire } from 'node:module'

const HELP = `authgraph: OAuth device authorization as a state machine

Usage: authgraph <command> [options]

Commands:
  demo       Run a whole device authorization on this machine, and watch it

Options:
  --help     Show this help, or that of a command
  --version  Show the version
`

// A reader that has seen enough, such as `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(1)
})

const [command, ...args] = process.argv.slice(2)

switch (command) {
  case 'demo': {
    const { demo } = await import('./demo.ts')
    process.exitCode = await demo(args)
    break
  }
  case '--version':
    process.stdout.write(`${createRequire(import.meta.url)('authgraph/package.json').version}\n`)
    break
  case undefined:
  case '--help':
  case '-h':
    process.stdout.write(HELP)
    break
  default:
    process.stderr.write(`authgraph: there is no command "${command}". See: authgraph --help\n`)
    process.exitCode = 1
}
