import { type Line, markedLine, styled, type Writer, writerTo } from '../terminal/writer.ts'

/** A writer to standard error, without colors if the user chose none. */
export function errorWriter(): Writer {
  return writerTo(process.stderr, { color: !process.argv.includes('--no-color') })
}

/** Prints a warning behind its mark. */
export function printWarning(message: string): void {
  errorWriter().print(markedLine(styled('yellow', '!'), message))
}

/** Prints an error behind the mark of all errors, then further lines. */
export function printError(message: string, ...more: readonly Line[]): void {
  errorWriter().print(markedLine(styled('red', '✗'), message), ...more)
}
