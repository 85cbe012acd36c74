import { expect, test, vi } from 'vitest'
import { fact, visibleJson, writerTo } from '../../src/terminal/writer.ts'

test('removes control characters from plain and styled text, and aligns facts', () => {
  const write = vi.fn()
  const { print } = writerTo({ isTTY: true, write } as unknown as NodeJS.WriteStream, { color: false })
  print(['a\u001b[2J', { style: 'bold', text: 'b\u009b\u202e\n' }], 'c\r', fact('user', 'octocat'))
  expect(write.mock.calls).toEqual([['a[2Jb\nc\n  user        octocat\n']])
})

test('escapes every invisible character of JSON', () => {
  expect(visibleJson({ a: 'ö\u202e\u009b' })).toBe('{"a":"ö\\u202e\\u009b"}')
})
