import { expect, test } from 'vitest'
import { noToken, notFinal, notJson, outcomeOf, wants } from '../../src/check/problems.ts'

const response = (
  status: number,
  body: { readonly error?: string; readonly access_token?: string } = {},
) => ({
  request: { method: 'POST', url: 'http://localhost/' } as const,
  status,
  headers: new Headers(),
  text: '',
  body,
  error: body.error,
})

test.each([
  ['a token', response(200, { access_token: 'a' }), 'got a token'],
  ['no response', response(0), 'no response'],
  ['status 500 without an error', response(500), 'status 500 without an error'],
  ['authorization_pending', response(200, { error: 'authorization_pending' }), 'got authorization_pending'],
  ['slow_down', response(400, { error: 'slow_down' }), 'got slow_down'],
  ['expired-2.b', response(400, { error: 'expired-2.b' }), undefined],
  ['an error code with unusual characters', response(400, { error: '<b>' }), undefined],
  ['an error code with unusual characters', response(400, { error: 'two words' }), undefined],
  ['an error code with unusual characters', response(400, { error: 'a\n' }), undefined],
])('a report names the outcome %s', (outcome, given, whyNotFinal) => {
  expect(outcomeOf(given)).toBe(outcome)
  expect(wants('access_denied')(given)).toBe(`wanted access_denied, got ${outcome}`)
  expect(notFinal(given)).toBe(whyNotFinal)
})

test.each([
  [response(201, { access_token: 'a' }), 'wanted status 200, got 201'],
  [response(200, { error: 'access_denied' }), 'wanted a token, got access_denied'],
])('a report says why %j is not a token', (given, why) => {
  expect(noToken(given)).toBe(why)
})

test('a type that only contains that of JSON is not JSON', () => {
  const headers = new Headers({ 'content-type': 'text/plain; of=application/json' })
  expect(notJson({ ...response(200), headers })).toContain('wanted application/json')
})
