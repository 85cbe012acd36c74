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

test('the evidence has the figures of the pages on paths and threats', () => {
  const [evidence = '', testing = '', threats = ''] = ['evidence', 'testing', 'threat-model'].map((name) =>
    readFileSync(join(docs, `${name}.md`), 'utf8'),
  )
  const lines = [...testing.matchAll(/^[\w ]+: (\d+) paths, (\d+) of \d+ edges$/gm)]
  const [paths, edges] = [1, 2].map((at) =>
    lines.reduce((sum, line) => sum + Number(line[at]), 0).toLocaleString('en'),
  )
  expect(evidence).toContain(`\n**${edges} of ${edges} edges** on ${paths} paths.`)
  const prevented = threats.split('\n## ').slice(2).join().split('\n- **').slice(1)
  const tested = prevented.filter((threat) => threat.includes('<summary>Tests'))
  expect(evidence).toContain(`\n**${prevented.length} threats**, ${tested.length} of them with tests.`)
})

test('the overview lists every guide', () => {
  // The page on security is part of the evidence.
  const names = readdirSync(join(docs, 'guides')).filter(
    (name) => name.endsWith('.md') && !['README.md', 'security.md'].includes(name),
  )
  const overview = readFileSync(join(docs, 'guides/README.md'), 'utf8')
  expect(names.filter((name) => !overview.includes(`](${name})`))).toEqual([])
})

test('a folder whose program a guide starts is for modules: npm makes one for CommonJS', () => {
  const guides = readdirSync(join(docs, 'guides')).filter((name) => name.endsWith('.md'))
  const texts = guides.map((name) => readFileSync(join(docs, 'guides', name), 'utf8'))
  const started = texts.filter(
    (text) => /^npm install authgraph/m.test(text) && /\bnode \S+\.ts\b/.test(text),
  )
  expect(started.length).toBeGreaterThan(2)
  expect(started.filter((text) => !/type=module\nnpm install authgraph/.test(text))).toEqual([])
})

test('the example of an MCP server has the programs of its guide', () => {
  const guide = readFileSync(join(docs, 'guides/protect-your-mcp-server.md'), 'utf8')
  for (const name of ['server.ts', 'try.ts']) {
    const program = readFileSync(join(docs, 'examples/mcp', name), 'utf8')
    expect(guide).toContain(`\`${name}\`:\n\n\`\`\`ts\n${program}\`\`\``)
  }
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
