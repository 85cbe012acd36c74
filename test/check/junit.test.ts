import { expect, test } from 'vitest'
import { toJUnit } from '../../src/check/junit.ts'

test('the JUnit report lists what failed, does not apply or was not checked', () => {
  const named = { id: 'codes', requirement: 'a & b', source: 'RFC' } as const
  const xml = toJUnit(
    {
      results: [
        { ...named, outcome: 'passed' },
        {
          ...named,
          outcome: 'advised',
          detail: 'it is <i>',
          exchange: { request: 'GET /', response: '<p>' },
        },
        {
          ...named,
          outcome: 'failed',
          detail: 'it is "<b>"',
          exchange: { request: 'GET /?a&b', response: '<p>' },
        },
        { ...named, outcome: 'not applicable', detail: "nobody's" },
        { ...named, outcome: 'not checked', detail: 'nobody denied' },
      ],
      ...{
        passed: 1,
        failed: 1,
        advised: 1,
        notApplicable: 1,
        notChecked: 1,
        dialect: undefined,
        requests: 1,
      },
    },
    'http://localhost/?a&b',
  )
  expect(xml).toContain(
    '<testsuite name="http://localhost/?a&amp;b" tests="5" failures="1" errors="0" skipped="2">',
  )
  expect(xml).toContain(
    '"><system-out>advised: it is &lt;i&gt;\n\nGET /\n\n&lt;p&gt;</system-out></testcase>',
  )
  expect(xml).toContain('name="a &amp; b (RFC)"></testcase>')
  expect(xml).toContain('<failure message="it is &quot;&lt;b&gt;&quot;">GET /?a&amp;b\n\n&lt;p&gt;</failure>')
  expect(xml).toContain('<skipped message="nobody&#39;s"/>')
  expect(xml).toContain('<skipped message="nobody denied"/>')
})
