import type { Option } from 'commander'
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

function quoteAdvice(command: string): string {
  const bare = BARE[command]
  return `Quote values that contain spaces${bare === undefined ? '' : `, and write ${bare}`}`
}

/**
 * Says a usage error of commander like all others.
 *
 * @param text What commander says. It calls an option unknown if it has a value and takes none, or stands before the command.
 * @param name The command that was to run.
 * @param options Those of the command.
 */
export function usageError(text: string, name: string, options: readonly Option[]): CommandError {
  const [, flag] = /^error: unknown option '(.*?)['=]/.exec(text) ?? []
  const option = options.find(({ long, short }) => flag && [long, short].includes(flag))
  if (!option) {
    const said = TEXTS.reduce((all, [from, to]) => all.replace(from, to), text)
    return new CommandError(
      'usage',
      said.startsWith('too many arguments') ? `${said}. ${quoteAdvice(name)}` : said,
    )
  }
  const isEarly = option.required || option.optional || !text.includes('=')
  return new CommandError(
    'usage',
    isEarly ? `${flag} must follow the command: ${name} ${flag}` : `${flag} takes no value`,
  )
}
