import { expect, test } from 'vitest'
import type { CheckResult } from '../../src/check/report.ts'
import { checkReportTo } from '../../src/cli/commands/check-report.ts'
import { atTerminal, output } from '../terminal/support/output.ts'

atTerminal()

const STYLES: Readonly<Record<string, string>> = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow' }

/** Writes styles as tags: `<red>text</>`. */
function tagged(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this matches control sequences.
  return text.replace(/\u001b\[(\d+)m/g, (_, code) => (STYLES[code] ? `<${STYLES[code]}>` : '</>'))
}

const named = {
  requirement: 'the device code of another client is refused like an unknown one',
  source: 'RFC 8628, 3.4',
} as const
const exchange = {
  request: `POST http://localhost/login\n\n${'client_id=x&'.repeat(6)}`,
  response: '400\n\n{\t"error": "no"}',
}
const RESULTS: readonly CheckResult[] = [
  { ...named, id: 'secure', outcome: 'passed', detail: 'at most 160 bits' },
  { ...named, id: 'codes-method', outcome: 'advised', detail: 'better to wait', exchange },
  { ...named, id: 'pending', outcome: 'failed', detail: `wanted no, got ${'x'.repeat(50)}`, exchange },
  { ...named, id: 'slow-down', outcome: 'not applicable', detail: 'no metadata' },
  { ...named, id: 'denied', outcome: 'not checked', detail: 'nobody denied' },
]

/** What a reporter prints for these results, of a check with one more. */
function reported(options: Parameters<typeof checkReportTo>[1], columns: number | undefined) {
  const { stream, text } = output({ isTTY: true, columns })
  const reporter = checkReportTo(stream, options)
  reporter.begin('login.example.com')
  for (const result of RESULTS) reporter.result(result)
  const results = [...RESULTS, ...Array<CheckResult>(95).fill(RESULTS[4] as CheckResult)]
  const counts = { passed: 1, failed: 1, advised: 1, notApplicable: 1, notChecked: 96 }
  const report = { ...counts, requests: 57, dialect: 'github', results } as const
  reporter.end(report)
  return { text: tagged(text()), report }
}

test('groups results by chapter, shows the exchange of a failure, and ends with a bar', () => {
  expect(reported({ color: true }, 60).text).toMatchInlineSnapshot(`
    "
      Checking <bold>login.example.com</>
      <dim>This can take a few minutes: it polls at the pace of a</>
      <dim>device.</>

      <bold>Device codes</>
      <green>✓</> the device code of another client is refused like an
        unknown one  <dim>RFC 8628, 3.4</>
        <dim>at most 160 bits</>
      <yellow>!</> the device code of another client is refused like an
        unknown one  <dim>RFC 8628, 3.4</>
        <yellow>better to wait</>

      <bold>Polls</>
      <red>✗</> the device code of another client is refused like an
        unknown one  <dim>RFC 8628, 3.4</>
        <red>wanted no, got</>
        <red>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx</>
        <dim>  POST http://localhost/login</>

        <dim>  client_id=x&client_id=x&client_id=x&client_id=x&client</>
          <dim>_id=x&client_id=x&</>

        <dim>  400</>

        <dim>  {  "error": "no"}</>

      <dim>–</> <dim>the device code of another client is refused like an</>
        <dim>unknown one</>  <dim>RFC 8628, 3.4</>
        <dim>no metadata</>

      <bold>Decisions</>
      <yellow>●</> the device code of another client is refused like an
        unknown one  <dim>RFC 8628, 3.4</>
        <yellow>nobody denied</>

      <bold>Failed</>
      <red>✗</> the device code of another client is refused like an
        unknown one

      <bold>Not checked</>
      <yellow>●</> nobody denied

      <green>█</><red>▓</><yellow>▒</><dim>░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░</>
      <red>1 passed, 1 failed, 1 advised, 1 not applicable, 96 not</>
      <red>checked</>
      <dim>57 requests, dialect github</>
    "
  `)
})

test.each([
  [undefined, 86],
  [110, 76],
  [109, 70],
  [83, 70],
  [82, -1],
])('with %s columns, the source of a requirement stands at column %i of its line', (columns, place) => {
  const [line = ''] = reported({ color: false }, columns).text.match(/^ {2}✓.*$/m) ?? []
  expect(line.indexOf(named.source)).toBe(place)
})

test('the summary is red only with a failure, and names no dialect that is not known', () => {
  const { stream, text } = output({ isTTY: true, columns: 30 })
  const reporter = checkReportTo(stream, { color: true })
  const counts = { passed: 1, failed: 0, advised: 0, notApplicable: 0, notChecked: 0, requests: 2 }
  reporter.result(RESULTS[0] as CheckResult)
  reporter.end({ ...counts, results: RESULTS.slice(0, 1) } as unknown as Parameters<typeof reporter.end>[0])
  expect(tagged(text())).toMatchInlineSnapshot(`
    "  <bold>Device codes</>
      <green>✓</> the device code of another
        client is refused like an
        unknown one  <dim>RFC 8628, 3.4</>
        <dim>at most 160 bits</>

      <green>██████████████████████████</><red></><yellow></><dim></>
      <green>1 passed, 0 failed, 0</>
      <green>advised, 0 not applicable</>
      <dim>2 requests</>
    "
  `)
})

test('prints only the report as JSON', () => {
  const { text, report } = reported({ color: true, json: true }, 80)
  expect(text).toBe(`${JSON.stringify(report, undefined, 2)}\n`)
})
