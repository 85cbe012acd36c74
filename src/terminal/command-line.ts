import { parseArgs } from 'node:util'

/** The commands of a login, with what the help says about each, and its options. */
const COMMANDS = {
  login: { summary: 'log in with a code that you enter in any browser', takes: ['scopes', 'json'] },
  logout: { summary: 'delete the login from this machine, and revoke its token', takes: [] },
  whoami: { summary: 'print who is logged in', takes: [] },
  token: { summary: 'print the access token, for scripts', takes: [] },
  status: { summary: 'show the user, the scopes, the expiry and where the login is stored', takes: ['json'] },
} as const

const OPTIONS = {
  scopes: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const REST_OF_HELP = `
Options:
  --scopes <list>  login: request these scopes, separated by commas
  --json           login, status: print JSON, for programs
  -h, --help       show this help

Exit codes:
  0    done
  1    failed, or nobody is logged in
  2    usage error
  3    the code expired
  4    denied by the user
  130  cancelled (Ctrl-C)`

/** The name of a command. */
type LoginCommandName = keyof typeof COMMANDS

/** What the words of a command line mean. */
export type CommandLine =
  | { readonly help: string }
  | { readonly misuse: string }
  | { readonly command: LoginCommandName; readonly scopes?: readonly string[]; readonly json: boolean }

/** Reads the words of a command line. */
export function readCommandLine(name: string, [word = 'help', ...rest]: readonly string[]): CommandLine {
  const help = { help: helpOf(name) }
  if (['help', '--help', '-h'].includes(word)) return help
  if (!isCommand(word)) return { misuse: `unknown command: use ${Object.keys(COMMANDS).join(', ')}` }
  try {
    const { values } = parseArgs({ args: rest, options: OPTIONS })
    const takes: readonly string[] = COMMANDS[word].takes
    if (values.help) return help
    const [wrong] = Object.keys(values).filter((option) => !takes.includes(option))
    if (wrong !== undefined) return { misuse: `${word} has no option --${wrong}` }
    const { scopes, json = false } = values
    return {
      command: word,
      json,
      ...(scopes !== undefined && { scopes: scopes.split(/[\s,]+/).filter((scope) => scope !== '') }),
    }
  } catch {
    // The error of Node quotes what may be a secret.
    return { misuse: `${word} has no such option or argument` }
  }
}

function isCommand(word: string): word is LoginCommandName {
  return Object.hasOwn(COMMANDS, word)
}

function helpOf(name: string): string {
  const lines = Object.entries(COMMANDS).map(
    ([command, { summary }]) => `  ${name} ${command.padEnd(7)} ${summary}`,
  )
  return ['Commands:', ...lines, REST_OF_HELP].join('\n')
}
