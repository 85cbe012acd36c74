import { expect, test, vi } from 'vitest'
import { fact, type Line, styled, visibleJson, writerTo } from '../../src/terminal/writer.ts'
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
  [fact('stored in', 'a file'), 18, '  stored in\n    a file'],
  [
    ['  Resume with  ', styled('bold', 'authgraph login --resume --profile work')],
    40,
    '  Resume with\n    authgraph login --resume --profile work',
  ],
])(
  'wraps %j at %i columns of a terminal, beside its label, and keeps styled parts whole',
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

test('escapes every invisible character of JSON', () => {
  expect(visibleJson({ a: 'ö\u202e\u009b' })).toBe('{"a":"ö\\u202e\\u009b"}')
})
