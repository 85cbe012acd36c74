import { expect, test } from 'vitest'
import { readFields } from '../../src/service/http/fields.ts'

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Reads the fields `a` and `b` of this body. */
function read(contentType: string | undefined, body: string) {
  const header = (name: string) => (name === 'content-type' ? contentType : undefined)
  const request = { method: 'POST', host: '', path: '/', address: '', query: new URLSearchParams() }
  return readFields({ ...request, body, header, isGone: () => false }, ['a', 'b'])
}

test.each([
  ['a form', FORM_TYPE, 'a=1&c=2'],
  ['a form without a type', undefined, 'a=1'],
  ['a form whose value looks like an object', undefined, 'a=1&c={'],
  ['a type that names JSON in a parameter only', 'text/plain; as=application/json', 'a=1'],
  ['JSON', JSON_TYPE, '{"a":"1","b":null}'],
  ['JSON with a charset', 'Application/JSON; charset=utf-8', '{"a":"1"}'],
  ['JSON of another format', 'application/vnd.api+json', '{"a":"1","b":""}'],
  ['JSON that is declared to be a form', FORM_TYPE, ' \n{"a":"1"}'],
  ['nested members of the same name', JSON_TYPE, '{"c":{"a":"2"},"d":["a"],"a":"1"}'],
  ['a value that is the name', JSON_TYPE, '{"c":"a","a":"1"}'],
])('%s is read', (_, contentType, body) => {
  expect(read(contentType, body)).toEqual({ ok: true, fields: { a: '1' } })
})

test.each([
  ['a form field twice', FORM_TYPE, 'b=1&b=2', 'the field b is repeated'],
  ['a member twice', JSON_TYPE, '{"a":"1","\\u0061":"2"}', 'the field a is repeated'],
  ['a number', JSON_TYPE, '{"b":1}', 'the field b is not a string'],
  ['text', JSON_TYPE, 'a=1', 'the body is not a JSON object'],
  ['an unfinished object', undefined, '{"a":"1"', 'the body is not a JSON object'],
  ['an array', 'application/vnd.api+json', '["a"]', 'the body is not a JSON object'],
  ['null', JSON_TYPE, 'null', 'the body is not a JSON object'],
  ['a string', JSON_TYPE, '"a"', 'the body is not a JSON object'],
])('%s is refused', (_, contentType, body, problem) => {
  expect(read(contentType, body)).toEqual({ ok: false, problem })
})
