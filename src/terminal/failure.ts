import { RefusedError } from '../errors.ts'
import type { Event } from './report.ts'
import type { Failure, TerminalTexts } from './texts.ts'
import { type Line, markedLine, styled } from './writer.ts'

/** Describes an error and what to do about it: an event for programs, and lines for users. */
export function failure(
  error: Failure,
  texts: Pick<TerminalTexts, 'message' | 'advice' | 'serviceSays'>,
): { readonly event: Event; readonly lines: readonly Line[] } {
  const message = texts.message(error)
  const advice = texts.advice(error)
  const { error: refusal, description } =
    [error, error.cause].find((each) => each instanceof RefusedError) ?? {}
  const mark = error.code === 'cancelled' ? styled('yellow', '●') : styled('red', '✗')
  const said = { error: refusal || undefined, description: description || undefined }
  return {
    event: { event: 'failed', code: error.code, message, ...said, advice: advice || undefined },
    lines: [
      markedLine(mark, message),
      ...(description ? [`  ${texts.serviceSays(description)}`] : []),
      ...(advice ? advice.split('\n').map((line) => `  ${line}`) : []),
    ],
  }
}
