import { describe, expect, test } from 'vitest'
import { parseDeviceCodes } from '../../src/protocol/device-codes.ts'
import { readSeconds, readWholeSeconds } from '../../src/protocol/fields.ts'
import { isScope } from '../../src/protocol/syntax.ts'
import { errorCodeOf, isRedirect, readBody, readRetryAfter, readText } from '../../src/request/http.ts'
import { withoutSecrets } from '../../src/request/name-request.ts'
import { Secret } from '../../src/secret.ts'
import { responses } from '../support/responses.ts'

describe('a body', () => {
  test('may be a form with white space around it', () => {
    expect(readBody(' error=slow_down&interval=7\r\n')).toEqual({ error: 'slow_down', interval: '7' })
  })

  test('with an empty error names none', () => {
    expect(errorCodeOf({ errorCode: '' })).toBeUndefined()
  })

  test.each([null, undefined, [], 'text', 5])('that is %j is not an object of codes', (json) => {
    expect(() => parseDeviceCodes(json)).toThrow(
      Array.isArray(json)
        ? 'has no valid "device_code"'
        : 'the device authorization response is not a JSON object',
    )
  })

  test.each(['javascript:alert(1)//https://a.example', 'xhttps://a.example', 'https://'])(
    'that sends the user to %j is refused',
    (verification_uri) => {
      expect(() => parseDeviceCodes({ ...responses.codes, verification_uri })).toThrow('"verification_uri"')
    },
  )

  test('is read to its limit, and no further', async () => {
    const body = () => new Blob(['12345']).stream()
    expect(await readText(body(), 5)).toBe('12345')
    expect(await readText(body(), 4)).toBeUndefined()
  })

  test('is read whole where a character lies in two pieces', async () => {
    const [first, ...rest] = new TextEncoder().encode('ü€')
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Uint8Array.of(first ?? 0))
        controller.enqueue(Uint8Array.from(rest))
        controller.close()
      },
    })
    expect(await readText(body, 9)).toBe('ü€')
  })
})

test.each([
  ['5', 5],
  [' 5 ', 5],
  ['0', 0],
  ['9'.repeat(400), 366 * 86_400],
  ['x5', undefined],
  ['-5', undefined],
  ['5x', undefined],
  ['', undefined],
  ['Thu, 01 Jan 2026 09:00:20 GMT', 20],
  ['Thursday, 01-Jan-26 09:00:20 GMT', 20],
  ['Thu, 01 Jan 2026 08:59:00 GMT', 0],
  ['Thu, 01 Jan 2032 09:00:00 GMT', 366 * 86_400],
  // What follows is no date of HTTP, although `Date.parse` makes one of it.
  ['1.5', undefined],
  ['2026-01-01T09:00:20Z', undefined],
  ['Thu, 99 Jan 2026 09:00:20 GMT', undefined],
  ['x Thu, 01 Jan 2026 09:00:20 GMT', undefined],
  ['Thu, 01 Jan 2026 09:00:20 GMT x', undefined],
])('Retry-After: %j is %j seconds', (value, seconds) => {
  const headers = new Headers({ date: 'Thu, 01 Jan 2026 09:00:00 GMT', 'retry-after': value })
  expect(readRetryAfter(headers, 0)).toBe(seconds)
})

test.each([
  [{ status: 300 }, true],
  [{ status: 399 }, true],
  [{ status: 299 }, false],
  [{ status: 304 }, false],
  [{ status: 400 }, false],
  [{ status: 0, type: 'opaqueredirect' }, true],
  [{ status: 200, redirected: true }, true],
])('%j is a redirect: %j', (response, expected) => {
  expect(isRedirect({ type: 'basic', redirected: false, ...response } as Response)).toBe(expected)
})

test.each([
  [0, 0, 0],
  [2.5, 2.5, 3],
  ['7', 7, 7],
  ['2.25', 2.25, 3],
  [1e300, 1e300, undefined],
  [-1, undefined, undefined],
  [Number.POSITIVE_INFINITY, undefined, undefined],
  ['9'.repeat(400), undefined, undefined],
  ['', undefined, undefined],
  ['x7', undefined, undefined],
  ['7x', undefined, undefined],
  ['1e3', undefined, undefined],
  [[7], undefined, undefined],
  [null, undefined, undefined],
  [7n, undefined, undefined],
])('%s is read as %s seconds, rounded up to %s', (value, seconds, whole) => {
  expect(readSeconds(value)).toBe(seconds)
  expect(readWholeSeconds(value)).toBe(whole)
})

test.each([
  ['repo', true],
  ['!#[]~', true],
  ['', false],
  ['a b', false],
  ['"a', false],
  ['a\\', false],
  ['ä', false],
])('%j is a scope: %j', (text, expected) => {
  expect(isScope(text)).toBe(expected)
})

describe('secrets in a text', () => {
  const without = (text: string, ...secrets: string[]) =>
    withoutSecrets(
      text,
      secrets.map((secret) => new Secret(secret)),
    )

  test('are replaced whole where one begins with another', () => {
    expect(without('unknown: client-1-code', 'client-1', 'client-1-code')).toBe('unknown: ‹secret›')
    expect(without('unknown: client-1-code', 'client-1-code', 'client-1')).toBe('unknown: ‹secret›')
  })

  test.each([
    ['in an address', 'a%20secret!%2F%C3%A9'],
    ['in a form', 'a+secret%21%2F%C3%A9'],
  ])('are found as they are written %s', (_, written) => {
    expect(without(`client_id=${written}&scope=`, 'a secret!/é')).toBe('client_id=‹secret›&scope=')
  })

  test('of half a character are found, too', () => {
    expect(without('%EF%BF%BD12345678 \ud80012345678', '\ud80012345678')).toBe('‹secret› ‹secret›')
  })

  test('of eight characters are found inside a word, and shorter ones are not', () => {
    expect(without('x12345678x', '12345678')).toBe('x‹secret›x')
    expect(without('x1234567x 1234567', '1234567')).toBe('x1234567x ‹secret›')
  })
})
