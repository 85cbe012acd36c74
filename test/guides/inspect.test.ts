import { expect, onTestFinished, test, vi } from 'vitest'
import { inspectedLogin } from './inspect/in-a-page.ts'

test('a page opens a window that shows the login', () => {
  const open = vi.fn()
  vi.stubGlobal('window', { open, addEventListener: vi.fn(), requestIdleCallback: setImmediate })
  onTestFinished(() => void vi.unstubAllGlobals())
  inspectedLogin('id')
  expect(open).toHaveBeenCalledWith('https://stately.ai/inspect', 'xstateinspector')
})
