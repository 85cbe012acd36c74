import { expect, test, vi } from 'vitest'
import {
  fact,
  type Line,
  markedLine,
  styled,
  toType,
  visibleJson,
  writerTo,
} from '../../src/terminal/writer.ts'
import { output } from './support/output.ts'

test('removes control characters from plain and styled text, and aligns facts', () => {
  const write = vi.fn()
  const { print } = writerTo({ isTTY: true, write } as unknown as NodeJS.WriteStream, { color: false })
  print(['a\u001b[2J', { style: 'bold', text: 'b\u009b\u202e\n' }], 'c\r', fact('user', 'octocat'))
  expect(write.mock.calls).toEqual([['a[2Jb\nc\n  user        octocat\n']])
})

test.each([
  [
    [styled('green', '✓'), ' Logged in to ', styled('bold', 'example.com'), ' as octocat'],
    31,
    '✓ Logged in to example.com as\n  octocat',
  ],
  [
    fact('stored in', '~/state/logins/work.json (plain text)'),
    40,
    '  stored in   ~/state/logins/work.json\n              (plain text)',
  ],
  [
    fact('stored in', '~/state/logins/work.json (plain text)'),
    36,
    '  stored in\n    ~/state/logins/work.json (plain\n    text)',
  ],
  [
    fact('stored in', '~/state/logins/work.json (plain text)'),
    24,
    '  stored in\n    ~/state/logins/\n    work.json (plain\n    text)',
  ],
  [fact('stored in', 'a short file'), 20, '  stored in\n    a short file'],
  [
    ['  Resume with  ', toType('authgraph login --resume --profile work')],
    40,
    '  Resume with\n    authgraph login --resume --profile work',
  ],
])(
  'wraps %j at %i columns of a terminal, beside its label, and keeps commands whole',
  (line, columns, wrapped) => {
    const printed = (isTTY: boolean) => {
      const { stream, text } = output({ isTTY, columns })
      writerTo(stream, { color: false }).print(line as Line)
      return text()
    }
    expect(printed(true)).toBe(`${wrapped}\n`)
    expect(printed(false).match(/\n/g)).toHaveLength(1)
  },
)

const [RESUME, PROFILE] = ['authgraph login --resume --profile', '127.0.0.1:38209']

test.each([
  [80, `✗ The login of ${PROFILE} is not finished: run\n  <${RESUME} ${PROFILE}>\n`],
  [40, `✗ The login of ${PROFILE} is not\n  finished: run\n  <${RESUME} ${PROFILE}>\n`],
])('at %i columns, shows a command to type on one line, in cyan', (columns, shown) => {
  const { stream, text } = output({ isTTY: true, columns })
  const message = `the login of ${PROFILE} is not finished: run ${RESUME} ${PROFILE}`
  writerTo(stream, { color: true }).print(markedLine(styled('reset', '✗'), message))
  expect(text().replaceAll('\u001b[36m', '<').replaceAll('\u001b[39m', '>').replaceAll('\u001b[0m', '')).toBe(
    shown,
  )
})

test.each([
  ['Run authgraph login --profile work.', 'Run <authgraph login --profile work>.'],
  ['not logged in: run acme login', 'not logged in: run <acme login>'],
  ['See: authgraph mcp login --help', 'See: <authgraph mcp login --help>'],
  ['print it with authgraph token', 'print it with <authgraph token>'],
  ['~/state/authgraph is damaged', '~/state/authgraph is damaged'],
])('marks the command in %j', (line, shown) => {
  const { stream } = output({ isTTY: true })
  const text = writerTo(stream, { color: true }).render(line)
  expect(text.replaceAll('\u001b[36m', '<').replaceAll('\u001b[39m', '>')).toBe(shown)
})

test('escapes every invisible character of JSON', () => {
  expect(visibleJson({ a: 'ö\u202e\u009b' })).toBe('{"a":"ö\\u202e\\u009b"}')
})
