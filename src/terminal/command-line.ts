import { parseArgs } from 'node:util'
import { suggest } from '../assert-known.ts'

/** The commands of a login, with what the help says about each, and its options. */
const COMMANDS = {
  login: { summary: 'log in with a code that you enter in any browser', takes: ['scopes', 'json'] },
  logout: { summary: 'delete the login from this machine, and revoke its token', takes: [] },
  whoami: { summary: 'print who is logged in', takes: [] },
  token: { summary: 'print the access token, for scripts', takes: [] },
  status: { summary: 'show the user, the scopes, the expiry and where the login is stored', takes: ['json'] },
} as const

const OPTIONS = {
  scopes: { type: 'string', short: 's', multiple: true },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const REST_OF_HELP = `
Options:
  -s, --scopes <list>  login: request these scopes; repeat, or separate with commas
  --json               login, status: print JSON, for programs
  -h, --help           show this help

Exit codes:
  0    done
  1    failed, or nobody is logged in
  2    usage error
  3    the code expired
  4    denied by the user
  129  cancelled (SIGHUP)
  130  cancelled (Ctrl-C)
  143  cancelled (SIGTERM)`

/** What may be a misspelt word. A secret is longer, or has digits. */
const WORD = /^-*[a-z][a-z-]{0,15}$/i

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
  if (!isCommand(word)) return { misuse: unknown('unknown command', word, Object.keys(COMMANDS)) }
  const takes: readonly string[] = [...COMMANDS[word].takes, 'help']
  const { values, tokens } = parseArgs({ args: [...rest], options: OPTIONS, strict: false, tokens: true })
  if (values.help) return help
  for (const token of tokens) {
    if (token.kind !== 'option') return { misuse: `the command ${word} takes no argument` }
    const { name, rawName, value } = token
    const known = takes.map((one) => `--${one}`)
    if (!takes.includes(name)) return { misuse: unknown(`unknown option of ${word}`, rawName, known) }
    const isText = name === 'scopes'
    if (isText !== (value !== undefined))
      return { misuse: `${rawName} of ${word} ${isText ? 'needs a value' : 'takes no value'}` }
  }
  const { scopes, json } = values
  return {
    command: word,
    json: json === true,
    ...(Array.isArray(scopes) && {
      scopes: scopes
        .join(',')
        .split(/[\s,]+/)
        .filter((scope) => scope !== ''),
    }),
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

/** Quotes a word only if it cannot be a secret. */
function unknown(what: string, word: string, known: readonly string[]): string {
  return `${what}${WORD.test(word) ? ` "${word}"` : ''}${suggest(word, known)}`
}
