import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { POLL_RESPONSES } from '../../src/testing/paths/poll-responses.ts'

const root = resolve(import.meta.dirname, '../..')

test('the paths of the device have every type of poll result that is declared', () => {
  const source = readFileSync(resolve(root, 'src/protocol/poll-response.ts'), 'utf8')
  const [, union = ''] = /^export type PollResponse =\n((?: {2}.*\n)+)/m.exec(source) ?? []
  const declared = [...union.matchAll(/readonly type: '(\w+)'/g)].map(([, type]) => type)
  expect(declared.length).toBeGreaterThan(6)
  const walked = Object.values(POLL_RESPONSES).map(({ means }) => means(0).type)
  expect([...new Set(walked)].sort()).toEqual(declared.sort())
})

test('the guide on adding a poll response leads through code that has its example', () => {
  const guide = readFileSync(resolve(root, 'docs/extend/poll-response.md'), 'utf8')
  const [, table = ''] = /\n((?:\|.*\n)+)/.exec(guide) ?? []
  const files = table.split('\n').flatMap((row) => (row.split('|')[2] ?? '').match(/[\w/.-]+\.ts/g) ?? [])
  expect(files.length).toBeGreaterThan(7)
  for (const file of files)
    expect(readFileSync(resolve(root, file), 'utf8'), file).toMatch(/slow_?down|refused/i)
})
