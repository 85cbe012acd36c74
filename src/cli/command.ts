import { styleText } from 'node:util'
import { Command, Help, type Option, type OutputConfiguration } from 'commander'
import { isHolding } from '../session/node/hold-signals.ts'
import { wrapText } from '../terminal/writer.ts'
import { CommandError } from './command-error.ts'
import { fileProblem } from './files.ts'

const { formatHelp, formatItem, padWidth } = Help.prototype

const plain = new Help()

/** The options that every command has. They stand last. */
const COMMON = ['--no-color', '--help']

/** Columns of a line of help. */
export const WIDTH = Math.min(process.stdout.columns || 80, 80)

/** Columns of the widest option whose description stands beside it. */
const WIDEST = Math.floor(WIDTH * 0.3)

/** The program reports usage errors like all others, once they are thrown. */
export const SILENT: OutputConfiguration = { outputError: () => undefined }

/** The errors of a reader, such as `head`, or of a terminal that has gone: nobody is left to tell. */
const GONE: readonly unknown[] = ['EPIPE', 'EIO']

let broken: NodeJS.ErrnoException | undefined
let mustFinish = false

const bold = (title: string) => styleText('bold', title, { validateStream: false })

export const cyan = (term: string) => styleText('cyan', term, { validateStream: false })

/**
 * Lays out the help of every command: long lines are hard to read, even in a wide terminal. Without colors, commander
 * removes the styles.
 */
export const layout: Partial<Help> = {
  styleTitle: bold,
  styleSubcommandTerm: cyan,
  styleOptionTerm: cyan,
  helpWidth: WIDTH,
  minWidthToWrap: 20,
  // The description of a longer option goes below it, so that the other descriptions have room.
  padWidth: (command, help) => Math.min(padWidth.call(help, command, help), WIDEST),
  formatItem: (term, width, description, help) =>
    help.displayWidth(term) > width
      ? `  ${term}\n${formatItem.call(help, '', width, description, help)}`
      : formatItem.call(help, term, width, description, help),
  visibleOptions: (command) => {
    const options = plain.visibleOptions(command)
    const isCommon = ({ long }: Option) => COMMON.includes(long ?? '')
    return [...options.filter((option) => !isCommon(option)), ...options.filter(isCommon)]
  },
  groupItems: (_, visible, groupOf) => plain.groupItems(visible, visible, groupOf),
  optionDescription: (option) => joined(option.description, plain.optionDescription(option)),
  argumentDescription: (argument) => joined(argument.description, plain.argumentDescription(argument)),
}

/** One pair of brackets holds what the description and the declaration say. */
function joined(description: string, described: string): string {
  const declared = described.slice(description.length).replaceAll('"', '')
  return (description + declared.replace(/, (default|env):/g, '; $1:')).replace(') (', '; ')
}

/** What the help says about a command. */
export interface Described {
  /** Behind that of the command to which it belongs, if there is one. */
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** A paragraph. */
  readonly description: string
  /** The meaning of each exit code. 2, for usage errors, is added. */
  readonly exitCodes: Readonly<Record<number, string>>
  /** Complete command lines; a backslash continues one on the next line. */
  readonly examples: readonly string[]
}

/** Declares a command. Help, usage errors and completions derive from the declaration. */
export function command({ name, summary, description, exitCodes, examples }: Described): Command {
  const codes = Object.entries({ ...exitCodes, 2: 'usage error' })
  const shown = `${bold('Examples:')}\n${examples.map((example) => `  ${example.replaceAll('\n', '\n      ')}`).join('\n')}`
  const self = new Command(name.split(' ').at(-1))
  return self
    .summary(summary)
    .description(description)
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .configureHelp({
      ...layout,
      formatHelp: (_, help) => formatHelp.call(help, self, help).replace('\n\n', () => `\n\n${shown}\n\n`),
    })
    .option('--no-color', 'disable colors, like the variable NO_COLOR')
    .configureOutput(SILENT)
    .addHelpText('after', `\n${bold('Exit codes:')}\n${codes.map(exitCodeLines).join('\n')}`)
}

function exitCodeLines([code, meaning]: readonly [code: string, meaning: string]): string {
  return wrapText(meaning, WIDTH - 7)
    .map((line, index) => `  ${(index === 0 ? code : '').padEnd(5)}${line}`)
    .join('\n')
}

/** Turns a function that returns the exit code into the action of a command. */
export function exitWith<Words extends unknown[]>(run: (...words: Words) => Promise<number>) {
  return async (...words: Words): Promise<void> => {
    process.exitCode = await run(...words)
  }
}

/**
 * Treats standard output alike for all commands: a command ends when its output can no longer be written. One that stores
 * or deletes tokens, or is refreshing one, finishes first.
 *
 * @param report Prints an error at the end, and returns the exit code. Nothing is printed if the reader has gone.
 */
export function watchOutput(report: (error: CommandError) => number): void {
  process.stdout.on('error', (error) => {
    broken = error
    if (!mustFinish && !isHolding()) process.exit(1)
  })
  // There is nowhere left to report it.
  process.stderr.on('error', () => undefined)
  process.on('exit', (code) => {
    if (broken === undefined || GONE.includes(broken.code)) return
    const error = new CommandError(
      'unusable_output',
      `standard output cannot be written (${fileProblem(broken)})`,
    )
    process.exitCode = Math.max(code, report(error))
  })
}

/** From now on, the command continues without its output. */
export function finishWithoutOutput(): void {
  mustFinish = true
}

/** The error after which standard output can no longer be written. */
export function brokenOutput(): NodeJS.ErrnoException | undefined {
  return broken
}

/** Writes a text to standard output. Resolves to whether that was possible. */
export function tryToPrint(text: string): Promise<boolean> {
  return new Promise((resolve) => process.stdout.write(text, (error) => resolve(!error)))
}
