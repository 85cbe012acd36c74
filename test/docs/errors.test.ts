import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test('the page of errors has one row for each code, with the class that has it', () => {
  const source = readFileSync(join(root, 'src/errors.ts'), 'utf8')
  const page = readFileSync(join(root, 'docs/guides/errors.md'), 'utf8')
  const codes = [...source.matchAll(/readonly code(?::[^=]*)? = '(\w+)'/g)].map(([, code]) => code)
  const [, keys = ''] = /type JwtErrorCode =(.*?)\n\n/s.exec(source) ?? []
  const declared = [...codes, ...[...keys.matchAll(/'(\w+)'/g)].map(([, code]) => code)]
  const rows = [...page.matchAll(/^\| `(\w+)` \| `(\w+)` \| .+ \| .+ \|$/gm)]
  expect(rows.map(([, code]) => code).sort()).toEqual(declared.sort())
  for (const [, code, name] of rows)
    if (name !== 'JwtError')
      expect(source).toMatch(
        new RegExp(`class ${name}\\b(?:(?!\\n}).)*readonly code(:[^=]*)? = '${code}'`, 's'),
      )
})
