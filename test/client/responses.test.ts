import { describe, expect, test } from 'vitest'
import type { AnyAuthgraphError, OAuthToken } from '../../src/index.ts'
import { startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

// What breaks other clients is in test/hostile/responses-contract.ts, over sockets.

const { codes, token } = responses

async function failure(...script: Parameters<typeof startFlow>[0]): Promise<AnyAuthgraphError> {
  const result = await startFlow(script).result()
  if (result?.status !== 'failed') throw new Error(`not failed but ${result?.status}`)
  return result.error
}

describe('the device authorization response', () => {
  test('is refused by the names of its invalid fields', async () => {
    const error = await failure({ ...codes, interval: -5 })
    expect(error.message).toBe('the device authorization response has no valid "interval"')
  })

  test('may refuse with words for developers', async () => {
    const error = await failure({ error: 'device_flow_disabled' })
    expect(error.message).toContain('enable the device flow')
  })

  test.each([
    ['with status 400', Response.json(codes, { status: 400 })],
    ['with status 500', Response.json(codes, { status: 500 })],
    ['beside an error', { ...codes, error: 'slow_down' }],
  ])('holds codes %s', async (_, response) => {
    expect(await startFlow([response, token]).result()).toMatchObject({ status: 'authorized' })
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

  test.each([
    [
      'a 403 with Retry-After and an error',
      Response.json({ error: 'forbidden' }, { status: 403, headers: { 'retry-after': '9' } }),
    ],
    ['another status with Retry-After', new Response('{}', { status: 404, headers: { 'retry-after': '9' } })],
  ])('that is %s ends the flow', async (_, response) => {
    expect(await failure(codes, response, token)).toMatchObject({ code: 'refused' })
  })

  test('that redirects is not followed', async () => {
    const response = new Response(null, { status: 307, headers: { location: 'https://evil.example/' } })
    const flow = startFlow([codes, response])
    expect(await flow.result()).toMatchObject({ error: { code: 'redirected' } })
    expect(flow.sent.map(({ redirect }) => redirect)).toEqual(['manual', 'manual'])
  })

  test('that speaks of a copy, with 304, is no redirect: the next poll asks again', async () => {
    const flow = startFlow([codes, new Response(null, { status: 304 }), token])
    expect(await flow.result()).toMatchObject({ status: 'authorized' })
  })
})
