import { createRequire } from 'node:module'
import { Command, CommanderError } from 'commander'
import { apiCommand } from './commands/api.ts'
import { checkCommand } from './commands/check.ts'
import { completionCommand } from './commands/completion.ts'
import { demoCommand } from './commands/demo.ts'
import { gitCredentialCommand } from './commands/git-credential.ts'
import { jwtCommand } from './commands/jwt.ts'
import { loginCommand } from './commands/login.ts'
import { logoutCommand } from './commands/logout.ts'
import { serveCommand } from './commands/serve.ts'
import { statusCommand } from './commands/status.ts'
import { tokenCommand } from './commands/token.ts'

/** Declares the whole command line: help, did-you-mean and completions are made of it. */
export function createProgram(): Command {
  const program = new Command('authgraph')
    .description('OAuth device authorization as a state machine.')
    .option('-V, --version', 'show the version')
    .on('option:version', printVersion)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', '\nFor the options of a command: authgraph help COMMAND')
    .showHelpAfterError('See: authgraph --help')
    .exitOverride()
  const commands = [
    loginCommand(),
    statusCommand(),
    tokenCommand(),
    logoutCommand(),
    apiCommand(),
    jwtCommand(),
    gitCredentialCommand(),
    demoCommand(),
    serveCommand(),
    checkCommand(),
    completionCommand(),
  ]
  for (const command of commands) program.addCommand(command)
  return program
}

/** Looked up only where it is asked for: it takes longer than all the rest. */
function printVersion(): never {
  const { version } = createRequire(import.meta.url)('authgraph/package.json') as { version: string }
  process.stdout.write(`${version}\n`)
  throw new CommanderError(0, 'commander.version', version)
}
