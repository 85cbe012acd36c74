import { describe, expect, test } from 'vitest'
import { CLIENT_ID, GRANT_TYPE, startService } from '../support/start-service.ts'

const FORM = 'application/x-www-form-urlencoded'
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
    ['JSON', json, { 'content-type': 'application/json' }],
    ['JSON of a vendor', json, { 'content-type': 'application/vnd.github+json' }],
    ['JSON without a type', json, {}],
    ['JSON said to be a form', json, { 'content-type': FORM }],
    ['form with unknown fields', `${form}&unknown=1&unknown=2`, { 'content-type': FORM }],
    ['JSON with unknown fields', `{"unknown":[{}],${json.slice(1)}`, { 'content-type': 'application/json' }],
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
    ['nothing', '', {}],
    ['an empty client ID', 'client_id=', {}],
    ['a repeated field', `${form}&client_id=${CLIENT_ID}`, {}],
    ['a repeated empty field', `${form}&client_id=`, {}],
    ['a repeated member', `{"client_id":"x",${json.slice(1)}`, { 'content-type': 'application/json' }],
    ['a repeated member with an escape', `{"client\\u005fid":"x",${json.slice(1)}`, {}],
    ['truncated JSON', json.slice(0, -1), { 'content-type': 'application/json' }],
    ['no JSON', form, { 'content-type': 'application/json' }],
    ['an array', '[]', { 'content-type': 'application/json' }],
    ['null', 'null', { 'content-type': 'application/json' }],
    ['a number for the client', '{"client_id":1}', {}],
    ['an array for the scope', JSON.stringify({ client_id: CLIENT_ID, scope: ['repo'] }), {}],
    ['no own member', '{"__proto__":{"client_id":"client-id-in-the-clear"}}', {}],
  ])('is refused with 400: %s', async (_, body, headers) => {
    for (const dialect of ['github', 'rfc8628']) {
      const response = await ask(body, headers as Record<string, string>, { dialect })
      expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
      expect(JSON.stringify(response.body)).not.toContain(CLIENT_ID)
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

test.each([undefined, '*/*', FORM])(
  'the response is JSON whatever the client accepts: %s',
  async (accept) => {
    const service = startService()
    const headers = accept === undefined ? {} : { accept }
    const codes = await service.post('/login/device/code', { client_id: CLIENT_ID }, headers)
    const fields = { client_id: CLIENT_ID, device_code: codes.body.device_code, grant_type: GRANT_TYPE }
    const polled = await service.post('/login/oauth/access_token', fields, headers)
    for (const { headers } of [codes, polled]) {
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(Number(headers.get('content-length'))).toBeGreaterThan(0)
    }
  },
)
