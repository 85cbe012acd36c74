import { styleText } from 'node:util'
import type { CheckReport } from '../testing/check/check-service.ts'
import type { CheckResult } from '../testing/check/verdicts.ts'

/** Shows the results of a check as they come, and what they add up to. */
export interface CheckReporter {
  result(result: CheckResult): void
  end(report: CheckReport): void
}

type Style = Parameters<typeof styleText>[0]

const MARKS: Record<CheckResult['outcome'], { readonly mark: string; readonly style: Style }> = {
  passed: { mark: '✓', style: 'green' },
  failed: { mark: '✗', style: 'red' },
  'not applicable': { mark: '–', style: 'dim' },
}

/** Columns of the sources, the longest of them. */
const SOURCE_WIDTH = 34

/** Columns of a file, or of a terminal that does not say. */
const WIDTH = 120

/** Chooses the way: JSON for programs, a table for people. */
export function checkReportTo(
  stream: NodeJS.WriteStream,
  { json, color }: { readonly json?: boolean; readonly color: boolean },
): CheckReporter {
  if (json) {
    return {
      result: () => undefined,
      end: (report) => stream.write(`${JSON.stringify(report, undefined, 2)}\n`),
    }
  }
  const isColored = color && stream.isTTY && !process.env.NO_COLOR
  const paint = (style: Style, text: string) =>
    isColored ? styleText(style, text, { validateStream: false }) : text
  const width = Math.max((stream.columns ?? WIDTH) - SOURCE_WIDTH - 6, 30)
  let rows = 0
  return {
    result: (result) => {
      rows += 1
      stream.write(row(result, width, paint))
    },
    end: (report) => {
      const left = report.results.length - rows
      if (left > 0) stream.write(`  ${paint('dim', `– ${left} more, to which the check did not come`)}\n`)
      stream.write(summary(report, paint))
    },
  }
}

/** A mark, the requirement with what was found of it, and where it stands. */
function row(
  { outcome, requirement, source, detail, exchange }: CheckResult,
  width: number,
  paint: (style: Style, text: string) => string,
): string {
  const { mark, style } = MARKS[outcome]
  const [first = '', ...more] = wrap(requirement, width)
  const text = outcome === 'not applicable' ? paint('dim', first.padEnd(width)) : first.padEnd(width)
  const lines = [
    `  ${paint(style, mark)} ${text}  ${paint('dim', source)}`,
    ...more.map((line) => `    ${line}`),
    ...(detail
      ? wrap(detail, width).map((line) => `    ${paint(outcome === 'failed' ? 'red' : 'dim', line)}`)
      : []),
    ...(exchange ? indented(exchange.request, paint) : []),
    ...(exchange ? ['', ...indented(exchange.answer, paint), ''] : []),
  ]
  return `${lines.join('\n')}\n`
}

function indented(text: string, paint: (style: Style, text: string) => string): string[] {
  return text.split('\n').map((line) => (line === '' ? '' : `      ${paint('dim', line)}`))
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function summary(
  { passed, failed, notApplicable, habits, requests }: CheckReport,
  paint: (style: Style, text: string) => string,
): string {
  const counts = `${passed} passed, ${failed} failed, ${notApplicable} not applicable`
  const profile = habits ? `, profile ${habits}` : ''
  return `\n  ${paint(failed === 0 ? 'green' : 'red', counts)} (${requests} requests${profile})\n`
}
