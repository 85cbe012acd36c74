import type { Command } from 'commander'
import { distance } from '../assert-known.ts'
import { CommandError } from './command-error.ts'

/**
 * What commander says, and what the command line says instead. Values are not quoted: an error is often in the log of a CI
 * job, and a value may contain a password or a token.
 */
const TEXTS: readonly (readonly [ofCommander: RegExp, ofCommand: string])[] = [
  [/^error: /, ''],
  [/(?<!unknown )option '(?:-\w, )?(--[\w-]+)[^']*'/g, '$1'],
  [/^(--[\w-]+) argument missing/, '$1 requires a value'],
  [/^(--[\w-]+) argument '.*' is invalid/s, 'invalid value for $1'],
  [/^command-argument value '.*' is invalid for argument '(\w+)'/s, 'invalid value for <$1>'],
  [/^missing required argument '(.*)'/, 'missing argument <$1>'],
  [
    /^too many arguments.*\. Expected (\d+) arguments? but got (\d+)\./,
    'too many arguments: expected $1, but got $2',
  ],
  [/^unknown option '([^=]*)=.*'/s, "unknown option '$1'"],
  [/'(.*?)'(?=[ .]|$)/gm, '"$1"'],
  [/\n\(Did (you mean .*)\)$/, ': did $1'],
  [/\.$/, ''],
  [/^--resume cannot be used with .*/, '$&: an unfinished login keeps its options, and --profile chooses it'],
]

/** The example in the errors of commands for MCP servers. */
export const SERVER_URL = 'https://mcp.example.com/mcp'

/** Letters by which a name that is suggested may differ: more is another word. */
const NEAR = 2

/** What is often written without its option. */
const BARE: Readonly<Record<string, string>> = {
  'authgraph api': '--method before a method',
  'authgraph login': '--host before a host',
  'authgraph logout': '--profile before a profile',
  'authgraph serve': '--port before a port',
  'authgraph status': '--profile before a profile',
  'authgraph switch': '--profile before a profile',
  'authgraph token': '--profile before a profile',
}

/** What other programs call commands. */
const OTHER_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['auth', ['login', 'status', 'token']],
  ['list', ['status']],
  ['refresh', ['token']],
  ['signin', ['login']],
  ['signout', ['logout']],
  ['whoami', ['status']],
])

/** Names the option before the first unexpected word, but not the word, which may be a secret. */
function tooMany(said: string, name: string, { args, options, registeredArguments }: Command): string {
  const bare = BARE[name]
  const [first = ''] = args.slice(registeredArguments.length)
  const option = options.find(
    ({ long, short, required }) =>
      required &&
      process.argv.some((word, index, words) =>
        [long, short].includes(word)
          ? words[index + 2] === first
          : word.startsWith(`${long}=`) && words[index + 1] === first,
      ),
  )
  if (!option && registeredArguments.length === 0)
    return `this command takes no arguments${bare === undefined ? '' : `: write ${bare}`}`
  const start = option ? `unexpected argument after ${option.long}` : said
  return `${start}. Quote values that contain spaces${bare === undefined ? '' : `, and write ${bare}`}`
}

/**
 * Says a usage error of commander like all others.
 *
 * @param text What commander says. It calls an option unknown if it has a value and takes none, or stands before the command.
 * @param name The full name of the command.
 * @param command The command that was to run.
 */
export function usageError(text: string, name: string, command: Command): CommandError {
  const { options } = command
  const [, flag] = /^error: unknown option '(.*?)['=]/.exec(text) ?? []
  const option = options.find(({ long, short }) => flag && [long, short].includes(flag))
  if (!option) {
    const said = TEXTS.reduce((all, [from, to]) => all.replace(from, to), withSuggestion(text, command))
    if (said.startsWith('too many arguments')) return new CommandError('usage', tooMany(said, name, command))
    if (name === 'authgraph mcp' && /^unknown command "\w+"$/.test(said))
      return new CommandError('usage', `${said}: write a server as its URL, such as ${SERVER_URL}`)
    const missing = command.registeredArguments.find(
      (argument) => said === `missing argument <${argument.name()}>`,
    )
    return new CommandError(
      'usage',
      missing ? `${said}: ${command.createHelp().argumentDescription(missing)}` : said,
    )
  }
  const isEarly = option.required || option.optional || !text.includes('=')
  return new CommandError(
    'usage',
    isEarly ? `${flag} must follow the command: ${name} ${flag}` : `${flag} takes no value`,
  )
}

/** Commander suggests the nearest name, however far, which for `--clint` is `--print`. The first three letters tell more. */
function withSuggestion(text: string, command: Command): string {
  const { options, commands, parent } = command
  const [, word = ''] = /^error: unknown (?:command|option) '(.*?)['=]/s.exec(text) ?? []
  const [suggested = '', first = ''] = /\n\(Did you mean (?:one of )?([\w-]+).*\)$/.exec(text) ?? []
  const bare = text.slice(0, text.length - suggested.length)
  const others = OTHER_NAMES.get(word) ?? []
  // Of `auth status`, status is the command.
  const meant = others.includes(command.name()) ? [command.name()] : others
  const alike = [
    ...options.flatMap(({ long, short }) =>
      (word.length >= 5 && long?.startsWith(word.slice(0, 5))) || word.toUpperCase() === short
        ? (long ?? [])
        : [],
    ),
    ...[...commands, ...(parent?.commands ?? [])]
      .map((each) => each.name())
      .filter((name) => meant.includes(name)),
  ]
  if (alike.length === 0) return distance(word, first) > NEAR ? bare : text
  const nearest = alike.filter((name) => suggested.includes(name))
  const all = nearest.length > 0 ? nearest : alike
  const names = all.length > 1 ? `one of ${all.join(', ')}` : all[0]
  return `${bare}\n(Did you mean ${names}?)`
}
