import { RefusedError } from '../errors.ts'
import type { Event } from './report.ts'
import type { Failure, TerminalTexts } from './texts.ts'
import { type Line, styled, wrapWords } from './writer.ts'

/** Columns before a line: for the mark, and for the indent of a report in a terminal. */
const INDENT = 4

/** Columns of a line in the narrowest terminal, and in a file or a pipe. */
const LEAST_LINE = 20
const LONGEST_LINE = 10_000

/**
 * Describes an error and what to do about it: an event for programs, and lines for users.
 *
 * @param stream The target of the lines, which are wrapped between words at its width.
 */
export function failure(
  error: Failure,
  { columns = LONGEST_LINE }: { readonly columns?: number },
  texts: Pick<TerminalTexts, 'message' | 'advice' | 'serviceSays'>,
): { readonly event: Event; readonly lines: readonly Line[] } {
  const fitting = (text: string) => wrapWords(text, Math.max(columns - INDENT, LEAST_LINE))
  const message = texts.message(error)
  const advice = texts.advice(error)
  const { error: refusal, description } = error instanceof RefusedError ? error : {}
  return {
    event: {
      event: 'failed',
      code: error.code,
      message,
      ...(refusal && { error: refusal }),
      ...(description && { description }),
      ...(advice && { advice }),
    },
    lines: [
      ...fitting(message).map(
        (line, index): Line => (index === 0 ? [styled('red', '✗'), ` ${line}`] : `  ${line}`),
      ),
      ...(description ? fitting(texts.serviceSays(description)) : []).map((line) => `  ${line}`),
      ...(advice ? advice.split('\n').flatMap(fitting) : []).map((line) => `  ${line}`),
    ],
  }
}
