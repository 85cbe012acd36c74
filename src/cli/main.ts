#!/usr/bin/env node

import { CommanderError } from 'commander'
import { exitCodeOf } from '../terminal/exit-codes.ts'
import { failure } from '../terminal/failure.ts'
import { writerTo } from '../terminal/writer.ts'
import { isFailure } from './command-error.ts'
import { commandTexts } from './command-texts.ts'
import { createProgram, refuseSecrets } from './program.ts'
import { brokenOutput, watchOutput } from './standard-output.ts'

const USAGE_ERROR = 2

watchOutput(report)

run().catch((error) => {
  process.exitCode = report(error)
})

// Errors thrown outside any promise, such as by a listener.
process.on('uncaughtException', (error) => process.exit(report(error)))

async function run(): Promise<void> {
  refuseSecrets(process.argv)
  const program = await createProgram(process.argv[2])
  if (process.argv.length === 2) program.outputHelp()
  else await program.parseAsync()
}

/** Prints the error unless commander has. Help and version arrive as an error with exit code 0. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR
  if (error === brokenOutput()) return 1
  const { print } = writerTo(process.stderr, { color: !process.argv.includes('--no-color') })
  if (isFailure(error)) {
    print(...failure(error, process.stderr, commandTexts).lines)
    return exitCodeOf(error)
  }
  // Node would also print the line of source code, which in a bundle is the whole program.
  const trace =
    error instanceof Error ? (error.stack ?? error.message) : 'a value that is not an error was thrown'
  print('This is a bug in authgraph. Please report it with these lines:', ...trace.split('\n'))
  return 1
}
