import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const guides = resolve(import.meta.dirname, '../../docs/guides')

test.each(['browser', 'inspect'])('the guide %s shows the code that is tested, and no other', (name) => {
  const text = readFileSync(join(guides, `${name}.md`), 'utf8')
  const shown = [...text.matchAll(/^`([^`]+)`:\n\n```tsx?\n(.*?)^```$/gms)].map(([, file, code]) => [
    file,
    code,
  ])
  const folder = join(import.meta.dirname, name)
  const tested = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')])
  expect(shown.sort()).toEqual(tested.sort())
  expect(text.match(/^```\w/gm)).toHaveLength(tested.length)
})
