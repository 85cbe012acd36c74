import { createHash } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'

test.each(['with', 'without'])(
  'a hash is SHA-256 in hexadecimal, %s the crypto module of Node',
  async (how) => {
    if (how === 'without') vi.stubGlobal('process', { ...process, getBuiltinModule: undefined })
    onTestFinished(() => {
      vi.unstubAllGlobals()
    })
    vi.resetModules()
    const { hash } = await import('../../src/service/stores/hash.ts')
    for (const text of ['', 'abc', 'ü🙂'])
      expect(await hash(text)).toBe(createHash('sha256').update(text).digest('hex'))
  },
)
