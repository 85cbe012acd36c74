import { readFileSync } from 'node:fs'
import { matchesGlob, resolve } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import type { ViteUserConfig } from 'vitest/config'
import config from '../../vitest.config.ts'
import browserConfig from '../browser/vitest.config.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(resolve(root, 'docs/threat-model.md'), 'utf8')

/** The sections of the page: the threat, the tests that show what is done, and the task of the host. */
const threats = [...page.matchAll(/^### (.+)\n((?:(?!##).*\n)*)/gm)].map(([, threat = '', text = '']) => {
  const item = (name: string) =>
    new RegExp(`^- \\*\\*${name}\\*\\*: (.+(?:\\n  .+)*)`, 'm').exec(text)?.[1]?.replace(/\s+/g, ' ') ?? ''
  return { threat, tests: item('Tests'), task: item('You') }
})

test('the threat model has a section for each threat and mitigation of its sources', () => {
  const named = threats.flatMap(({ threat }) => threat.match(/\d+(?:\.\d+)+/g) ?? [])
  const sections = (chapter: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${chapter}.${index + 1}`)
  expect(named).toEqual(expect.arrayContaining([...sections('5', 7), ...sections('6.1', 17)]))
  expect(new Set(named).size).toBe(named.length)
})

/** The names of the tests in a file, and of their groups. */
function names(file: string): string[] {
  const found: string[] = []
  const source = ts.createSourceFile(file, readFileSync(resolve(root, file), 'utf8'), ts.ScriptTarget.Latest)
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(?:test|describe)$/.test(calledBy(node))) {
      const [name] = node.arguments
      if (name && (ts.isStringLiteralLike(name) || ts.isTemplateExpression(name)))
        found.push(source.text.slice(name.pos, name.end))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The name in front of a call: `test` for `test.each(table)(name)`. */
function calledBy(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) return calledBy(node.expression)
  return ''
}

/** Whether one of the projects of Vitest runs a file. */
function isRun(file: string): boolean {
  const projects = [...(config.test?.projects ?? []), browserConfig] as ViteUserConfig[]
  return projects.some(({ test: { include = [], exclude = [] } = {} }) => {
    const matches = (pattern: string) => matchesGlob(file, pattern)
    return include.some(matches) && !exclude.some(matches)
  })
}

test.each(threats)(
  '"$threat" names tests that Vitest runs, or says what is left to the host',
  ({ tests, task }) => {
    const files = tests === '' ? [] : tests.split('; ')
    for (const cell of files) {
      const [, file = '', fragments = ''] = /^`(\S+)` ("[^"]+"(?:, "[^"]+")*)$/.exec(cell) ?? []
      expect(isRun(file), cell).toBe(true)
      for (const [, fragment = ''] of fragments.matchAll(/"([^"]+)"/g))
        expect(
          names(file).filter((name) => name.includes(fragment)),
          fragment,
        ).not.toEqual([])
    }
    expect(files.length > 0 || task !== '').toBe(true)
  },
)

test('the site lists the threat model', () => {
  expect(readFileSync(resolve(root, 'typedoc.json'), 'utf8')).toContain('"docs/threat-model.md"')
})
