import { createRequire } from 'node:module'
import { Command, CommanderError, Help, type Option } from 'commander'
import { exitCodeOf, USAGE_ERROR } from '../terminal/exit-codes.ts'
import { failure } from '../terminal/failure.ts'
import { visibleJson, wrapText } from '../terminal/writer.ts'
import { brokenOutput, cyan, layout, SILENT, WIDTH, watchOutput } from './command.ts'
import { CommandError, isFailure } from './command-error.ts'
import { textsOf } from './command-texts.ts'
import { errorWriter } from './print-error.ts'
import { usageError } from './usage-error.ts'

/** The commands by the headings of the help. Each is loaded when it is needed. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, () => Promise<Command>>>>> = {
  'Log in:': {
    login: async () => (await import('./commands/login.ts')).loginCommand(),
    status: async () => (await import('./commands/status.ts')).statusCommand(),
    switch: async () => (await import('./commands/switch.ts')).switchCommand(),
    token: async () => (await import('./commands/token.ts')).tokenCommand(),
    logout: async () => (await import('./commands/logout.ts')).logoutCommand(),
  },
  'Call APIs:': {
    api: async () => (await import('./commands/api.ts')).apiCommand(),
    jwt: async () => (await import('./commands/jwt.ts')).jwtCommand(),
    mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(),
    'git-credential': async () => (await import('./commands/git-credential.ts')).gitCredentialCommand(),
  },
  'See a login:': {
    demo: async () => (await import('./commands/demo.ts')).demoCommand(),
    replay: async () => (await import('./commands/replay.ts')).replayCommand(),
  },
  'Run and check services:': {
    serve: async () => (await import('./commands/serve.ts')).serveCommand(),
    check: async () => (await import('./commands/check.ts')).checkCommand(),
  },
  'More:': { completion: async () => (await import('./commands/completion.ts')).completionCommand() },
}

/** The first words that need no command. */
const NEED_NONE: readonly (string | undefined)[] = ['-V', '--version']

/**
 * What no argument may contain: tokens by their prefix, private keys, JWTs, and addresses with a password or a token. RSA
 * keys are also found without their first line. A password may contain a slash, but a port before a path is not a password.
 */
const SECRETS = new RegExp(
  [
    /gh[pousr]_\w{8}|github_pat_\w{8}|-----BEGIN|\bMII[\w+/]{3}IBA[\w+/]{40}|\beyJ[\w-]+\.eyJ[\w-]+\.|\baccess_token=/,
    /\/\/(?!\[)[^/?#:@\s]*:(?!\d+[/?#])[^@\s]*@/,
    /https?:\/\/[^/?#:@\s]{20,}@/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

/** What to do instead, if an option or an argument of a command contains a secret. */
const INSTEAD: Readonly<Record<string, string>> = {
  '--secret': 'use a file, - for standard input, or env:NAME for a variable',
  '--key': 'use a file, - for standard input, or env:NAME for a variable',
  '--jwt': 'use a file instead',
  '--tls-key': 'use a file instead',
  '--proxy': 'set HTTPS_PROXY instead',
  '--store': 'set AUTHGRAPH_STORE to a PostgreSQL or Redis address instead',
  jwt: 'pipe a JWT, as in authgraph jwt --decode < token.txt',
}

/** Runs the command of this process, and sets its exit code. */
export function runProgram(): void {
  watchOutput(report)
  // Errors thrown outside the command, such as by a listener.
  process.on('uncaughtException', (error) => process.exit(report(error)))
  void run(process.argv)
}

async function run(given: readonly string[]): Promise<void> {
  const isHelp = given[2] === 'help'
  // Like this, the help of an operation can be shown, too.
  const words = isHelp ? [...given.slice(0, 2), ...given.slice(3), '--help'] : given
  const program = await createProgram(words[2])
  const command = commandIn(program, words)
  try {
    refuseSecrets(words.slice(2), command)
    refuseMissingValues(words.slice(2), command.options)
    const { commands } = command
    // Otherwise, an unknown operation would be an argument.
    if (commands.length > 0 && words[2] === command.name() && /^[a-z]+$/.test(words[3] ?? ''))
      refuseUnknownCommand(command, words.slice(3, 4))
    if (isHelp && command !== program) refuseMore(command, words.slice(2))
    if (words.length === 2) program.outputHelp()
    else await program.parseAsync(words)
  } catch (error) {
    process.exitCode = report(error, command)
  }
}

/** Finds the command that words run. An operation, such as `mcp login`, is one, too. */
function commandIn(program: Command, words: readonly string[]): Command {
  const within = (found: Command, word: string) =>
    found.commands.find((each) => each.name() === word) ?? found
  return words.reduce(within, program)
}

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()
}

/**
 * Prints the error: as one line of JSON on standard output if the command was given `--json`. Help and version also arrive
 * as errors.
 */
function report(thrown: unknown, command = new Command('authgraph')): number {
  if (thrown === brokenOutput()) return 1
  const isOfCommander = thrown instanceof CommanderError
  if (isOfCommander && !thrown.message.startsWith('error: ')) return thrown.exitCode === 0 ? 0 : USAGE_ERROR
  const name = nameOf(command)
  const error = isOfCommander ? usageError(thrown.message, name, command) : thrown
  const { print } = errorWriter()
  if (isFailure(error)) {
    const { event, lines } = failure(error, textsOf(name, command.optsWithGlobals()))
    if (printsJson(command)) process.stdout.write(`${visibleJson(event)}\n`)
    else print(...lines)
    return exitCodeOf(error)
  }
  // Node would also print the line of source code, which in a bundle is the whole program.
  const trace =
    error instanceof Error ? (error.stack ?? error.message) : 'a value that is not an error was thrown'
  print('This is a bug in authgraph. Please report it with these lines:', ...trace.split('\n'))
  return 1
}

/** Not if standard output is what failed. */
function printsJson({ options }: Command): boolean {
  return process.argv.includes('--json') && options.some(({ long }) => long === '--json') && !brokenOutput()
}

/**
 * Declares the command line. Help, suggestions and completions derive from it.
 *
 * @param name The first word. If it is a command that needs no other, only that one is declared; for a version, none.
 */
export async function createProgram(name?: string): Promise<Command> {
  const program: Command = new Command('authgraph')
    .description(
      'Log in with the OAuth device flow, use the token, and run or check a service. ' +
        `Start with ${cyan('authgraph demo')}.`,
    )
    .option('-V, --version', 'show the version')
    .on('option:version', printVersion)
    .configureHelp({ ...layout, subcommandTerm: (command) => command.name(), formatHelp: commandsFirst })
    .helpOption('-h, --help', 'show this help')
    .addHelpText(
      'after',
      `\n${wrapText('Run any command with --help to see its options.', WIDTH).join('\n')}`,
    )
    .configureOutput(SILENT)
    .exitOverride()
  const groups = Object.entries(COMMANDS)
  const isKnown = groups.some(([, commands]) => Object.hasOwn(commands, name ?? ''))
  // Completions derive from all commands.
  const isOne = NEED_NONE.includes(name) || (isKnown && name !== 'completion')
  for (const [heading, commands] of groups) {
    program.commandsGroup(heading)
    for (const [each, load] of Object.entries(commands))
      if (!isOne || each === name) program.addCommand(await load())
  }
  program.helpCommand('help [command]', 'show the help of a command')
  // By default, help for an unknown command is the help of the program.
  return program.on('beforeAllHelp', () => refuseUnknownCommand(program, program.args))
}

function commandsFirst(self: Command, help: Help): string {
  const text = Help.prototype.formatHelp.call(help, self, help)
  return text.replace(/^(\S*Options:.*?\n)\n(.*)/ms, (_, options, commands) => `${commands}\n${options}`)
}

/**
 * Refuses secrets in arguments: every user of the machine can read the arguments of a running command, and the shell
 * saves them in its history. The error names the option, but does not quote its value.
 *
 * @throws {@link CommandError} with code `secret_in_argument`.
 */
function refuseSecrets(words: readonly string[], command: Command): void {
  const at = words.findIndex((word) => SECRETS.test(word))
  if (at === -1) return
  // Written as `--option value` or `--option=value`.
  const names = [words[at - 1], words[at]?.split('=')[0]]
  const isNamed = ({ required, optional, short, long }: Option) =>
    (required || optional) && names.some((name) => name && [short, long].includes(name))
  const { long } = command.options.find(isNamed) ?? {}
  throw new CommandError(
    'secret_in_argument',
    `${long ?? 'an argument'} must not contain a secret in clear text, which every user of this machine can read: ${INSTEAD[long ?? command.name()] ?? 'remove it'}`,
  )
}

/** Shows the error of an unknown command or operation. */
function refuseUnknownCommand(parent: Command, words: readonly string[]): void {
  const [name] = words.filter((word) => word !== 'help' && !word.startsWith('-'))
  if (name === undefined || parent.commands.some((command) => command.name() === name)) return
  const bare = new Command().copyInheritedSettings(parent)
  for (const command of parent.commands) bare.addCommand(command)
  bare.parse([name], { from: 'user' })
}

/** Refuses an option in place of the value of another one, as an unset variable leaves it: it would be the value. */
function refuseMissingValues(words: readonly string[], options: readonly Option[]): void {
  const find = (word: string | undefined) =>
    options.find(({ long, short }) => word !== undefined && [long, short].includes(word))
  for (const [index, word] of words.entries()) {
    const next = find(words[index + 1])
    if (find(word)?.required && next)
      throw new CommandError(
        'usage',
        `${word} requires a value, but ${next.long} follows: if the value is that of a variable, check that it is set`,
      )
  }
}

/** Refuses words behind the name of the command whose help is to be shown. */
function refuseMore(command: Command, words: readonly string[]): void {
  const expected = nameOf(command).split(' ').length - 1
  const given = words.filter((word) => !word.startsWith('-')).length
  if (given > expected)
    throw new CommandError('usage', `too many arguments: expected ${expected}, but got ${given}`)
}

/** Read on demand: reading package.json takes longer than everything else at startup. */
function printVersion(): never {
  const { version } = createRequire(import.meta.url)('authgraph/package.json') as { version: string }
  process.stdout.write(`${version}\n`)
  throw new CommanderError(0, 'commander.version', version)
}
