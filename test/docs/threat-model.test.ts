import { readFileSync } from 'node:fs'
import { matchesGlob, resolve } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import type { ViteUserConfig } from 'vitest/config'
import config from '../../vitest.config.ts'
import browserConfig from '../browser/vitest.config.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(resolve(root, 'docs/threat-model.md'), 'utf8')

/** The threats of the page: their RFCs and sections, the links to tests that show what is done, and the task of the host. */
const threats = (page.split(/^## What remains\n(?:(?!## ).*\n)*/m)[1] ?? '')
  .split(/^- /m)
  .slice(1)
  .map((item) => {
    const text = item
      .replace(/\n## [\s\S]*/, '')
      .replace(/\s+/g, ' ')
      .trim()
    const [, threat = '', sources = ''] = /^\*\*(.+?)\*\*(?: \(([\d., ;]+)\))?/.exec(text) ?? []
    const [, task = ''] = /\*\*You:\*\* (.+?)(?=\\|$)/.exec(text) ?? []
    const [, tests = ''] = /<summary>Tests<\/summary> (.+) <\/details>$/.exec(text) ?? []
    const sections = sources.split('; ').flatMap((source) => {
      const [rfc, ...numbers] = source.split(', ')
      return numbers.map((number) => `${rfc}, ${number}`)
    })
    return { threat, sections, tests, task }
  })

test('the threat model has an entry for each threat and mitigation of its sources', () => {
  const named = threats.flatMap(({ sections }) => sections).filter((section) => section.includes('.'))
  const of = (chapter: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${chapter}.${index + 1}`)
  expect(named).toEqual(expect.arrayContaining([...of('8628, 5', 7), ...of('10027, 6.1', 17)]))
  expect(new Set(named).size).toBe(named.length)
})

const namesOf = new Map<string, string[]>()

/** The names of the tests in a file, and of their groups, without `, ${IN_CHROMIUM}`. A test's name begins with those of its groups. */
function names(file: string): string[] {
  const known = namesOf.get(file)
  if (known) return known
  const found: string[] = []
  namesOf.set(file, found)
  const source = ts.createSourceFile(file, readFileSync(resolve(root, file), 'utf8'), ts.ScriptTarget.Latest)
  const visit = (node: ts.Node, groups: string): void => {
    let name = groups
    if (ts.isCallExpression(node) && /^(?:test|describe)$/.test(calledBy(node))) {
      const [first] = node.arguments
      if (first && (ts.isStringLiteralLike(first) || ts.isTemplateExpression(first))) {
        const own = source.text.slice(first.pos, first.end).trim().slice(1, -1)
        name = `${groups} ${own.replace(/, \$\{\w+\}$/, '')}`
        found.push(name)
      }
    }
    ts.forEachChild(node, (child) => visit(child, name))
  }
  visit(source, '')
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
  '"$threat" links to tests that Vitest runs, or says what is left to the host',
  ({ tests, task }) => {
    const links = tests === '' ? [] : tests.split(/(?<=\))\\ /)
    for (const link of links) {
      const [, fragment = '', file = ''] = /^\[([^\]]+)\]\(\.\.\/([^)]+)\)$/.exec(link) ?? []
      expect(isRun(file), link).toBe(true)
      expect(
        names(file).filter((name) => name.includes(fragment)),
        fragment,
      ).not.toEqual([])
    }
    expect(links.length > 0 || task !== '').toBe(true)
  },
)

test('Evidence counts the threats, and those with tests', () => {
  const tested = threats.filter(({ tests }) => tests !== '').length
  const evidence = readFileSync(resolve(root, 'docs/evidence.md'), 'utf8')
  expect(evidence).toContain(`**${threats.length} threats**, ${tested} of them with tests`)
})

test('the site lists the threat model', () => {
  expect(readFileSync(resolve(root, 'typedoc.json'), 'utf8')).toContain('"docs/threat-model.md"')
})
