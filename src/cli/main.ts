#!/usr/bin/env node

import { CommanderError } from 'commander'
import { isFailure } from './command-error.ts'
import { refuseSecrets } from './commands/refuse-secrets.ts'
import { createProgram } from './program.ts'
import { exitCodeOf, failure } from './terminal/failure.ts'
import { writerTo } from './terminal/writer.ts'

/** Words that were not understood. */
const WRONG_USAGE = 2

// A reader that has seen enough, such as `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(1)
})

run().catch((error) => {
  process.exitCode = report(error)
})

// Thrown where nobody waits for it, such as by who listens to a state.
process.on('uncaughtException', (error) => process.exit(report(error)))

async function run(): Promise<void> {
  refuseSecrets(process.argv)
  const program = createProgram()
  if (process.argv.length === 2) program.outputHelp()
  else await program.parseAsync()
}

/** Says what went wrong, unless the command line did. Help and version come as an error with code 0. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE
  const { print } = writerTo(process.stderr, { color: !process.argv.includes('--no-color') })
  if (isFailure(error)) {
    print(...failure(error, process.stderr).lines)
    return exitCodeOf(error)
  }
  // Without the line of the program that Node shows: of a bundle, it is all of it.
  const trace = error instanceof Error ? (error.stack ?? error.message) : 'no error was thrown'
  print('This is a mistake of authgraph. Please report it, with these lines:', ...trace.split('\n'))
  return 1
}
