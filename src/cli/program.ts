import { createRequire } from 'node:module'
import { Command, CommanderError } from 'commander'
import { layout } from './command.ts'
import { apiCommand } from './commands/api.ts'
import { checkCommand } from './commands/check.ts'
import { completionCommand } from './commands/completion.ts'
import { demoCommand } from './commands/demo.ts'
import { gitCredentialCommand } from './commands/git-credential.ts'
import { inspectCommand } from './commands/inspect.ts'
import { jwtCommand } from './commands/jwt.ts'
import { loginCommand } from './commands/login.ts'
import { logoutCommand } from './commands/logout.ts'
import { replayCommand } from './commands/replay.ts'
import { serveCommand } from './commands/serve.ts'
import { statusCommand } from './commands/status.ts'
import { switchCommand } from './commands/switch.ts'
import { tokenCommand } from './commands/token.ts'

/** Declares the whole command line. Help, suggestions and completions derive from it. */
export function createProgram(): Command {
  const program = new Command('authgraph')
    .description('Log in with the OAuth device flow, use the token, and run or check a service.')
    .option('-V, --version', 'show the version')
    .on('option:version', printVersion)
    .configureHelp({ ...layout, subcommandTerm: (command) => command.name() })
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', '\nRun any command with --help to see its options.')
    .showHelpAfterError('See: authgraph --help')
    .exitOverride()
  const groups = {
    'Log in:': [loginCommand(), statusCommand(), switchCommand(), tokenCommand(), logoutCommand()],
    'Call APIs:': [apiCommand(), jwtCommand(), gitCredentialCommand()],
    'See a login:': [demoCommand(), replayCommand(), inspectCommand()],
    'Run and check services:': [serveCommand(), checkCommand()],
    'More:': [completionCommand()],
  }
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading)
    for (const command of commands) program.addCommand(command)
  }
  program.helpCommand('help [command]', 'show the help of a command')
  program.hook('preAction', async (_, { options }) => {
    // Only commands with this option use logins.
    if (options.some(({ long }) => long === '--profile'))
      await (await import('./storage/earlier-logins.ts')).moveEarlierLogins()
  })
  return program.on('beforeAllHelp', () => refuseUnknownCommand(program))
}

/** Shows the error of an unknown command: by default, help for one is the help of the program. */
function refuseUnknownCommand(program: Command): void {
  const [name] = program.args.filter((word) => word !== 'help' && !word.startsWith('-'))
  if (name !== undefined && !program.commands.some((command) => command.name() === name))
    program.parse([name], { from: 'user' })
}

/** Read on demand: reading package.json takes longer than everything else at startup. */
function printVersion(): never {
  const { version } = createRequire(import.meta.url)('authgraph/package.json') as { version: string }
  process.stdout.write(`${version}\n`)
  throw new CommanderError(0, 'commander.version', version)
}
