import { type CheckReport, type CheckResult, tally } from '../../check/report.ts'
import { chapterOf } from '../../check/requirements.ts'
import type { ShownExchange } from '../../check/wire.ts'
import { type Line, type Styled, styled, type Writer, wrapText, writerTo } from '../../terminal/writer.ts'

type Unanswered = CheckResult & { readonly exchange: ShownExchange }

/** Shows the results of a check as they arrive, then a summary. */
export interface CheckReporter {
  /** @param host The host of the service. */
  begin(host: string): void
  result(result: CheckResult): void
  end(report: CheckReport): void
  /** Shows the failures and the counts of a check that was stopped. */
  stop(errors: Writer): void
}

const MARKS: Record<CheckResult['outcome'], Styled> = {
  passed: styled('green', '✓'),
  failed: styled('red', '✗'),
  advised: styled('yellow', '!'),
  'not applicable': styled('dim', '–'),
  'not checked': styled('yellow', '●'),
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
  const seen: CheckResult[] = []
  const stop = ({ print }: Writer) => {
    const stopped = ` Stopped: ${countsOf(tally(seen))}`
    print(...listed('Failed', 'failed', seen), '', ['  ', MARKS['not checked'], stopped])
  }
  if (json) {
    return {
      begin: () => undefined,
      result: (result) => void seen.push(result),
      stop,
      end: (report) => stream.write(`${JSON.stringify(report, undefined, 2)}\n`),
    }
  }
  const { print } = writerTo(stream, { color })
  const width = Math.max(stream.columns ?? WIDTH, LEAST_WIDTH)
  let chapter = ''
  return {
    begin: (host) => print('', ['  Checking ', styled('bold', host)], ['  ', styled('dim', SLOW)], ''),
    result: (result) => {
      const title = chapterOf(result.id)
      if (title !== chapter) print(...(seen.length > 0 ? [''] : []), ['  ', styled('bold', title)])
      seen.push(result)
      chapter = title
      print(...row(result, width))
    },
    stop,
    end: (report) => {
      print(
        // Once more, because the table is longer than a screen.
        ...listed('Failed', 'failed', seen),
        ...listed('Not checked', 'not checked', seen),
        '',
        bar(report, width),
        ...summary(report),
      )
    },
  }
}

/** Lists each failure, or each reason why something was not checked, once. */
function listed(title: string, outcome: 'failed' | 'not checked', results: readonly CheckResult[]): Line[] {
  const found = results.filter((result) => result.outcome === outcome)
  const texts = new Set(found.map((result) => (outcome === 'failed' ? headline(result) : result.detail)))
  const lines = [...texts].map((text): Line => ['  ', MARKS[outcome], ` ${text}`])
  return lines.length > 0 ? ['', ['  ', styled('bold', title)], ...lines] : []
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

/** What a failure is about: its requirement, or why there was no response. Without a request, the detail says whose fault it is. */
function headline(result: CheckResult): string {
  if (isUnanswered(result)) return result.exchange.response
  const { requirement, detail, exchange } = result
  return exchange ? requirement : `${requirement} (${detail})`
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
function bar(
  { passed, failed, advised, notApplicable, notChecked, results }: CheckReport,
  width: number,
): Line {
  const full = Math.min(BAR, width - INDENT)
  const part = (style: Styled['style'], block: string, count: number) =>
    styled(style, block.repeat(count && Math.max(1, Math.floor((count / results.length) * full))))
  return [
    '  ',
    part('green', '█', passed),
    part('red', '▓', failed),
    part('yellow', '▒', advised),
    part('dim', '░', notApplicable + notChecked),
  ]
}

function summary(report: CheckReport): Line[] {
  const { failed, dialect, requests } = report
  const named = dialect ? `, dialect ${dialect}` : ''
  return [
    ['  ', styled(failed === 0 ? 'green' : 'red', countsOf(report))],
    ['  ', styled('dim', `${requests} requests${named}`)],
  ]
}

function countsOf({ passed, failed, advised, notApplicable, notChecked }: ReturnType<typeof tally>): string {
  const left = notChecked > 0 ? `, ${notChecked} not checked` : ''
  return `${passed} passed, ${failed} failed, ${advised} advised, ${notApplicable} not applicable${left}`
}
