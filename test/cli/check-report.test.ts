import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CheckResult } from '../../src/check/verdicts.ts'
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

test('groups the results by chapter, and ends with a bar of all outcomes', () => {
  let text = ''
  const stream = { isTTY: true, columns: 80, write: (chunk: string) => (text += chunk) }
  const reporter = checkReportTo(stream as unknown as NodeJS.WriteStream, { color: false })
  const { passed, failed } = RESULTS
  const results = [
    { ...passed, id: 'secure' },
    { ...passed, id: 'codes-method' },
    { ...failed, id: 'pending' },
  ] as const
  for (const result of results) reporter.result(result)
  const counts = {
    passed: 95,
    failed: 1,
    advised: 0,
    notApplicable: 4,
    requests: 57,
    dialect: 'github',
  } as const
  reporter.end({ ...counts, results: Array.from({ length: 100 }, () => passed) })
  expect(text.match(/^ {2}[A-Z].*$/gm)).toEqual(['  Device codes', '  Polls'])
  expect(text).toContain(`\n\n  ${'█'.repeat(45)}▓░\n  95 passed, 1 failed, 0 advised`)
})
