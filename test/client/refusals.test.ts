import { describe, expect, test } from 'vitest'
import { RefusedError, refresh, rfc8628, Secret } from '../../src/index.ts'
import { startFlow } from '../support/flow.ts'
import { oldToken } from '../support/old-token.ts'
import { responses } from '../support/responses.ts'
import { type Scripted, scripted } from '../support/scripted-service.ts'

const { codes, pending, token } = responses

const CLIENT_ID = 'client-id-in-the-clear'

type Options = Parameters<typeof startFlow>[1]

async function refusal(script: Scripted[], options?: Options): Promise<RefusedError> {
  const result = await startFlow(script, options).result()
  if (result?.status !== 'failed' || !(result.error instanceof RefusedError))
    throw new Error(`not refused but ${result?.status}`)
  return result.error
}

async function refusedRefresh(body: object, refreshToken: string): Promise<RefusedError> {
  const { options } = scripted(body)
  const old = { ...oldToken, refreshToken: new Secret(refreshToken) }
  return refresh(old, { ...options, clientId: CLIENT_ID }).catch((error) => error)
}

describe('the description of a refusal', () => {
  const refused = { error: 'invalid_scope', error_description: 'The scope "a" is unknown.' }

  test('is kept beside the message, at the codes request, at a poll and at a refresh', async () => {
    for (const error of [
      await refusal([refused]),
      await refusal([codes, refused]),
      await refusedRefresh(refused, 'ghr_old'),
    ]) {
      expect(error).toMatchObject({ error: 'invalid_scope', description: 'The scope "a" is unknown.' })
      expect(error.message).toMatch(
        /^the service refused the request \(POST github\.com\/login\/(device\/code|oauth\/access_token)\) with error code invalid_scope: check the scopes$/,
      )
    }
  })

  test.each(['error_code', 'errorCode'])('comes with a code that is called %j', async (name) => {
    const refused = Response.json({ [name]: 'E0000011' }, { status: 401 })
    expect(await refusal([codes, refused])).toMatchObject({ error: 'E0000011', status: 401 })
  })

  test('is kept with a fault that passes', async () => {
    const busy = Response.json({ error_description: 'Busy.' }, { status: 503 })
    const flow = startFlow([codes, busy, token])
    await flow.time.advance(6000)
    expect(flow.actor.getSnapshot().context.error).toMatchObject({ status: 503, description: 'Busy.' })
  })

  test.each([
    ['one line of several', 'AADSTS70016: pending.\r\nTrace ID: 1', 'AADSTS70016: pending. Trace ID: 1'],
    ['no control characters', 'a\u001b[2Jb\u0007', 'a [2Jb'],
    ['no characters that turn or hide text', 'a\u202eb\u200bc\u2028d', 'a b c d'],
    ['other languages', ' Ungültiger Umfang: 範囲 ', 'Ungültiger Umfang: 範囲'],
    ['500 characters of a longer one', 'x'.repeat(501), 'x'.repeat(500)],
    ['500 characters that are no halves', '😀'.repeat(501), '😀'.repeat(500)],
    ['nothing of an empty one', ' \n', undefined],
    ['nothing that is not text', { toString: null }, undefined],
    ['nothing where there is none', undefined, undefined],
  ])('holds %s', async (_, error_description, description) => {
    expect((await refusal([{ error: 'invalid_scope', error_description }])).description).toBe(description)
  })

  test.each([
    ['https://example.com/a#scope', 'No. – https://example.com/a#scope'],
    ['http://example.com/a', 'No.'],
    ['https://example.com/\u001b[2J', 'No.'],
    ['https://example.com/ü', 'No.'],
    [5, 'No.'],
  ])('ends with the error_uri %j, if that is an https URL', async (error_uri, description) => {
    const refused = { error: 'odd', error_uri }
    expect(await refusal([{ ...refused, error_description: 'No.' }])).toMatchObject({ description })
    const { description: alone } = await refusal([refused])
    expect(alone).toBe(description.slice('No. – '.length) || undefined)
  })
})

test('error numbers that cannot be read as text are ignored', async () => {
  const error_codes = [{ toString: null }, null]
  expect((await refusal([{ error: 'invalid_scope', error_codes }])).error).toBe('invalid_scope')
})

describe('the error code of a refusal', () => {
  test.each([
    ['my_own_error', 'my_own_error'],
    [' !#[]^~', ' !#[]^~'],
    ['a"b\\c\u001bd\u007fe\u00e9f😀g', 'a?b?c?d?e?f?g'],
    ['x'.repeat(101), 'x'.repeat(100)],
  ])('%j is kept as %j', async (code, expected) => {
    expect((await refusal([{ error: code }])).error).toBe(expected)
  })
})

test('says nothing of a decision by the user if a request for codes gets access_denied', async () => {
  const { message } = await refusal([{ error: 'access_denied' }])
  expect(message).toMatch(/ with status 200$/)
})

test('a message without an OAuth error is the description', async () => {
  expect(await refusal([{ message: 'Not on the allow list.', error: 'odd' }])).toMatchObject({
    description: 'Not on the allow list.',
  })
})

describe('a secret of the request', () => {
  const echo = (...secrets: string[]) => ({
    error: secrets.join(),
    error_description: secrets.map((secret) => `Unknown: ${secret}.`).join(' '),
  })
  const nothing = {
    error: '‹secret›,‹secret›',
    description: 'Unknown: ‹secret›. Unknown: ‹secret›.',
  }

  test('that a server repeats is not kept', async () => {
    const clientSecret = 'of-a-confidential-client'
    const clientAuthentication = { clientSecret }
    expect(await refusal([echo(CLIENT_ID, clientSecret)], { clientAuthentication })).toMatchObject(nothing)
    expect(await refusal([codes, echo(codes.device_code, CLIENT_ID)])).toMatchObject(nothing)
    const refreshToken = 'ghr_old_and_used'
    expect(await refusedRefresh(echo(refreshToken, CLIENT_ID), refreshToken)).toMatchObject(nothing)
  })

  test('is found within a word, and before the text is cut', async () => {
    const error = await refusal([
      { error: `x${CLIENT_ID}x`, error_description: `${'x'.repeat(490)}${CLIENT_ID}` },
    ])
    expect(error).toMatchObject({ error: 'x‹secret›x', description: `${'x'.repeat(490)}‹secret›` })
  })

  test('that is short is found as a whole word: "id" is no part of "invalid"', async () => {
    expect(
      await refusal([{ error: 'invalid_scope', error_description: 'invalid id: id.' }], { clientId: 'id' }),
    ).toMatchObject({ error: 'invalid_scope', description: 'invalid ‹secret›: ‹secret›.' })
  })
})

describe('a server that accepts only JSON', () => {
  const onlyJson = new Response('<html>Unsupported Media Type</html>', { status: 415 })
  const provider = () =>
    rfc8628({
      deviceAuthorizationEndpoint: 'https://login.example/codes',
      tokenEndpoint: 'https://login.example/token',
    })
  const kinds = (sent: readonly { readonly headers: Headers }[]) =>
    sent.map(({ headers }) => headers.get('content-type')?.replace(/.*[-/]/, ''))

  test('is sent the request once more as JSON, and the polls as JSON at once', async () => {
    const flow = startFlow([onlyJson, codes, pending, token], { provider: provider(), scopes: ['a', 'b'] })
    expect(await flow.result()).toMatchObject({ status: 'authorized' })
    expect(kinds(flow.sent)).toEqual(['urlencoded', 'json', 'json', 'json'])
    expect(flow.sent[0]?.body).toBe(`client_id=${CLIENT_ID}&scope=a+b`)
    expect(flow.sent[1]?.body).toBe(`{"client_id":"${CLIENT_ID}","scope":"a b"}`)
    expect(flow.gaps()).toEqual([0, 5.25, 5.25])
  })

  test('is asked twice at most: a 415 to JSON is a refusal, and the next flow starts with a form', async () => {
    const chosen = provider()
    const flow = startFlow([onlyJson, onlyJson], { provider: chosen })
    expect(await flow.result()).toMatchObject({ error: { code: 'refused', status: 415 } })
    expect(kinds(flow.sent)).toEqual(['urlencoded', 'json'])
    const next = startFlow([codes], { provider: chosen })
    await next.time.settle()
    expect(kinds(next.sent)).toEqual(['urlencoded'])
  })

  test('can be told of at once, and is then asked once', async () => {
    const flow = startFlow([onlyJson], { provider: { ...provider(), encoding: 'json' } })
    expect(await flow.result()).toMatchObject({ error: { code: 'refused', status: 415 } })
    expect(kinds(flow.sent)).toEqual(['json'])
  })

  test('takes a poll that it refused as a form', async () => {
    const flow = startFlow([codes, onlyJson, token], { provider: provider() })
    expect(await flow.result()).toMatchObject({ status: 'authorized' })
    expect(kinds(flow.sent)).toEqual(['urlencoded', 'urlencoded', 'json'])
  })
})
