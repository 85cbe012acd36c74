import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { deviceAuthorization } from '../src/machines.ts'
import { rsaKeys } from './support/rsa-keys.ts'

const root = resolve(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```js\n(.*?)^```/gms)].map(([, code = '']) => code)

/** Inside the package, so that the block finds it by its own name: the built one, as users have it. */
const folder = join(root, '.cache/readme')

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  const { privateKey, publicKey } = rsaKeys()
  writeFileSync(join(folder, 'app.pem'), privateKey)
  writeFileSync(join(folder, 'app.public.pem'), publicKey)
})

test('the README shows how to get a token in two ways, to go on with a login, and to call an API', () => {
  expect(blocks).toHaveLength(4)
})

test.concurrent.each(blocks.map((code, index) => [index + 1, code] as const))(
  'block %i runs and prints what it says',
  async (index, code) => {
    const file = join(folder, `block-${index}.mjs`)
    writeFileSync(file, code)
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: folder })
    expect(stderr).toBe('')
    for (const [, printed = ''] of code.matchAll(/^.*console\.log.* \/\/ (.*)$/gm)) {
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(printed)
    }
  },
)

test('the picture of the machine shows every state', () => {
  const picture = /```mermaid\n(.*?)```/s.exec(readme)?.[1] ?? ''
  const { waiting, ...flat } = deviceAuthorization.root.states
  const states = [...Object.keys(flat), 'waiting', ...Object.keys(waiting?.states ?? {})].filter(
    (key) => key !== 'starting' && key !== 'same',
  )
  expect(states).toHaveLength(12)
  for (const state of states) expect(picture).toMatch(new RegExp(`\\b${state}\\b`))
})
