import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import { expect, onTestFinished, test, vi } from 'vitest'
import { deviceAuthorization } from '../../src/machines.ts'
import { inspectedLogin } from './inspect/in-a-page.ts'

const root = resolve(import.meta.dirname, '../..')

test('the file of the machine can be pasted: it needs only xstate', async () => {
  const file = readFileSync(join(root, 'machines/device-authorization.ts'), 'utf8')
  const { code } = await transform(file, {
    loader: 'ts',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  })
  expect([...code.matchAll(/from ['"](.*)['"]/g)].map(([, name]) => name)).toEqual(['xstate'])
  mkdirSync(join(root, '.cache'), { recursive: true })
  const pasted = join(root, '.cache/pasted.mjs')
  writeFileSync(pasted, code)
  const { deviceAuthorization: machine } = await import(/* @vite-ignore */ pathToFileURL(pasted).href)
  expect(JSON.stringify(machine.config)).toBe(JSON.stringify(deviceAuthorization.config))
})

test('a page opens a window that shows the login', () => {
  const open = vi.fn()
  vi.stubGlobal('window', { open, addEventListener: vi.fn(), requestIdleCallback: setImmediate })
  onTestFinished(() => void vi.unstubAllGlobals())
  inspectedLogin('id')
  expect(open).toHaveBeenCalledWith('https://stately.ai/inspect', 'xstateinspector')
})
