import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { maximumBits } from '../../src/check/entropy.ts'

const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make)

describe('the maximum bits of a code', () => {
  test.each([
    ['16 bytes in base64url', () => randomBytes(16).toString('base64url'), 128, 132],
    ['16 bytes in hex', () => randomBytes(16).toString('hex'), 128, 128],
    ['a UUID', randomUUID, 128, 128],
    ['15 bytes in base64url', () => randomBytes(15).toString('base64url'), 119, 120],
    ['20 digits', () => times(20, () => randomInt(10)).join(''), 66, 66],
  ])('of %s are estimated consistently, whatever the random characters', (_, code, least, most) => {
    for (const bits of times(3000, () => maximumBits(times(3, code)))) {
      expect(bits).toBeGreaterThanOrEqual(least)
      expect(bits).toBeLessThanOrEqual(most)
    }
  })

  test.each([
    [['ABCDEFGH', 'IJKLMNOP'], 41],
    [['12345678', 'ABCDEFGH'], 41],
    [['123456789'], 29],
    [['a.b'], 18],
    // 16 bytes in base64url.
    [['AbcdefghijklmnopqrstuW'], 130],
    [['-bcdef-hi5kl-nopqr_tuW'], 132],
    [['1234', '123456789'], 13],
  ])('%j are %s', (codes, bits) => {
    expect(maximumBits(codes)).toBe(bits)
  })
})
