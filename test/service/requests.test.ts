import { describe, expect, test, vi } from 'vitest'
import { createService } from '../../src/service/index.ts'
import { embedded } from '../support/service.ts'

const PATH = '/login/device/code'

describe('a request', () => {
  test.each([
    ['a form', 'client_id=id&scope=', 'application/x-www-form-urlencoded'],
    ['a form with a charset', 'client_id=id', 'application/x-www-form-urlencoded; charset=UTF-8'],
    ['JSON', '{"client_id":"id","unknown":{"a":1}}', 'application/json'],
    ['JSON with a charset', '{"client_id":"id"}', 'application/json; charset=utf-8'],
    ['a form called text', 'client_id=id', 'text/plain'],
    ['a form of no type', 'client_id=id', ''],
  ])('may be %s', async (_, body, type) => {
    const { status } = await embedded().post(PATH, body, { 'content-type': type })
    expect(status).toBe(200)
  })

  test.each([
    ['repeats a field', 'client_id=id&client_id=id', 'application/x-www-form-urlencoded'],
    ['is a list', '[]', 'application/json'],
    ['is broken JSON', '{"client_id', 'application/json'],
  ])('that %s is invalid', async (_, body, type) => {
    const answer = await embedded().post(PATH, body, { 'content-type': type })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test.each(['text/html', '*/*', 'application/x-www-form-urlencoded'])(
    'that accepts %s gets JSON',
    async (accept) => {
      const { headers } = await embedded().post(PATH, { client_id: 'id' }, { accept })
      expect(headers.get('content-type')).toContain('application/json')
    },
  )

  test('may name the client in a Basic header with an empty password', async () => {
    const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` })
    const { post } = embedded()
    expect((await post(PATH, {}, basic('id:'))).status).toBe(200)
    expect((await post(PATH, { client_id: 'id' }, basic('id:'))).status).toBe(200)
    expect((await post(PATH, { client_id: 'other' }, basic('id:'))).body.error).toBe('invalid_request')
    expect((await post(PATH, {}, { authorization: 'Basic %%%' })).body.error).toBe('invalid_request')
  })

  test('larger than 64 KiB is not read', async () => {
    const { service } = embedded()
    const answer = await service.fetch(`http://localhost${PATH}`, {
      method: 'POST',
      body: 'x'.repeat(70_000),
    })
    expect(answer.status).toBe(413)
  })

  test('is read in a browser that cannot iterate over a stream', async () => {
    const { service } = embedded()
    const body = new URLSearchParams({ client_id: 'id' })
    const request = new Request(`http://localhost${PATH}`, { method: 'POST', body })
    Object.defineProperty(request.body, Symbol.asyncIterator, { value: undefined })
    expect((await service.fetch(request)).status).toBe(200)
  })

  test.each([
    ['GET', '/nowhere', 404, null],
    ['GET', PATH, 405, 'POST'],
    ['DELETE', '/login/device', 405, 'GET, POST'],
    ['POST', '/user', 405, 'GET'],
    ['GET', '/constructor', 404, null],
  ])('%s %s is answered with %d', async (method, path, status, allow) => {
    const answer = await embedded().service.fetch(`http://localhost${path}`, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow])
  })

  test('to the wrong one of two hosts finds nothing', async () => {
    const { service } = embedded({ authUrl: 'https://login.example', baseUrl: 'https://api.example/v3/' })
    const status = async (url: string, method = 'POST') => (await service.fetch(url, { method })).status
    expect(await status(`https://login.example${PATH}`)).toBe(400)
    expect(await status(`https://api.example${PATH}`)).toBe(404)
    expect(await status(`https://api.example/v3${PATH}`)).toBe(404)
    expect(await status('https://api.example/v3/user', 'GET')).toBe(401)
    expect(await status('https://login.example/v3/user', 'GET')).toBe(404)
    expect(await status('https://login.example/user', 'GET')).toBe(404)
  })

  test('never names the addresses that are answered', async () => {
    const { service } = embedded({ authUrl: 'https://login.example/' })
    const answer = await service.fetch(`https://login.example${PATH}`, {
      method: 'POST',
      body: 'client_id=id',
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    })
    expect((await answer.json()).verification_uri).toBe('https://login.example/login/device')
  })

  test('that fails inside is told nothing of why', async () => {
    const onError = vi.fn()
    const store = { update: () => Promise.reject(new Error('password of the store')) }
    const { post } = embedded({ store, onError })
    const { status, body } = await post(PATH, { client_id: 'id' })
    expect(status).toBe(500)
    expect(body).toEqual({ error: 'server_error', error_description: 'the service failed' })
    expect(onError).toHaveBeenCalled()
  })
})

describe('the API', () => {
  test.each([
    [undefined, 401, 'Bearer realm="authgraph"'],
    ['Bearer unknown', 401, 'Bearer realm="authgraph", error="invalid_token"'],
    ['Bearer two words', 400, 'Bearer realm="authgraph", error="invalid_request"'],
  ])('refuses the credential %j with %d', async (authorization, status, challenge) => {
    const { service } = embedded()
    const answer = await service.fetch('http://localhost/user', {
      headers: authorization ? { authorization } : {},
    })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([status, challenge])
  })
})

describe('a service', () => {
  test.each([{ interval: 0 }, { interval: 1.5 }, { expiresIn: 0 }, { interval: Number.NaN }])(
    'is not made with %j',
    (options) => {
      expect(() => createService({ clients: [], ...options })).toThrow(
        expect.objectContaining({ code: 'bad_option' }),
      )
    },
  )

  test('works by its functions alone', async () => {
    const { fetch, approve, deny, authenticate } = embedded().service
    expect((await fetch(new Request('http://localhost/user'))).status).toBe(401)
    expect(await approve('XXXX-XXXX', 'a')).toBe('unknown')
    expect(await deny('XXXX-XXXX')).toBe('unknown')
    expect(await authenticate({ headers: new Headers() })).toEqual({ form: 'none' })
  })
})
