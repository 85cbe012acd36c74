import { expect, test } from 'vitest'
import { DeniedError, ForbiddenError, RefusedError, UnreachableError } from '../../src/index.ts'
import { failure } from '../../src/terminal/failure.ts'
import type { Failure } from '../../src/terminal/texts.ts'
import { terminalTexts } from '../../src/terminal/texts.ts'
import { columnsOf, writerTo } from '../../src/terminal/writer.ts'
import { output } from './support/output.ts'

const refused = (status: number, error?: string, description?: string) =>
  new RefusedError({ status, error, description })

test.each<[Failure, string | RegExp]>([
  [new DeniedError(), 'the user denied the request'],
  [refused(400, 'device_flow_disabled'), / with error code device_flow_disabled: enable the /],
  [
    refused(500, 'device_flow_disabled'),
    'the service failed with status 500 and error code device_flow_disabled',
  ],
  [refused(404, 'Not Found'), 'the service refused the request with status 404: Not Found'],
  [refused(400, 'odd'), 'the service refused the request with status 400 and error code odd'],
  [refused(499), 'the service refused the request with status 499'],
  [
    new RefusedError({ status: 404, error: 'Not Found' }, 'GET /x with status 404: Not Found'),
    'GET /x with status 404: Not Found',
  ],
  [refused(503), 'the service failed with status 503'],
  [new ForbiddenError({ status: 400, error: 'odd' }), /^a policy of the provider forbids this login/],
])('%j is described once', (error, message) => {
  expect(terminalTexts.message(error)).toEqual(
    typeof message === 'string' ? message : expect.stringMatching(message),
  )
})

test('begins with a capital letter, except for the name of a host', () => {
  const lines = ['intranet', 'the store'].flatMap(
    (host) => failure(new UnreachableError(host), terminalTexts).lines,
  )
  expect(lines).toMatchObject([
    [{}, ' intranet cannot be reached'],
    {},
    [{}, ' The store cannot be reached'],
    {},
  ])
})

test('tells programs the code, what the service said, and the advice', () => {
  const said = { error: 'odd', description: 'Because.' }
  const message = 'the service refused the request with status 400 and error code odd'
  const { event } = failure(refused(400, 'odd', 'Because.'), terminalTexts)
  expect(event).toEqual({ event: 'failed', code: 'refused', message, ...said })
  const { event: silent } = failure(refused(499, '', ''), terminalTexts)
  expect(silent).toMatchObject({ error: undefined, description: undefined })
  const { event: denied, lines } = failure(new DeniedError(), terminalTexts)
  const advice = 'No token was issued. Run the command again if this was a mistake.'
  expect(denied).toEqual({
    event: 'failed',
    code: 'denied',
    message: 'the user denied the request',
    advice,
  })
  expect(lines.slice(1)).toEqual([`  ${advice}`])
})

test.each([
  [24, 'Your organization does not allow devices of this kind, ask an administrator to add the application'],
  [80, 'Your organization does not allow devices of this kind, ask an administrator to add the application'],
  // Characters that take two columns.
  [24, '管理者にこのアプリの追加を依頼してください'.repeat(3)],
])('is wrapped between words in %i columns: %s', (columns, words) => {
  const { stream, lines } = output({ isTTY: true, columns })
  const error = failure(refused(400, 'org_policy', words), terminalTexts)
  writerTo(stream, { color: false }).print(...error.lines)
  const [, ...more] = lines()
  for (const line of lines()) expect(columnsOf(line)).toBeLessThanOrEqual(columns)
  expect(more.every((line) => /^ {2}\S/.test(line))).toBe(true)
  expect(more.join('').replaceAll(' ', '')).toContain(words.replaceAll(' ', ''))
  expect(error.lines).toContain(`  The service says: ${words}`)
})
