import type { CheckReport, CheckResult } from '../../check/report.ts'
import { chapterOf } from '../../check/requirements.ts'
import type { ShownExchange } from '../../check/wire.ts'
import { type Line, type Styled, styled, wrapText, writerTo } from '../../terminal/writer.ts'

type Unanswered = CheckResult & { readonly exchange: ShownExchange }

/** Shows the results of a check as they arrive, then a summary. */
export interface CheckReporter {
  /** @param host The host of the service. */
  begin(host: string): void
  result(result: CheckResult): void
  end(report: CheckReport): void
}

const MARKS: Record<CheckResult['outcome'], Styled> = {
  passed: styled('green', '✓'),
  failed: styled('red', '✗'),
  advised: styled('yellow', '!'),
  'not applicable': styled('dim', '–'),
}

/** Otherwise, it would seem to hang between two polls. */
const SLOW = 'This can take a few minutes: it polls at the pace of a device.'

/** Columns before the text, for the mark. */
const INDENT = 4

/** Columns of the longest source, with a gap before it. */
const SOURCE_WIDTH = 36

/** Columns from which sources get their own column. */
const WIDE = 110

/** Columns of a file, or of a terminal of unknown width. */
const WIDTH = 120

/** Columns to which a narrower terminal wraps the lines again. */
const LEAST_WIDTH = 20

/** Columns of the bar in the summary. */
const BAR = 48

/** Creates a reporter: JSON for programs, a table in chapters for users. */
export function checkReportTo(
  stream: NodeJS.WriteStream,
  { json, color }: { readonly json?: boolean; readonly color: boolean },
): CheckReporter {
  if (json) {
    return {
      begin: () => undefined,
      result: () => undefined,
      end: (report) => stream.write(`${JSON.stringify(report, undefined, 2)}\n`),
    }
  }
  const { print } = writerTo(stream, { color })
  const width = Math.max(stream.columns ?? WIDTH, LEAST_WIDTH)
  let rows = 0
  let chapter = ''
  return {
    begin: (host) => print('', ['  Checking ', styled('bold', host)], ['  ', styled('dim', SLOW)], ''),
    result: (result) => {
      const title = chapterOf(result.id)
      if (title !== chapter) print(...(rows > 0 ? [''] : []), ['  ', styled('bold', title)])
      rows += 1
      chapter = title
      print(...row(result, width))
    },
    end: (report) => {
      const failures = new Set(report.results.filter(({ outcome }) => outcome === 'failed').map(headline))
      // Once more, because the table is longer than a screen.
      if (failures.size > 0)
        print(
          '',
          ['  ', styled('bold', 'Failed')],
          ...[...failures].map((one): Line => ['  ', MARKS.failed, ` ${one}`]),
        )
      print('', bar(report, width), ...summary(report, report.results.length - rows))
    },
  }
}

/** A mark, the requirement, its source, the detail and, after a failure, the HTTP exchange. */
function row(result: CheckResult, width: number): Line[] {
  const { outcome, requirement, source, detail, exchange } = result
  const mark = MARKS[outcome]
  const room = width - INDENT
  if (isUnanswered(result)) return unanswered(result)
  const column = width < WIDE ? 0 : room - SOURCE_WIDTH
  const lines = wrapText(requirement, column || room)
  const last = (lines.pop() ?? '').padEnd(column)
  const fits = last.length + 2 + source.length <= room
  const text = (line: string) => (outcome === 'not applicable' ? styled('dim', line) : line)
  const where = styled('dim', source)
  return marked(mark, [
    ...lines.map((line) => [text(line)]),
    fits ? [text(last), '  ', where] : [text(last)],
    ...(fits ? [] : [[where]]),
    ...(detail ? [[styled(outcome === 'passed' ? 'dim' : mark.style, detail)]] : []),
    ...(outcome === 'failed' && exchange ? wire(exchange) : []),
  ])
}

/** Why which request had no response, then the requirement. */
function unanswered({ outcome, requirement, source, exchange }: Unanswered): Line[] {
  return marked(MARKS[outcome], [[exchange.response], [styled('dim', `${requirement} (${source})`)]])
}

/** What a result is about: its requirement, or why there was no response. */
function headline(result: CheckResult): string {
  return isUnanswered(result) ? result.exchange.response : result.requirement
}

/** Without a response, there is no status. */
function isUnanswered(result: CheckResult): result is Unanswered {
  const { exchange } = result
  return exchange !== undefined && !/^\d{3}(\n|$)/.test(exchange.response)
}

/** A mark before the first line, and room for it before the others. */
function marked(mark: Styled, [first = [], ...more]: readonly (readonly (string | Styled)[])[]): Line[] {
  return [
    ['  ', mark, ' ', ...first],
    ...more.map((line) => (line.length ? [' '.repeat(INDENT), ...line] : '')),
  ]
}

function wire({ request, response }: ShownExchange): Styled[][] {
  const lines = `${request}\n\n${response}\n`.replaceAll('\t', '  ').split('\n')
  return lines.map((line) => (line ? [styled('dim', `  ${line}`)] : []))
}

/** A bar of all results. Each outcome that occurs has at least one column. */
function bar({ passed, failed, advised, notApplicable, results }: CheckReport, width: number): Line {
  const full = Math.min(BAR, width - INDENT)
  const part = (style: Styled['style'], block: string, count: number) =>
    styled(style, block.repeat(count && Math.max(1, Math.floor((count / results.length) * full))))
  return [
    '  ',
    part('green', '█', passed),
    part('red', '▓', failed),
    part('yellow', '▒', advised),
    part('dim', '░', notApplicable),
  ]
}

/** @param left How many requirements the check did not reach. */
function summary(
  { passed, failed, advised, notApplicable, dialect, requests }: CheckReport,
  left: number,
): Line[] {
  const skipped = `${notApplicable - left} not applicable${left > 0 ? `, ${left} not checked` : ''}`
  const counts = `${passed} passed, ${failed} failed, ${advised} advised, ${skipped}`
  const named = dialect ? `, dialect ${dialect}` : ''
  return [
    ['  ', styled(failed === 0 ? 'green' : 'red', counts)],
    ['  ', styled('dim', `${requests} requests${named}`)],
  ]
}
