import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CheckResult } from '../../src/check/report.ts'
import { checkReportTo } from '../../src/cli/commands/check-report.ts'

const ESCAPE = '\u001b['
const DIM = `${ESCAPE}2m`

beforeEach(() => {
  vi.stubEnv('NO_COLOR', undefined)
  vi.stubEnv('TERM', 'xterm-256color')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const requirement =
  'the device code of another client is refused like an unknown one, and never brings it a token'
const named = { id: 'foreign-device-code', requirement, source: 'RFC 8628, 3.4; RFC 6749, 5.2' } as const
const RESULTS: Record<CheckResult['outcome'], CheckResult> = {
  passed: { ...named, outcome: 'passed', detail: 'at most 160 bits' },
  failed: {
    ...named,
    outcome: 'failed',
    detail: `wanted invalid_grant, got ${'x'.repeat(200)}`,
    exchange: {
      request: `POST http://localhost/login/oauth/access_token\n\n${'client_id=[client_id]&'.repeat(9)}`,
      response: `400\ncontent-type: application/json\n\n{\t"error": "${'y'.repeat(300)}"}`,
    },
  },
  advised: { ...named, outcome: 'advised', detail: `it would be better ${'to wait '.repeat(20)}` },
  'not applicable': { ...named, outcome: 'not applicable', detail: `nobody ${'approved '.repeat(20)}` },
}

/** The lines that a terminal shows for one result. */
function linesOf(
  result: CheckResult,
  { columns, color = true }: { columns: number; color?: boolean },
): string[] {
  let text = ''
  const write = (chunk: string) => {
    text += chunk
  }
  const reporter = checkReportTo({ isTTY: true, columns, write } as unknown as NodeJS.WriteStream, { color })
  reporter.result(result)
  const [, , ...lines] = text.replace(/\n$/, '').split('\n')
  return lines
}

describe.each([60, 80, 120])('at %s columns', (columns) => {
  test.each(Object.values(RESULTS))(
    'fits the lines of a result that is $outcome and aligns them',
    (result) => {
      const [first = '', ...more] = linesOf(result, { columns, color: false })
      for (const line of [first, ...more]) expect(line.length).toBeLessThanOrEqual(columns)
      expect(first).toMatch(/^ {2}\S the device code/)
      for (const line of more) expect(line).toMatch(/^( {4}|$)/)
    },
  )

  test('dims every line of a result that is not applicable', () => {
    for (const line of linesOf(RESULTS['not applicable'], { columns })) {
      // The text outside the dim parts.
      const bright = line
        .split(DIM)
        .map((part, index) => (index === 0 ? part : part.split(`${ESCAPE}22m`)[1]))
      expect(bright.join('').trim()).toBe('')
    }
  })

  test('prints the source on one line', () => {
    for (const result of Object.values(RESULTS))
      expect(linesOf(result, { columns, color: false }).join('\n')).toContain(named.source)
  })
})

test('shows the HTTP exchange for a failure, and only the detail for an advice', () => {
  const { exchange } = RESULTS.failed
  expect(linesOf(RESULTS.failed, { columns: 80 }).join('\n')).toContain('POST http://localhost/')
  const advised = linesOf({ ...RESULTS.advised, ...(exchange && { exchange }) }, { columns: 80 }).join('\n')
  expect(advised).not.toContain('POST http://localhost/')
  expect(advised).toContain(`${ESCAPE}33m!`)
})

test.each([
  ['passed', `${DIM}at most 160 bits`],
  ['failed', `${ESCAPE}31mwanted invalid_grant`],
  ['advised', `${ESCAPE}33mit would be better`],
] as const)('the detail of a result that is %s has its color', (outcome, styled) => {
  const text = linesOf(RESULTS[outcome], { columns: 120 }).join('\n')
  expect(text).toContain(styled)
  expect(text).not.toContain(`${DIM}the device code`)
})

/** Where the source of a requirement of this length stands: its line, and its column. */
function sourceAt(columns: number, length: number) {
  const result = { ...RESULTS.passed, requirement: 'x'.repeat(length) }
  const lines = linesOf(result, { columns, color: false })
  const line = lines.findIndex((line) => line.includes(named.source))
  return [line, lines[line]?.indexOf(named.source)]
}

test.each([
  ['in its own column', 110, 20, [0, 76]],
  ['after the requirement on a narrower terminal', 109, 20, [0, 26]],
  [
    'after a requirement that just leaves room',
    80,
    76 - 2 - named.source.length,
    [0, 80 - named.source.length],
  ],
  ['below one that does not', 80, 77 - 2 - named.source.length, [1, 4]],
] as const)('the source stands %s', (_, columns, length, place) => {
  expect(sourceAt(columns, length)).toEqual(place)
})

const { passed, failed } = RESULTS
const counts = { advised: 0, notApplicable: 4, requests: 57, dialect: 'github' } as const

/** What a reporter prints for these results of a check with 100. */
function reported(options: Parameters<typeof checkReportTo>[1], results: CheckResult[], failures: number) {
  let text = ''
  const stream = { isTTY: true, columns: 80, write: (chunk: string) => (text += chunk) }
  const reporter = checkReportTo(stream as unknown as NodeJS.WriteStream, options)
  for (const result of results) reporter.result(result)
  const all = Array.from({ length: 100 }, () => passed)
  const report = { ...counts, passed: 96 - failures, failed: failures, results: all }
  reporter.end(report)
  return { text, report }
}

test('groups the results by chapter, and ends with a bar of all outcomes', () => {
  const results: CheckResult[] = [
    { ...passed, id: 'secure' },
    { ...passed, id: 'codes-method' },
    { ...failed, id: 'pending' },
  ]
  const { text } = reported({ color: false }, results, 1)
  expect(text.match(/^ {2}[A-Z].*$/gm)).toEqual(['  Device codes', '  Polls'])
  const bar = `${'█'.repeat(45)}▓░`
  expect(text).toContain(`\n  – 97 more not checked\n\n  ${bar}\n  95 passed, 1 failed, 0 advised`)
})

test('the summary is green without a failure, and names no result that was not checked', () => {
  const all = Array.from({ length: 100 }, () => passed)
  const { text } = reported({ color: true }, all, 0)
  expect(text).toContain(`${ESCAPE}32m96 passed`)
  expect(text).not.toContain('not checked')
  expect(reported({ color: true }, all, 1).text).toContain(`${ESCAPE}31m95 passed`)
})

test('prints only the report as JSON', () => {
  const { text, report } = reported({ color: true, json: true }, [passed], 0)
  expect(text).toBe(`${JSON.stringify(report, undefined, 2)}\n`)
})
