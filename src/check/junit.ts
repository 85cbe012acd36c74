import { escapeHtml } from '../service/page/escape-html.ts'
import type { CheckReport, CheckResult } from './report.ts'

/**
 * Formats a report as JUnit XML for CI servers, with one test case per requirement. An `advised` requirement passes, with
 * a note.
 *
 * @param name The name of the test suite, such as the URL of the service.
 */
export function toJUnit({ results, failed, notApplicable, notChecked }: CheckReport, name: string): string {
  const counts = `tests="${results.length}" failures="${failed}" errors="0" skipped="${notApplicable + notChecked}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `<testsuite name="${escapeHtml(name)}" ${counts}>`,
    ...results.map(testCase),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function testCase(result: CheckResult): string {
  const { id, requirement, source } = result
  return `<testcase classname="${id}" name="${escapeHtml(`${requirement} (${source})`)}">${content(result)}</testcase>`
}

function content({ outcome, detail = '', exchange }: CheckResult): string {
  if (outcome === 'passed') return ''
  if (outcome === 'not applicable' || outcome === 'not checked')
    return `<skipped message="${escapeHtml(detail)}"/>`
  const wire = exchange ? `${exchange.request}\n\n${exchange.response}` : ''
  if (outcome === 'advised') return `<system-out>${escapeHtml(`advised: ${detail}\n\n${wire}`)}</system-out>`
  return `<failure message="${escapeHtml(detail)}">${escapeHtml(wire)}</failure>`
}
