import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(resolve(root, 'docs/threat-model.md'), 'utf8')

/** The rows of the tables: the threat, what is done, the tests, and the task of the host. */
const rows = [...page.matchAll(/^\| (\d[^|]*) \|([^|]*)\|([^|]*)\|([^|]*)\|$/gm)].map(([, ...cells]) =>
  cells.map((cell) => cell.trim()),
)

test('the threat model has a row for each threat and mitigation of its sources', () => {
  const named = rows.flatMap(([threat = '']) => threat.match(/\d+(?:\.\d+)+/g) ?? [])
  const sections = (chapter: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${chapter}.${index + 1}`)
  expect(named).toEqual(expect.arrayContaining([...sections('5', 7), ...sections('6.1', 17)]))
  expect(new Set(named).size).toBe(named.length)
})

test.each(rows)(
  '"%s" has a test that exists, or says what is left to the host',
  (_, done, tests = '', task) => {
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file)
    expect(files.filter((file) => !existsSync(resolve(root, file)))).toEqual([])
    expect(files.length > 0 || task !== '' || done === 'Not supported.').toBe(true)
  },
)

test('the site lists the threat model', () => {
  expect(readFileSync(resolve(root, 'typedoc.json'), 'utf8')).toContain('"docs/threat-model.md"')
})
