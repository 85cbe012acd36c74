import { createRequire } from 'node:module'
import { Command } from 'commander'
import { checkCommand } from './commands/check.ts'
import { completionCommand } from './commands/completion.ts'
import { demoCommand } from './commands/demo.ts'
import { serveCommand } from './commands/serve.ts'

/** Declares the whole command line: help, did-you-mean and completions are made of it. */
export function createProgram(): Command {
  const { version } = createRequire(import.meta.url)('authgraph/package.json') as { version: string }
  const program = new Command('authgraph')
    .description('OAuth device authorization as a state machine.')
    .version(version, '--version', 'show the version')
    .helpOption('-h, --help', 'show this help, or that of a command')
    .helpCommand(false)
    .addHelpText('after', '\nEach command has a help of its own: authgraph COMMAND --help')
    .showHelpAfterError('See: authgraph --help')
    .exitOverride()
  for (const command of [demoCommand(), serveCommand(), checkCommand(), completionCommand()])
    program.addCommand(command)
  return program
}
