import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const docs = resolve(import.meta.dirname, '../../docs')

test('the landing page shows code of the README and of a tested guide', () => {
  const landing = readFileSync(join(docs, 'landing.md'), 'utf8')
  const shown = [...landing.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
  const known = ['../README.md', 'guides/test-your-login.md'].map((file) =>
    readFileSync(join(docs, file), 'utf8'),
  )
  expect(shown).toHaveLength(2)
  expect(shown.filter((code) => !known.some((text) => text.includes(code)))).toEqual([])
})

test('the overview lists every guide', () => {
  // The page on security is part of the evidence.
  const names = readdirSync(join(docs, 'guides')).filter(
    (name) => name.endsWith('.md') && !['README.md', 'security.md'].includes(name),
  )
  const overview = readFileSync(join(docs, 'guides/README.md'), 'utf8')
  expect(names.filter((name) => !overview.includes(`](${name})`))).toEqual([])
})

const root = join(docs, '..')
const skill = readFileSync(join(root, 'docs/skills/authgraph/SKILL.md'), 'utf8')

test('the skill names only entry points of the package, and what they export', async () => {
  const rows = [...skill.matchAll(/^\| [^|]+ \| (`.*?) *\|$/gm)].map(([, cell = '']) => cell)
  expect(rows).toHaveLength(11)
  for (const part of rows.flatMap((cell) => cell.split(/(?<=`authgraph[\w/]*`),(?: or)? /))) {
    const [entry = '', ...names] = [...part.matchAll(/`([\w/]+)`/g)].map(([, word = '']) => word).reverse()
    expect(Object.keys(await import(entry)), entry).toEqual(expect.arrayContaining(names))
  }
})

test('the header of the skill is what agents expect', () => {
  const [, name, description = ''] = /^---\nname: (.*)\ndescription: (.*)\n---\n/.exec(skill) ?? []
  expect(name).toBe('authgraph')
  expect(description.length).toBeGreaterThan(100)
  expect(description.length).toBeLessThan(1024)
})
