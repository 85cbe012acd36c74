import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { verifyProof } from '../../src/access/proof.ts'
import { prover } from '../support/prover.ts'

const ITEMS = 'https://api.example/items'
const verify = (proof: string) => verifyProof(proof, { method: 'POST', url: ITEMS })
const clock = { now: () => Date.UTC(2026, 0, 1) }

test.each([
  ['/%7euser/a%2fb', '/~user/a%2Fb', 'one'],
  ['/a/b', '/a%2Fb', 'another'],
  ['/items', '/items/', 'another'],
])('a proof for %s is for %s if that is %s URL', async (proven, path, which) => {
  const proof = await (await prover(clock)).prove(`https://api.example${proven}`)
  const isFor = verifyProof(proof, { method: 'POST', url: `https://api.example${path}` }).then(() => 'one')
  expect(await isFor.catch(() => 'another')).toBe(which)
})

test.each(['/x/../items', '/x/%2E%2e/items', '/./items', '/x\\..\\items'])(
  'a proof for /items is not for %s, which a router may take for another route',
  async (path) => {
    const proof = await (await prover(clock)).prove(ITEMS)
    const isFor = verifyProof(proof, { method: 'POST', url: `https://api.example${path}` })
    await expect(isFor).rejects.toThrow('no dot segments')
  },
)

describe('the key of a proof', () => {
  test.each<[string, object, string]>([
    ['with a long exponent', { n: 'w'.repeat(512), e: '_'.repeat(512) }, '32 bits at most'],
    ['with lists in place of texts', { n: ['w'.repeat(512)], e: ['_'.repeat(512)] }, 'must be a public key'],
  ])('%s is refused before its signature costs time', async (_, members, message) => {
    const device = await prover(clock, 'RS256')
    const proof = await device.prove(ITEMS, { header: { jwk: { kty: 'RSA', ...members } } })
    await expect(verify(proof)).rejects.toThrow(message)
  })

  test('is imported once, and forgotten when a thousand others came', async () => {
    const device = await prover(clock)
    const imports = vi.spyOn(crypto.subtle, 'importKey')
    onTestFinished(() => imports.mockRestore())
    /** How often verifying a proof of the device imports its key. */
    const cost = async () => {
      const proof = await device.prove(ITEMS)
      imports.mockClear()
      await verify(proof)
      return imports.mock.calls.length
    }
    expect([await cost(), await cost()]).toEqual([1, 0])
    for (let index = 0; index < 1000; index += 1) await verify(await (await prover(clock)).prove(ITEMS))
    expect(await cost()).toBe(1)
  })
})
