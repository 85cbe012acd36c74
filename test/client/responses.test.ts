import { describe, expect, test } from 'vitest'
import { type AnyAuthgraphError, type OAuthToken, rfc8628 } from '../../src/index.ts'
import { startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

const { codes, denied, expired, pending, token } = responses

async function failure(...script: Parameters<typeof startFlow>[0]): Promise<AnyAuthgraphError> {
  const result = await startFlow(script).result()
  if (result?.status !== 'failed') throw new Error(`not failed but ${result?.status}`)
  return result.error
}

describe('the device authorization response', () => {
  test.each([
    ['an interval below zero', { interval: -5 }],
    ['an interval that is no number', { interval: 'abc' }],
    ['a lifetime below zero', { expires_in: -1 }],
    ['a lifetime that is no number', { expires_in: 'soon' }],
    ['no device code', { device_code: '' }],
    ['a user code with terminal escapes', { user_code: 'AB\u001b[2J' }],
    ['an address that is a script', { verification_uri: 'javascript:alert(1)' }],
    ['an address with a line break', { verification_uri: 'https://a.example/\n' }],
    ['an address with an escape', { verification_uri: 'https://a.example/\u001b]' }],
    ['a complete address that is a file', { verification_uri_complete: 'file:///etc/passwd' }],
  ])('with %s is refused by the name of the field', async (_, wrong) => {
    const [field] = Object.keys(wrong)
    const error = await failure({ ...codes, ...wrong })
    expect(error).toMatchObject({ code: 'bad_response' })
    expect(error.message).toBe(`the device authorization response has no valid "${field}"`)
  })

  test.each(['{}', '[]', 'null', '"text"', '<html>', '{"device_co', ''])(
    'that is %j is not a valid response',
    async (body) => {
      expect(await failure(new Response(body))).toMatchObject({ code: 'bad_response' })
    },
  )

  test.each<[string, Record<string, string>]>([
    ['no length', {}],
    ['its length', { 'content-length': '1638400' }],
    ['its length when compressed', { 'content-length': '1600', 'content-encoding': 'gzip' }],
  ])('of more than 64 KiB that says %s is not read to its end', async (_, headers) => {
    let produced = 0
    const long = new ReadableStream({
      pull(controller) {
        produced += 1
        controller.enqueue(new Uint8Array(16 * 1024))
        if (produced === 100) controller.close()
      },
    })
    const flow = startFlow([codes], { fetch: async () => new Response(long, { headers }) })
    expect(await flow.result()).toMatchObject({ error: { code: 'response_too_large' } })
    expect(produced).toBeLessThan(10)
  })

  test.each([200, 400, 404])(
    'that holds an error with status %d is a refusal with that code',
    async (status) => {
      const error = await failure(Response.json({ error: 'device_flow_disabled' }, { status }))
      expect(error).toMatchObject({ code: 'refused', error: 'device_flow_disabled', status })
      expect(error.message).toContain('enable the device flow')
    },
  )

  test.each([400, 429, 502, 503])('with status %d and no error is a refusal, at once', async (status) => {
    const headers = { 'retry-after': '2' }
    const flow = startFlow([new Response('<html>secret-of-the-page</html>', { status, headers })])
    const error = { code: 'refused', error: undefined, status, retryAfter: 2 }
    expect(await flow.result()).toMatchObject({ error })
    expect(flow.sent).toHaveLength(1)
  })

  test('may be a form, may say verification_url, and may hold more than we know', async () => {
    const { verification_uri, ...rest } = codes
    const fields = { ...rest, verification_url: verification_uri, extra: '1' }
    const form = new URLSearchParams(fields as never).toString()
    const flow = startFlow([new Response(form), token])
    await flow.time.settle()
    expect(flow.actor.getSnapshot().context.codes).toMatchObject({
      userCode: 'WDJB-MJHT',
      verificationUri: verification_uri,
    })
  })

  test.each([null, ''])('is a refusal where the codes beside the error are %j', async (device_code) => {
    const error = await failure({ device_code, user_code: device_code, error: 'invalid_scope' })
    expect(error).toMatchObject({ code: 'refused', error: 'invalid_scope' })
  })

  test.each([
    ['with status 400', Response.json(codes, { status: 400 })],
    ['with status 500', Response.json(codes, { status: 500 })],
    ['beside an error', { ...codes, error: 'slow_down' }],
  ])('holds codes %s', async (_, response) => {
    expect(await startFlow([response, token]).result()).toMatchObject({ status: 'authorized' })
  })

  test('that does not come is given up after 30 seconds', async () => {
    const flow = startFlow(['hang'])
    await flow.time.advance(30_000)
    expect(flow.actor.getSnapshot().output).toMatchObject({
      error: { name: 'TimedOutError', code: 'timed_out' },
    })
  })

  test('that cannot be had names the host and the system’s reason', async () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    const error = await failure(new TypeError('fetch failed', { cause }))
    expect(error).toMatchObject({ code: 'unreachable', reason: 'ECONNREFUSED' })
    expect(error).not.toHaveProperty('cause')
    expect(error.message).toBe('github.com cannot be reached: ECONNREFUSED')
  })
})

describe('the response to a poll', () => {
  test.each([200, 400, 401])('is read by its body, with status %d', async (status) => {
    const flow = startFlow([codes, Response.json(pending, { status }), Response.json(token, { status })])
    expect(await flow.result()).toMatchObject({ status: 'authorized' })
  })

  test.each([
    ['denied', denied],
    ['expired', expired],
    ['expired', { error: 'token_expired' }],
  ])('ends as %s', async (status, response) => {
    expect(await startFlow([codes, response]).result()).toEqual({ status })
  })

  test.each([
    ['repo,gist', ['repo', 'gist']],
    ['repo gist', ['repo gist']],
    ['', []],
    [null, ['asked']],
    [undefined, ['asked']],
  ])('with the scope %j grants %j', async (scope, scopes) => {
    const flow = startFlow([codes, { ...token, scope }], { scopes: ['asked'] })
    expect(await flow.result()).toMatchObject({ token: { scopes } })
  })

  test('may separate scopes by a space where the provider says so', async () => {
    const provider = rfc8628({
      deviceAuthorizationEndpoint: 'https://login.example/device',
      tokenEndpoint: 'https://login.example/token',
    })
    const flow = startFlow([codes, { ...token, scope: 'repo gist' }], { provider, scopes: ['repo', 'gist'] })
    expect(await flow.result()).toMatchObject({ token: { scopes: ['repo', 'gist'] } })
    expect(flow.sent.map(({ url }) => url)).toEqual([
      'https://login.example/device',
      'https://login.example/token',
    ])
    expect(flow.sent[0]?.body).toContain('scope=repo+gist')
  })

  test('may leave out the type of the token, and may hold an error beside it', async () => {
    const { token_type, ...rest } = token
    const flow = startFlow([codes, { ...rest, error: 'slow_down', extra: 1 }])
    expect(await flow.result()).toMatchObject({ token: { tokenType: 'bearer' } })
  })

  test.each([null, ''])('continues if the token beside the error is %j', async (access_token) => {
    const beside = { access_token, scope: access_token, ...pending }
    const flow = startFlow([codes, beside, { ...token, error: null }])
    expect(await flow.result()).toMatchObject({ status: 'authorized' })
  })

  test('tells when the tokens end, by the clock of the service', async () => {
    const date = Date.UTC(2030, 0, 1)
    const more = { refresh_token: 'ghr_1', refresh_token_expires_in: '15811200' }
    const record = { ...token, expires_in: 28_800, ...more }
    const response = Response.json(record, { headers: { date: new Date(date).toUTCString() } })
    const flow = startFlow([codes, response], { scopes: ['repo', 'user'] })
    const { token: received } = (await flow.result()) as { token: OAuthToken }
    expect(received).toMatchObject({
      scopes: ['repo', 'gist'],
      missingScopes: ['user'],
      expiresIn: 28_800,
      expiresAt: date + 28_800_000,
      refreshTokenExpiresIn: 15_811_200,
      refreshTokenExpiresAt: date + 15_811_200_000,
    })
    expect(received.refreshToken?.reveal()).toBe('ghr_1')
  })

  test('is no reason to lose the token where its lifetime cannot be read', async () => {
    const flow = startFlow([codes, { ...token, expires_in: 'soon', refresh_token: 5 }])
    const { token: received } = (await flow.result()) as { token: OAuthToken }
    expect(received).not.toHaveProperty('expiresIn')
    expect(received).not.toHaveProperty('refreshToken')
  })

  test.each([
    ...['incorrect_client_credentials', 'incorrect_device_code', 'device_flow_disabled', 'invalid_request'],
    ...['invalid_client', 'invalid_grant', 'invalid_scope', 'unsupported_grant_type'],
  ])('that says %s ends the flow even with a status of 500', async (code) => {
    const error = await failure(codes, Response.json({ error: code }, { status: 500 }), token)
    expect(error).toMatchObject({ code: 'refused', error: code })
  })

  test('that says "Internal Server Error" under error, with a status of 500, is a fault that passes', async () => {
    const broken = Response.json({ error: 'Internal Server Error' }, { status: 500 })
    expect(await startFlow([codes, broken, token]).result()).toMatchObject({ status: 'authorized' })
  })

  test.each([
    [
      'Twitch says that it is pending',
      Response.json({ status: 400, message: 'authorization_pending' }, { status: 400 }),
    ],
    [
      'Google limits requests',
      Response.json({ error_code: 'rate_limit_exceeded' }, { status: 403, headers: { 'retry-after': '9' } }),
    ],
  ])('with which %s leaves the flow waiting', async (_, response) => {
    expect(await startFlow([codes, response, token]).result()).toMatchObject({ status: 'authorized' })
  })

  test('may be a form, or JSON called text', async () => {
    const form = new Response(new URLSearchParams(token).toString())
    expect(await startFlow([codes, form]).result()).toMatchObject({ token: { scopes: ['repo', 'gist'] } })
    const text = new Response(JSON.stringify(token), { headers: { 'content-type': 'text/plain' } })
    expect(await startFlow([codes, text]).result()).toMatchObject({ status: 'authorized' })
  })

  test.each([
    ['an empty token', { ...token, access_token: '' }, 'access_token'],
    ['a token that writes to the terminal', { ...token, access_token: 'gho_\u001b]0;' }, 'access_token'],
    ['a token that is a number', { ...token, access_token: 12345678 }, 'access_token'],
    ['scopes in a list', { ...token, scope: [] }, 'scope'],
  ])('with %s is a typed error', async (_, response, field) => {
    const error = await failure(codes, response)
    expect(error).toMatchObject({ code: 'bad_response' })
    expect(error.message).toBe(`the token response has no valid "${field}"`)
  })

  test.each([
    [Response.json({ error: 'my_own_error' }), { error: 'my_own_error', status: 200 }],
    [
      Response.json({ error: 'unsupported_grant_type' }, { status: 404 }),
      { error: 'unsupported_grant_type', status: 404 },
    ],
    [Response.json({ error: 'invalid_client' }, { status: 401 }), { error: 'invalid_client', status: 401 }],
    [new Response(null, { status: 400 }), { error: undefined, status: 400 }],
  ])('that refuses ends the flow with the code and the status', async (response, expected) => {
    const error = await failure(codes, response)
    expect(error).toMatchObject({ code: 'refused', ...expected })
    expect(error.message).not.toContain('my_own_error')
  })

  test.each([
    ['a 403 without Retry-After', new Response('{}', { status: 403 })],
    [
      'a 403 with Retry-After and an error',
      Response.json({ error: 'forbidden' }, { status: 403, headers: { 'retry-after': '9' } }),
    ],
    ['another status with Retry-After', new Response('{}', { status: 404, headers: { 'retry-after': '9' } })],
  ])('that is %s ends the flow', async (_, response) => {
    expect(await failure(codes, response, token)).toMatchObject({ code: 'refused' })
  })

  test.each([301, 302, 303, 307, 308])('that redirects with %d is not followed', async (status) => {
    const response = new Response(null, { status, headers: { location: 'https://evil.example/' } })
    const flow = startFlow([codes, response])
    expect(await flow.result()).toMatchObject({ error: { code: 'redirected' } })
    expect(flow.sent.map(({ redirect }) => redirect)).toEqual(['manual', 'manual'])
  })

  test('that speaks of a copy, with 304, is no redirect: the next poll asks again', async () => {
    const flow = startFlow([codes, new Response(null, { status: 304 }), token])
    expect(await flow.result()).toMatchObject({ status: 'authorized' })
  })
})
