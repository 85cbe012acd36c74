import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { deviceAuthorization } from '../src/machines.ts'
import { rsaKeys } from './support/rsa-keys.ts'

const root = resolve(import.meta.dirname, '..')

/** What people read. Its blocks in JavaScript run as they stand; those in TypeScript are files below `test/guides`. */
const documents = [
  'README.md',
  ...['docs/guides', 'docs/change'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
]

const blocks = documents.flatMap((document) => {
  const text = readFileSync(join(root, document), 'utf8')
  return [...text.matchAll(/^```js\n(.*?)^```/gms)].map(([, code = ''], index) => ({
    name: `${basename(document, '.md')}-${index + 1}`,
    code,
  }))
})

/** Inside the package, so that the blocks find it by its own name: the built one, as users have it. */
const folder = join(root, '.cache/documents')

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  const { privateKey, publicKey } = rsaKeys()
  for (const { name, code } of blocks) {
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, 'block.mjs'), code)
    writeFileSync(join(folder, name, 'app.pem'), privateKey)
    writeFileSync(join(folder, name, 'app.public.pem'), publicKey)
  }
})

test('the README shows how to get a token in two ways, to go on with a login, and to call an API', () => {
  expect(blocks.filter(({ name }) => name.startsWith('README'))).toHaveLength(4)
})

test.each(documents)('the blocks of %s are of a kind that is checked', (document) => {
  const kinds = readFileSync(join(root, document), 'utf8').matchAll(/^```(\w+)$/gm)
  expect(['js', 'ts', 'tsx', 'sh', 'rust', 'mermaid']).toEqual(
    expect.arrayContaining([...kinds].map(([, kind]) => kind)),
  )
})

/** Whole programs, side by side with all other tests. */
const PATIENCE = 60_000

describe.concurrent('the blocks', { timeout: PATIENCE }, () => {
  test.each(blocks)('$name runs and prints what it says', async ({ name, code }) => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['block.mjs'], {
      cwd: join(folder, name),
    })
    expect(stderr).toBe('')
    for (const [, printed = ''] of code.matchAll(/^.*console\.log.* \/\/ (.*)$/gm))
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(printed)
  })

  test('have the types of the package', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const files = blocks.map(({ name }) => join(folder, name, 'block.mjs'))
    const options =
      '--noEmit --allowJs --checkJs --strict false --strictNullChecks false --skipLibCheck --types node'.split(
        ' ',
      )
    const target = '--target es2023 --module nodenext --moduleResolution nodenext --ignoreConfig'.split(' ')
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, ...options, ...target, ...files], {
      cwd: root,
    }).catch((error) => error)
    expect(stdout).toBe('')
  })
})

test('the picture of the machine shows every state', () => {
  const picture = /```mermaid\n(.*?)```/s.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''
  const { waiting, ...flat } = deviceAuthorization.root.states
  const states = [...Object.keys(flat), 'waiting', ...Object.keys(waiting?.states ?? {})].filter(
    (key) => key !== 'starting' && key !== 'same',
  )
  expect(states).toHaveLength(12)
  for (const state of states) expect(picture).toMatch(new RegExp(`\\b${state}\\b`))
})
