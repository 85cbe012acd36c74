import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const docs = resolve(import.meta.dirname, '../../docs')

test.each([
  'guides/brand-the-page',
  'guides/browser',
  'guides/embed',
  'guides/first-login',
  'guides/inspect',
  'guides/keep-a-token',
  'guides/providers',
  'guides/proxies',
  'guides/own-machine',
  'guides/record',
  'guides/refresh-and-revoke',
  'guides/test-your-login',
  'guides/walk-the-graph',
  'guides/your-own-cli',
  'extend/form',
  'extend/store',
  'extend/page',
])('%s shows exactly the tested code', (document) => {
  const text = readFileSync(join(docs, `${document}.md`), 'utf8')
  const shown = [...text.matchAll(/^`([^`]+)`:\n\n```tsx?\n(.*?)^```$/gms)].map(([, file, code]) => [
    file,
    code,
  ])
  const folder = join(import.meta.dirname, basename(document))
  const tested = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')])
  expect(shown.sort()).toEqual(tested.sort())
  expect(text.match(/^```tsx?$/gm)).toHaveLength(tested.length)
})
