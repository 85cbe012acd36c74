import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

interface Declared {
  readonly file: string
  readonly name: string
  readonly isExported: boolean
  readonly isType: boolean
}

const declared = execFileSync('git', ['ls-files', 'machines/*.ts', 'src/*.ts'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .flatMap(declarationsOf)

test('a type has one meaning, and an exported name is declared once', () => {
  expect(declared.length).toBeGreaterThan(1500)
  const places = new Map<string, Declared[]>()
  for (const one of declared) places.set(one.name, [...(places.get(one.name) ?? []), one])
  const twice = [...places].filter(
    ([, all]) =>
      all.filter(({ isExported }) => isExported).length > 1 || all.filter(({ isType }) => isType).length > 1,
  )
  expect(twice.map(([name, all]) => `${name}: ${all.map(({ file }) => file).join(', ')}`)).toEqual([])
})

/** What a file declares at its top level. Overloads of a function count once. */
function declarationsOf(file: string): Declared[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = new Map<string, Declared>()
  const pattern = /^(export )?(?:abstract )?(?:async )?(function\*?|const|let|class|interface|type) (\w+)/gm
  for (const [, exported, kind = '', name = ''] of text.matchAll(pattern))
    found.set(name, {
      file,
      name,
      isExported: exported !== undefined,
      isType: ['class', 'interface', 'type'].includes(kind),
    })
  return [...found.values()]
}
