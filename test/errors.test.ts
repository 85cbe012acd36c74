import { describe, expect, test } from 'vitest'
import { CancelledError, UnreachableError } from '../src/index.ts'

/** An error inside as many others. */
function nested(depth: number, code: unknown): Error {
  return depth === 0
    ? Object.assign(new Error('inner'), { code })
    : new Error('outer', { cause: nested(depth - 1, code) })
}

describe('the reason of an UnreachableError', () => {
  test.each([0, 1, 4])('is the system’s code, found %d causes deep', (depth) => {
    expect(UnreachableError.of('host', nested(depth, 'ECONNREFUSED')).reason).toBe('ECONNREFUSED')
  })

  test('is not searched deeper than that, or in a cycle', () => {
    expect(UnreachableError.of('host', nested(5, 'ECONNREFUSED')).reason).toBeUndefined()
    const circle = new Error('circle')
    circle.cause = circle
    expect(UnreachableError.of('host', circle).reason).toBeUndefined()
  })

  test.each([
    'xECONNREFUSED',
    'ECONNREFUSED: gho_secret',
    'E1',
    `E${'X'.repeat(40)}`,
    'econnrefused',
    5,
    ['EPIPE'],
  ])('is not %j, which is not a system error code', (code) => {
    expect(UnreachableError.of('host', nested(0, code)).reason).toBeUndefined()
  })

  test('is not read from a value that is not an error', () => {
    expect(UnreachableError.of('host', { code: 'ECONNREFUSED' }).reason).toBeUndefined()
  })
})

test('a cancellation without a reason has no cause', () => {
  expect(new CancelledError()).not.toHaveProperty('cause')
  expect(new CancelledError('enough').cause).toBe('enough')
})
