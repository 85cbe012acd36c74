import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { openBrowser } from '../../src/terminal/open-browser.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { atTerminal } from './support/output.ts'

atTerminal()
beforeEach(() => void vi.stubEnv('DISPLAY', ':0'))

test.each(['javascript:alert(1)', 'file:///etc/passwd', '--version', 'x https://example.com'])(
  'does not open %s',
  (address) => {
    expect(() => openBrowser(address)).toThrow(TypeError)
  },
)

test('says why it opens nothing', () => {
  vi.stubEnv('SSH_TTY', '/dev/pts/0')
  expect(openBrowser('https://example.com')).toBe('ssh')
})

test.skipIf(process.platform !== 'linux')('passes the address to xdg-open, if there is one', async () => {
  const folder = temporaryFolder()
  vi.stubEnv('PATH', folder)
  // A missing program is no error.
  expect(openBrowser('https://example.com')).toBeUndefined()
  const opened = join(folder, 'opened')
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$*" > '${opened}'\n`, { mode: 0o755 })
  expect(openBrowser('HTTPS://example.com/?a=b&c')).toBeUndefined()
  await eventually(() => expect(readFileSync(opened, 'utf8')).toBe('HTTPS://example.com/?a=b&c\n'))
})
