import { describe, expect, test } from 'vitest'
import { type OAuthToken, type RedirectedError, rfc8628, viewOf } from '../../src/index.ts'
import { gapsOf, startFlow } from '../support/flow.ts'
import { expectNothingQuoted } from '../support/hostile-flow.ts'
import { responses } from '../support/responses.ts'
import type { Scripted } from '../support/scripted-service.ts'

// What a network can do is in test/hostile/responses.test.ts.

const { codes, denied, expired, pending, token } = responses

/** How a login ends, and how many requests it has sent. No error quotes a response. */
async function endOf(...script: Scripted[]) {
  const flow = startFlow(script, { scopes: ['asked'] })
  const end = await flow.result()
  const bodies = await Promise.all(script.map(textOf))
  if (end?.status === 'failed') expectNothingQuoted(end.error, bodies)
  return { ...end, requests: flow.sent.length }
}

/** The token that a login ends with. */
async function tokenFrom(response: Scripted): Promise<OAuthToken> {
  return ((await endOf(codes, response)) as unknown as { token: OAuthToken }).token
}

function textOf(response: Scripted): string | Promise<string> {
  if (response instanceof Response) return response.clone().text()
  return response instanceof Error ? '' : JSON.stringify(response)
}

const json = (body: unknown, status: number, headers: HeadersInit = {}) =>
  Response.json(body, { status, headers })

const form = (fields: object) => new Response(new URLSearchParams(fields as never).toString())

const later = { 'retry-after': '9' }

/** What `fetch` of Node throws. */
const failed = (cause = {}) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), cause) })

describe('codes', () => {
  test.each([
    [undefined, 5.25],
    [null, 5.25],
    ['2', 2.1],
    ['2.5', 3.15],
    [0.2, 1.05],
    [0, 1.05],
  ])('with the interval %j are polled for after %d seconds', async (interval, gap) => {
    expect(await gapsOf([{ ...codes, interval }, token])).toEqual([gap])
  })

  test.each([
    [undefined, 900],
    [null, 900],
    ['60', 60],
    [1e12, 366 * 86_400],
  ])('with the lifetime %j live for %d seconds', async (expires_in, secondsLeft) => {
    const { actor, time } = startFlow([{ ...codes, expires_in }])
    await time.settle()
    expect(viewOf(actor.getSnapshot(), time.now)).toMatchObject({ secondsLeft })
  })

  test('from a page in place of JSON are refused by the name of the request', async () => {
    expect(await endOf(new Response('<!doctype html>'))).toMatchObject({
      error: {
        code: 'bad_response',
        message: 'the device authorization response (POST github.com/login/device/code) is not a JSON object',
      },
    })
  })

  test.each([
    { interval: -5 },
    { interval: '2.' },
    { interval: [] },
    { interval: 1e300 },
    { expires_in: -1 },
    { expires_in: 'soon' },
    { expires_in: [900] },
    { device_code: '' },
    { device_code: 12_345_678 },
    { user_code: '' },
    { user_code: 12_345_678 },
    { user_code: 'AB\u001b[2J-words' },
    { verification_uri: 'javascript:alert(document.domain)' },
    { verification_uri: 'https://login.example/\u202egnp.exe' },
    { verification_uri: 'not a URL' },
    { verification_uri: 5 },
    { verification_uri_complete: 'file:///etc/passwd' },
  ])('with %j are refused by the name of the field', async (wrong) => {
    expect(await endOf({ ...codes, ...wrong })).toMatchObject({
      error: {
        code: 'bad_response',
        message: `the device authorization response (POST github.com/login/device/code) has no valid "${Object.keys(wrong)}"`,
      },
      requests: 1,
    })
  })

  test.each([
    ['with status 500', json(codes, 500)],
    ['beside an error', { ...codes, error: 'slow_down' }],
    ['in a form', form(codes)],
    ['from JSON with a mark of its byte order', new Response(`\ufeff${JSON.stringify(codes)}`)],
    ['from JSON with space around', new Response(`\r\n\t ${JSON.stringify(codes, null, 2)} \r\n`)],
    [
      'with a verification_url, and unknown fields',
      { ...codes, verification_uri: undefined, verification_url: codes.verification_uri, extra: 1 },
    ],
  ])('are read %s', async (_, response) => {
    expect(await endOf(response, token)).toMatchObject({ status: 'authorized' })
  })
})

describe('instead of codes', () => {
  test.each<[string, Response, object]>([
    ['a page', new Response('<html>'), { code: 'bad_response' }],
    ['an error with status 200', json({ error: 'invalid_scope' }, 200), { error: 'invalid_scope' }],
    [
      'an error for developers, with status 404',
      json({ error: 'device_flow_disabled' }, 404),
      { status: 404, message: expect.stringContaining('enable the device flow') },
    ],
    [
      'an error beside codes that are null',
      json({ device_code: null, error: 'invalid_scope' }, 200),
      { code: 'refused', error: 'invalid_scope' },
    ],
    [
      'an error beside codes that are empty',
      json({ device_code: '', error: 'invalid_scope' }, 200),
      { code: 'refused', error: 'invalid_scope' },
    ],
    ...[400, 429, 502, 503].map((status): [string, Response, object] => [
      `status ${status} without an error`,
      new Response('<html>', { status, headers: later }),
      { code: 'refused', error: undefined, status, retryAfter: 9 },
    ]),
  ])('%s ends the login', async (_, response, error) => {
    expect(await endOf(response)).toMatchObject({ status: 'failed', error, requests: 1 })
  })

  test('no connection names the host and the system’s reason', async () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    const { error } = (await endOf(new TypeError('fetch failed', { cause }))) as { error?: Error }
    expect(error).toMatchObject({ code: 'unreachable', reason: 'ECONNREFUSED' })
    expect(error).not.toHaveProperty('cause')
    expect(error?.message).toBe('github.com cannot be reached (ECONNREFUSED, POST /login/device/code)')
  })
})

describe('the response to a poll', () => {
  test.each<[string, Scripted]>([
    ...[400, 401, 403, 404, 500].map((status): [string, Response] => [
      `pending with status ${status}`,
      json(pending, status),
    ]),
    ['pending beside a token that is null', { access_token: null, token_type: null, ...pending }],
    ['pending beside a token that is empty', { access_token: '', scope: '', ...pending }],
    ['pending as Twitch says it', json({ status: 400, message: 'authorization_pending' }, 400)],
  ])('%s: the login continues', async (_, response) => {
    expect(await gapsOf([codes, response, token])).toEqual([5.25, 5.25])
  })

  test.each<[unknown, number]>([
    [12, 15.12],
    [11.5, 15.12],
    ['12', 15.12],
    [1, 12.6],
    [undefined, 12.6],
    [-1, 12.6],
    ['later', 12.6],
  ])('slow_down with the interval %j stays in effect after pending', async (interval, gap) => {
    const slow = json({ error: 'slow_down', interval }, 429)
    expect(await gapsOf([codes, slow, pending, token])).toEqual([5.25, gap, gap])
  })

  test.each<[string, Scripted]>([
    ['a connection that breaks', failed()],
    ['a 503 without a body', new Response(null, { status: 503 })],
    ['a 500 with an error of a web framework', json({ error: 'Internal Server Error' }, 500)],
    ['a 304, which speaks of a copy', new Response(null, { status: 304 })],
    ['a page with status 200', new Response('<html>Welcome to the hotel</html>')],
    ['an empty object', new Response('{}')],
    ['null', new Response('null')],
    ['JSON that ends early', new Response('{"access_token":"half-of-a-token')],
    ['bytes that are no text', new Response(Uint8Array.of(0xff, 0xfe, 0x00, 0x7b))],
    ['a member of a prototype', new Response('{"__proto__":{"access_token":"of-the-prototype"}}')],
  ])('%s is a fault: the next poll comes when it is due, and after another one later', async (_, fault) => {
    expect(await gapsOf([codes, pending, fault, fault, token])).toEqual([5.25, 5.25, 5.25, 7.875])
  })

  test.each<[string, Scripted]>([
    ['a connection that is not made in time', failed({ code: 'UND_ERR_CONNECT_TIMEOUT' })],
    ['a connection that the system gives up', failed({ code: 'ETIMEDOUT' })],
    ['a time limit of the caller’s fetch', new DOMException('The operation timed out.', 'TimeoutError')],
    ['a 408', new Response('{}', { status: 408 })],
    ['a 429', new Response('{}', { status: 429 })],
    ['a 403 as Google limits requests', json({ error_code: 'rate_limit_exceeded' }, 403, later)],
    ['a 503 with Retry-After', new Response(null, { status: 503, headers: later })],
  ])('%s is a fault that asks for slower polls: the next one is later', async (_, fault) => {
    expect(await gapsOf([codes, pending, fault, fault, token])).toEqual([5.25, 5.25, 10.5, 21])
  })

  test.each<[object, Scripted]>([
    [{ status: 'denied' }, denied],
    [{ status: 'denied' }, json(denied, 400)],
    [{ status: 'expired' }, json(expired, 400)],
    [{ status: 'expired' }, { error: 'token_expired' }],
    [{ error: { error: 'my_own_error', status: 200 } }, { error: 'my_own_error' }],
    [{ error: { error: undefined, status: 400 } }, new Response(null, { status: 400 })],
    [{ error: { error: 'forbidden', status: 403 } }, json({ error: 'forbidden' }, 403, later)],
    [{ error: { code: 'refused', status: 404 } }, new Response('{}', { status: 404, headers: later })],
    ...[
      ...['incorrect_client_credentials', 'incorrect_device_code', 'device_flow_disabled'],
      ...['invalid_request', 'invalid_client', 'invalid_grant', 'invalid_scope', 'unsupported_grant_type'],
    ].map((error): [object, Response] => [{ error: { code: 'refused', error } }, json({ error }, 500)]),
  ])('ends the login: %j', async (end, response) => {
    expect(await endOf(codes, response, token)).toMatchObject({ ...end, requests: 2 })
  })

  test.each([
    ['https://evil.example/there?code=secret', { host: 'evil.example' }],
    // The client ID is "id".
    ['https://hidden.example/', { host: 'hidden.example' }],
    ['https://id.example/', {}],
    [`https://${codes.device_code}.evil.example/`, {}],
    ['/there?code=secret', { path: '/there' }],
    [`/there/${codes.device_code}`, { path: '/there/‹secret›' }],
    ['https://', {}],
    // Only the query is another one.
    ['?code=secret', {}],
  ])('that redirects is not followed: %s', async (location, { host, path }: Partial<RedirectedError>) => {
    const redirect = new Response(null, { status: 307, headers: { location } })
    const flow = startFlow([codes, redirect], { clientId: 'id' })
    const { error } = (await flow.result()) as { error: RedirectedError }
    expect([error.code, error.host, error.path]).toEqual(['redirected', host, path])
    expect(error.message).not.toMatch(/secret|there/)
    expect(flow.sent.map(({ redirect }) => redirect)).toEqual(['manual', 'manual'])
  })
})

describe('a token', () => {
  test.each<[string, Scripted, readonly string[]]>([
    ['scopes by commas', token, ['repo', 'gist']],
    ['scopes by spaces, which GitHub does not use', { ...token, scope: 'repo gist' }, ['repo gist']],
    ['no scopes', { ...token, scope: '' }, []],
    ['scopes that are null', { ...token, scope: null }, ['asked']],
    ['the scopes left out', { ...token, scope: undefined }, ['asked']],
    ['its type left out', { ...token, token_type: undefined }, ['repo', 'gist']],
    ['an error beside it', { ...token, error: 'slow_down', extra: 1 }, ['repo', 'gist']],
    ['status 500', json(token, 500), ['repo', 'gist']],
    ['the encoding of a form', form(token), ['repo', 'gist']],
    ['JSON called text', new Response(JSON.stringify(token)), ['repo', 'gist']],
  ])('with %s is read', async (_, response, scopes) => {
    const missingScopes = scopes.includes('asked') ? [] : ['asked']
    expect(await endOf(codes, response)).toMatchObject({
      token: { scopes, missingScopes, tokenType: 'bearer' },
    })
  })

  test('may separate scopes by a space where the provider says so', async () => {
    const provider = rfc8628({
      deviceAuthorizationEndpoint: 'https://login.example/device',
      tokenEndpoint: 'https://login.example/token',
    })
    const flow = startFlow([codes, { ...token, scope: 'a b' }], { provider, scopes: ['a', 'b'] })
    expect(await flow.result()).toMatchObject({ token: { scopes: ['a', 'b'] } })
    expect(flow.sent[0]?.body).toContain('scope=a+b')
  })

  test.each([
    { access_token: '' },
    { access_token: 12_345_678 },
    { access_token: 'gho_\u001b[2Jmoves-the-cursor' },
    { access_token: 'gho_line\nbreak' },
    { access_token: 'gho_ümlaut' },
    { access_token: 'gho_\u007fdelete' },
    { scope: 7 },
  ])('with %j is refused by the name of the field', async (wrong) => {
    const message = `the token response (POST github.com/login/oauth/access_token) has no valid "${Object.keys(wrong)}"`
    const error = { code: 'bad_response', message }
    expect(await endOf(codes, { ...token, ...wrong })).toMatchObject({ error, requests: 2 })
  })

  test.each<[object, object]>([
    [{ token_type: 'DPoP' }, { tokenType: 'DPoP', warning: 'not_bearer' }],
    [{ token_type: { toString: null } }, { tokenType: '', warning: 'not_bearer' }],
    [{ token_type: 'bearer\u001b[2J' }, { tokenType: '', warning: 'not_bearer' }],
    [{ token_type: 'BEARER' }, { warning: undefined }],
    [{ token_type: null }, { tokenType: 'bearer', warning: undefined }],
    [{ refresh_token: 'ghr_\u001b[2J' }, { refreshToken: undefined }],
    [{ refresh_token: '' }, { refreshToken: undefined }],
  ])('is not lost where a field beside it could deceive: %j', async (wrong, expected) => {
    const received = await tokenFrom({ ...token, ...wrong })
    expect({ warning: undefined, refreshToken: undefined, ...received }).toMatchObject(expected)
    expect(received.accessToken.reveal()).toBe(token.access_token)
  })

  test('may have any visible ASCII character', async () => {
    const access_token = String.fromCharCode(...Array.from({ length: 0x7e - 0x20 + 1 }, (_, i) => 0x20 + i))
    expect((await tokenFrom({ ...token, access_token })).accessToken.reveal()).toBe(access_token)
  })

  test('tells when it ends, by the clock of the service', async () => {
    const date = Date.UTC(2030, 0, 1)
    const more = { expires_in: 28_800, refresh_token: 'ghr_1', refresh_token_expires_in: '15811200' }
    const response = json({ ...token, ...more }, 200, { date: new Date(date).toUTCString() })
    const received = await tokenFrom(response)
    expect(received).toMatchObject({
      missingScopes: ['asked'],
      expiresIn: 28_800,
      expiresAt: date + 28_800_000,
      refreshTokenExpiresIn: 15_811_200,
      refreshTokenExpiresAt: date + 15_811_200_000,
    })
    expect(received.refreshToken?.reveal()).toBe('ghr_1')
  })

  test('is not lost where its lifetime cannot be read', async () => {
    const end = await endOf(codes, { ...token, expires_in: 'soon', refresh_token: 5 })
    expect(end).not.toHaveProperty('token.expiresIn')
    expect(end).not.toHaveProperty('token.refreshToken')
  })
})
