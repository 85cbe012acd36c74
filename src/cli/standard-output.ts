import { isHolding } from '../session/node/hold-signals.ts'
import { CommandError } from './command-error.ts'

/** The errors of a reader, such as `head`, or of a terminal that has gone: nobody is left to tell. */
const GONE: readonly unknown[] = ['EPIPE', 'EIO']

let broken: NodeJS.ErrnoException | undefined
let mustFinish = false

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
    const error = new CommandError('unusable_output', `standard output cannot be written (${broken.code})`)
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
