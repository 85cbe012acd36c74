import { Command, Help } from 'commander'

/** Columns of the widest option that has its description beside it. */
const WIDEST = 24

const { formatItem, padWidth } = Help.prototype

/** Puts the description of a longer option below it, so that those of the others have room. */
const layout: Partial<Help> = {
  padWidth: (command, help) => Math.min(padWidth.call(help, command, help), WIDEST),
  formatItem: (term, width, description, help) =>
    term.length > width
      ? `  ${term}\n${formatItem.call(help, '', width, description, help)}`
      : formatItem.call(help, term, width, description, help),
}

/** What help says of a command. */
interface Described {
  readonly name: string
  /** A line for the list of commands. */
  readonly summary: string
  /** What it does, in a paragraph. */
  readonly description: string
  /** What each exit code means. 2, for words that were not understood, is added. */
  readonly exitCodes: Readonly<Record<number, string>>
  /** Whole command lines, with a backslash where one goes on in the next line. */
  readonly examples: readonly string[]
}

/** Declares a command. Its help, its errors and its completions are made of the declaration. */
export function command({ name, summary, description, exitCodes, examples }: Described): Command {
  const codes = Object.entries({ ...exitCodes, 2: 'wrong usage' })
  return new Command(name)
    .summary(summary)
    .description(description)
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .configureHelp(layout)
    .option('--no-color', 'print without colours, as the variable NO_COLOR does')
    .showHelpAfterError(`See: authgraph ${name} --help`)
    .addHelpText(
      'after',
      `\nExit codes:\n${codes.map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`).join('\n')}`,
    )
    .addHelpText(
      'after',
      `\nExamples:\n${examples.map((example) => `  ${example.replaceAll('\n', '\n      ')}`).join('\n')}`,
    )
}

/** Makes the action of a command of a function that answers the exit code. */
export function exitWith<Words extends unknown[]>(run: (...words: Words) => Promise<number>) {
  return async (...words: Words): Promise<void> => {
    process.exitCode = await run(...words)
  }
}
