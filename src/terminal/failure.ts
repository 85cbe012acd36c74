import { RefusedError } from '../errors.ts'
import type { Event } from './report.ts'
import type { Failure, TerminalTexts } from './texts.ts'
import { type Line, markedLines, styled, wrapFor } from './writer.ts'

/**
 * Describes an error and what to do about it: an event for programs, and lines for users.
 *
 * @param stream The target of the lines, which are wrapped between words at its width.
 */
export function failure(
  error: Failure,
  stream: { readonly columns?: number },
  texts: Pick<TerminalTexts, 'message' | 'advice' | 'serviceSays'>,
): { readonly event: Event; readonly lines: readonly Line[] } {
  const fitting = (text: string) => wrapFor(stream, text)
  const message = texts.message(error)
  const advice = texts.advice(error)
  const { error: refusal, description } = error instanceof RefusedError ? error : {}
  const mark = error.code === 'cancelled' ? styled('yellow', '●') : styled('red', '✗')
  const said = { error: refusal || undefined, description: description || undefined }
  return {
    event: { event: 'failed', code: error.code, message, ...said, advice: advice || undefined },
    lines: [
      ...markedLines(mark, message, stream),
      ...(description ? fitting(texts.serviceSays(description)) : []).map((line) => `  ${line}`),
      ...(advice ? advice.split('\n').flatMap(fitting) : []).map((line) => `  ${line}`),
    ],
  }
}
