import { expect, onTestFinished, test, vi } from 'vitest'
import { Secret } from '../../src/secret.ts'

const pair = {
  accessToken: new Secret('access'),
  refreshToken: new Secret('ünicode'),
  scopes: ['repo'],
  expiresAt: 1,
}

/** The module, with or without the crypto module of Node. */
async function load(how: 'with' | 'without') {
  if (how === 'without') vi.stubGlobal('process', { ...process, getBuiltinModule: undefined })
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.resetModules()
  const loaded = await import('../../src/service/tokens/successors.ts')
  vi.unstubAllGlobals()
  return loaded
}

const spent = new Secret('spent')
const text = ({ accessToken, refreshToken, ...rest }: typeof pair) => [
  accessToken.reveal(),
  refreshToken.reveal(),
  rest,
]

test.each([
  ['with', 'with'],
  ['with', 'without'],
  ['without', 'with'],
  ['without', 'without'],
] as const)('a pair sealed %s the crypto module of Node opens %s it', async (one, other) => {
  const { sealPair } = await load(one)
  const sealed = await sealPair(spent, pair, 'family 1')
  expect(await sealPair(spent, pair, 'family 1')).not.toEqual(sealed)
  const { openPair } = await load(other)
  expect(text((await openPair(spent, sealed, 'family 1')) as typeof pair)).toEqual(text(pair))
  await expect(openPair(spent, sealed, 'family 2')).rejects.toThrow()
  await expect(openPair(new Secret('other'), sealed, 'family 1')).rejects.toThrow()
  const [iv, bytes] = sealed as [string, string]
  const changed = (bytes.startsWith('A') ? 'B' : 'A') + bytes.slice(1)
  await expect(openPair(spent, [iv, changed], 'family 1')).rejects.toThrow()
})
