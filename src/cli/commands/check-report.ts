import type { CheckReport, CheckResult } from '../../check/report.ts'
import { chapterOf } from '../../check/requirements.ts'
import type { ShownExchange } from '../../check/wire.ts'
import { type Line, type Styled, styled, wrapWords, writerTo } from '../../terminal/writer.ts'

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
  const width = Math.max(stream.columns ?? WIDTH, 40)
  let rows = 0
  let chapter = ''
  return {
    begin: (host) =>
      print(
        '',
        ['  Checking ', styled('bold', host)],
        ...wrapWords(SLOW, width - 2).map((line): Line => ['  ', styled('dim', line)]),
      ),
    result: (result) => {
      rows += 1
      const title = chapterOf(result.id)
      if (title !== chapter) print('', ['  ', styled('bold', title)])
      chapter = title
      print(...row(result, width))
    },
    end: (report) => {
      const left = report.results.length - rows
      if (left > 0) print(['  ', styled('dim', `– ${left} more not checked`)])
      const failures = report.results.filter(({ outcome }) => outcome === 'failed')
      // Once more, because the table is longer than a screen.
      if (failures.length > 0)
        print('', ['  ', styled('bold', 'Failed')], ...failures.flatMap((one) => named(one, width)))
      print('', bar(report, width), ...summary(report, width))
    },
  }
}

/** A mark, the requirement, its source, the detail and, after a failure, the HTTP exchange. */
function row({ outcome, requirement, source, detail, exchange }: CheckResult, width: number): Line[] {
  const mark = MARKS[outcome]
  const room = width - INDENT
  const column = width < WIDE ? 0 : room - SOURCE_WIDTH
  const lines = wrapWords(requirement, column || room)
  const last = (lines.pop() ?? '').padEnd(column)
  const fits = last.length + 2 + source.length <= room
  const text = (line: string) => (outcome === 'not applicable' ? styled('dim', line) : line)
  const where = styled('dim', source)
  return marked(mark, [
    ...lines.map((line) => [text(line)]),
    fits ? [text(last), '  ', where] : [text(last)],
    ...(fits ? [] : [[where]]),
    ...(detail ? wrapWords(detail, room) : []).map((line) => [
      styled(outcome === 'passed' ? 'dim' : mark.style, line),
    ]),
    ...(outcome === 'failed' && exchange ? wire(exchange, room) : []),
  ])
}

function named({ outcome, requirement }: CheckResult, width: number): Line[] {
  const lines = wrapWords(requirement, width - INDENT)
  return marked(
    MARKS[outcome],
    lines.map((line) => [line]),
  )
}

/** A mark before the first line, and room for it before the others. */
function marked(mark: Styled, [first = [], ...more]: readonly (readonly (string | Styled)[])[]): Line[] {
  return [
    ['  ', mark, ' ', ...first],
    ...more.map((line) => (line.length ? [' '.repeat(INDENT), ...line] : '')),
  ]
}

function wire({ request, response }: ShownExchange, room: number): Styled[][] {
  const lines = `${request}\n\n${response}\n`.replaceAll('\t', '  ').split('\n')
  return lines.flatMap((line) =>
    wrapWords(line, room - 2).map((part) => (part ? [styled('dim', `  ${part}`)] : [])),
  )
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

function summary(
  { passed, failed, advised, notApplicable, dialect, requests }: CheckReport,
  width: number,
): Line[] {
  const counts = `${passed} passed, ${failed} failed, ${advised} advised, ${notApplicable} not applicable`
  const named = dialect ? `, dialect ${dialect}` : ''
  return [
    ...wrapWords(counts, width - 2).map((line): Line => ['  ', styled(failed === 0 ? 'green' : 'red', line)]),
    ['  ', styled('dim', `${requests} requests${named}`)],
  ]
}
