import { describe, expect, test } from 'vitest'
import { CLIENT_ID, startService } from '../support/start-service.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = { 'content-type': 'application/json' }
const form = `client_id=${CLIENT_ID}&scope=repo`
const json = JSON.stringify({ client_id: CLIENT_ID, scope: 'repo' })

function ask(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, options = {}) {
  // As bytes, so that fetch does not add a content type.
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return startService(options).send('/login/device/code', { method: 'POST', headers, body: bytes })
}

const basic = (credentials: string) => ({ authorization: `Basic ${btoa(credentials)}` })

describe('a body', () => {
  test.each([
    ['form', form, { 'content-type': FORM }],
    ['form with a charset', form, { 'content-type': `${FORM}; charset=UTF-8` }],
    ['form of another type', form, { 'content-type': 'text/plain' }],
    ['form whose value looks like an object', `unknown={&${form}&x={`, {}],
    ['form of a type with JSON in a parameter', form, { 'content-type': 'text/plain; as=application/json' }],
    ['JSON', json, JSON_TYPE],
    ['JSON after a space', ` \n${json}`, {}],
    ['JSON of a vendor', json, { 'content-type': 'application/vnd.github+json' }],
    ['JSON without a type', json, {}],
    ['JSON said to be a form', json, { 'content-type': FORM }],
    ['form with unknown fields', `${form}&unknown=1&unknown=2`, { 'content-type': FORM }],
    ['JSON with unknown fields', `{"unknown":[{}],${json.slice(1)}`, JSON_TYPE],
    [
      'JSON with its names inside unknown fields',
      `{"unknown":[{"scope":"a"},{"scope":"b"}],"more":{"x":0,"client_id":"x"},${json.slice(1)}`,
      {},
    ],
    ['JSON with a name inside a text', `{"unknown":"\\",\\"client_id\\":\\"x",${json.slice(1)}`, {}],
    ['JSON with a name as a text', `{"unknown":"client_id",${json.slice(1)}`, {}],
    ['JSON with an escaped name', json.replace('client_id', 'client\\u005fid'), {}],
    ['JSON with null', JSON.stringify({ client_id: CLIENT_ID, scope: null }), {}],
  ])('is read: %s', async (_, body, headers) => {
    expect((await ask(body, headers as Record<string, string>)).status).toBe(200)
  })

  test.each([
    ['nothing', '', {}, 'the field client_id is missing'],
    ['an empty client ID', 'client_id=', {}, 'the field client_id is missing'],
    ['a repeated field', `${form}&client_id=${CLIENT_ID}`, {}, 'the field client_id is repeated'],
    ['a repeated empty field', `${form}&client_id=`, {}, 'the field client_id is repeated'],
    ['a repeated member', `{"client_id":"x",${json.slice(1)}`, JSON_TYPE, 'the field client_id is repeated'],
    [
      'a repeated, escaped member',
      `{"client\\u005fid":"x",${json.slice(1)}`,
      {},
      'the field client_id is repeated',
    ],
    ['truncated JSON', json.slice(0, -1), JSON_TYPE, 'the body is not a JSON object'],
    ['no JSON', form, { 'content-type': 'Application/JSON; charset=utf-8' }, 'the body is not a JSON object'],
    ['an array', '[]', { 'content-type': 'application/vnd.api+json' }, 'the body is not a JSON object'],
    ['null', 'null', JSON_TYPE, 'the body is not a JSON object'],
    ['text', '"client_id"', JSON_TYPE, 'the body is not a JSON object'],
    ['a number for the client', '{"client_id":1}', {}, 'the field client_id is not a string'],
    ['an array for the scope', '{"scope":["repo"]}', {}, 'the field scope is not a string'],
    ['no own member', `{"__proto__":${json}}`, {}, 'the field client_id is missing'],
  ])('is refused with 400: %s', async (_, body, headers, error_description) => {
    for (const dialect of ['github', 'rfc8628']) {
      const response = await ask(body, headers as Record<string, string>, { dialect })
      expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request', error_description } })
    }
  })

  test('larger than 64 KiB is refused', async () => {
    const most = `${form}&unknown=`.padEnd(64 * 1024, 'x')
    expect((await ask(most)).status).toBe(200)
    expect((await ask(`${most}x`)).status).toBe(413)
  })
})

describe('the client ID', () => {
  test.each([
    ['in a Basic header alone', 'scope=repo', basic(`${CLIENT_ID}:`)],
    ['in both, the same', form, basic(`${CLIENT_ID}:`)],
    ['in a Basic header, form-encoded', '', basic(`${CLIENT_ID.replaceAll('-', '%2D')}:`)],
    ['beside a password in the body, which it does not need', `${form}&client_secret=x`, {}],
    ['beside a header of another scheme', form, { authorization: 'token abc' }],
  ])('is read %s', async (_, body, headers) => {
    expect((await ask(body, headers)).status).toBe(200)
  })

  test.each([
    ['in both, and they differ', form, basic('another:'), 400, 'invalid_request'],
    ['in a header that is no base64', '', { authorization: 'Basic *' }, 400, 'invalid_request'],
    ['in a header without a colon', '', basic(CLIENT_ID), 400, 'invalid_request'],
    ['in a header with half an escape', '', basic('%E0%A4:'), 401, 'invalid_client'],
    ['with a password', form, basic(`${CLIENT_ID}:guess`), 401, 'invalid_client'],
    ['unknown', '', basic('nobody:'), 401, 'invalid_client'],
  ])('is refused %s', async (_, body, headers, status, error) => {
    const response = await ask(body, headers, { dialect: 'rfc8628' })
    expect(response).toMatchObject({ status, body: { error } })
  })
})
