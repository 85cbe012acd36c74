import type { Option } from 'commander'
import { errorWriter, printError } from './print-error.ts'

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
  // A suggestion.
  [/^\((.*)\)$/m, '$1'],
  [/\.$/m, ''],
]

/**
 * Prints a usage error like all others.
 *
 * @param options Those of the command. Commander calls one that takes no value unknown if it has one.
 */
export function printUsageError(text: string, options: readonly Option[]): void {
  const [, name] = /^error: unknown option '(.*?)=/.exec(text) ?? []
  const said = options.some(({ long }) => long === name)
    ? `${name} takes no value`
    : TEXTS.reduce((all, [ofCommander, ofCommand]) => all.replace(ofCommander, ofCommand), text)
  const [message = '', ...advice] = said.trimEnd().split('\n')
  printError(message, ...advice.map((line) => `  ${line}`))
}

/** The line below a usage error. */
export function seeHelp(command: string): string {
  return errorWriter().render(`  See: ${command} --help`)
}
