import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { authorizeDevice, type DeviceAuthorizationOptions, github, rfc8628, viewOf } from '../../src/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { expectNothingQuoted, hostileFlow, untilTrue } from '../support/hostile-flow.ts'
import {
  cutShort,
  halfThenSilence,
  hangUp,
  hostileServer,
  type Line,
  large,
  later,
  type Play,
  raw,
  reset,
  respond,
  type Script,
  silence,
} from '../support/hostile-server.ts'
import { responses } from '../support/responses.ts'

const { codes, denied, expired, pending, token } = responses

/** Seconds before a poll with the interval of 5 and the margin, and after one fault. */
const WAIT = 5.25
const BACKOFF = 10.5

const authorized = { status: 'authorized' }

function failed(code: string, rest: object = {}) {
  return { status: 'failed', error: { code, ...rest } }
}

function text(body: string): Line {
  return respond({ body, headers: { 'content-type': 'text/plain' } })
}

/** A refusal with no body, and when to try again. */
function busy(status: number, retryAfter: string): Line {
  return respond({ status, headers: { 'retry-after': retryAfter } })
}

/** Plays a script to its end. Returns the outcome and the seconds between the requests. */
async function play(script: Script, options: Partial<DeviceAuthorizationOptions> = {}) {
  const flow = await hostileFlow(script, options)
  return { ...flow, outcome: await flow.result(), gaps: flow.gaps() }
}

/** The response to the request for codes ends the flow, and nothing more is sent. */
async function failsAtOnce(line: Line, error: object) {
  const { outcome, server } = await play([line, token])
  expect(outcome).toMatchObject({ status: 'failed', error })
  expect(server.sent).toHaveLength(1)
}

/** The poll response is survived: the next poll is sent later and gets the token. */
async function goesOnAfter(line: Line, error: object, gap = BACKOFF) {
  const { outcome, gaps, errors } = await play([codes, pending, line, token])
  expect(outcome).toMatchObject(authorized)
  expect(gaps).toEqual([WAIT, WAIT, gap])
  expect([...errors]).toMatchObject([error])
}

/** The poll response ends the flow. */
async function endsWith(line: Line, outcome: object) {
  const { gaps, ...end } = await play([codes, pending, line, token])
  expect(end.outcome).toMatchObject(outcome)
  expect(gaps).toEqual([WAIT, WAIT])
}

/** Every response that is known to break clients, through the global `fetch` at the time of the test. */
export function responsesContract(): void {
  describe('interval', () => {
    test.each([
      [undefined, 5.25],
      [null, 5.25],
      ['2', 2.1],
      [2.5, 3.15],
      ['2.5', 3.15],
      [0.2, 1.05],
      [0, 1.05],
      [1, 1.05],
    ])('%j polls every %d seconds', async (interval, gap) => {
      const { outcome, gaps } = await play([{ ...codes, interval }, pending, pending, token])
      expect(outcome).toMatchObject(authorized)
      expect(gaps).toEqual([gap, gap, gap])
    })

    test.each([1e10, Number.MAX_SAFE_INTEGER])('%d expires before the first poll', async (interval) => {
      const { outcome, gaps } = await play([{ ...codes, interval }, token])
      expect([outcome, gaps]).toEqual([{ status: 'expired' }, []])
    })

    test.each([[-5], ['abcdef'], ['-5'], ['2.'], [''], [true], [[]], [{}], [1e300]])(
      '%j is refused',
      (interval) => failsAtOnce({ ...codes, interval }, { code: 'bad_response' }),
    )
  })

  describe('expires_in', () => {
    test.each([
      [undefined, 900],
      [null, 900],
      ['60', 60],
      [3e6, 3e6],
      [1e12, 366 * 86_400],
    ])('%j is a lifetime of %d seconds', async (expires_in, seconds) => {
      const { actor, time, result } = await hostileFlow([{ ...codes, expires_in }, pending, token])
      await time.settle()
      expect(viewOf(actor.getSnapshot(), time.now)).toMatchObject({ secondsLeft: seconds })
      await time.advance(8000)
      expect(viewOf(actor.getSnapshot(), time.now)).toMatchObject({ secondsLeft: seconds - 8 })
      expect(await result()).toMatchObject(authorized)
    })

    test.each([[-1], ['soon'], [[900]], [false]])('%j is refused', (expires_in) =>
      failsAtOnce({ ...codes, expires_in }, { code: 'bad_response' }),
    )
  })

  const NO_RESPONSES: [string, Line][] = [
    ['an empty object', {}],
    ['an array', []],
    ['null', text('null')],
    ['a string', text('"a string of the service"')],
    [
      'a page',
      respond({ body: '<html>Welcome to the hotel</html>', headers: { 'content-type': 'text/html' } }),
    ],
    ['JSON that ends early', text('{"access_token":"half-of-a-token')],
    ['nothing', text('')],
    ['a body without content, status 204', respond({ status: 204, headers: { 'content-length': '0' } })],
    ['bytes that are no text', respond({ body: Buffer.from([0xff, 0xfe, 0x00, 0x7b]) })],
    ['JSON a thousand levels deep', text('['.repeat(1000))],
    [
      'members named like those of a prototype',
      text('{"__proto__":{"access_token":"of-the-prototype","device_code":"of-the-prototype"}}'),
    ],
  ]

  describe('a body that is not a valid response', () => {
    test.each(NO_RESPONSES)('%s: a typed error from the request for codes', (_, line) =>
      failsAtOnce(line, { code: 'bad_response' }),
    )

    test.each(NO_RESPONSES)('%s: the poll is retried', (_, line) =>
      goesOnAfter(line, { code: 'bad_response' }),
    )

    test('50 MB are not read', async () => {
      const body = large(50)
      await failsAtOnce(body, { code: 'response_too_large' })
      // No more than the socket buffers of both ends hold.
      expect(body.written).toBeLessThan(20)
      await goesOnAfter(large(50), { code: 'response_too_large' })
    })

    test('50 MB are not decompressed', async () => {
      const bomb = respond({ body: gzipSync(Buffer.alloc(5e7)), headers: { 'content-encoding': 'gzip' } })
      await failsAtOnce(bomb, { code: 'response_too_large' })
      await goesOnAfter(bomb, { code: 'response_too_large' })
    })

    test('64 KiB are read', async () => {
      const padded = (record: object, length: number) => text(JSON.stringify(record).padEnd(length))
      const { outcome } = await play([padded(codes, 65_536), padded(token, 65_536)])
      expect(outcome).toMatchObject(authorized)
      await failsAtOnce(padded(codes, 65_537), { code: 'response_too_large' })
    })
  })

  describe('an error instead of codes', () => {
    test.each([200, 400, 401, 403, 404, 500])('with status %d is thrown with its code and status', (status) =>
      failsAtOnce(
        respond({
          status,
          body: { error: 'device_flow_disabled', error_description: 'words-of-the-service' },
        }),
        {
          code: 'refused',
          error: 'device_flow_disabled',
          status,
        },
      ),
    )

    test.each([null, ''])('is found next to codes that are %j', (nothing) =>
      failsAtOnce(
        { device_code: nothing, user_code: nothing, verification_uri: nothing, error: 'invalid_scope' },
        { code: 'refused', error: 'invalid_scope' },
      ),
    )
  })

  describe('authorization_pending', () => {
    test.each([200, 400, 401, 403, 404, 500])('with status %d continues', async (status) => {
      const { outcome, gaps, errors } = await play([codes, respond({ status, body: pending }), token])
      expect(outcome).toMatchObject(authorized)
      expect(gaps).toEqual([WAIT, WAIT])
      expect([...errors]).toEqual([])
    })

    test.each([
      ['null', { access_token: null, token_type: null, scope: null }],
      ['empty', { access_token: '', token_type: '', scope: '' }],
    ])('continues if the token fields are present and %s', async (_, nothing) => {
      const { outcome, gaps } = await play([codes, { ...nothing, ...pending }, { ...token, error: null }])
      expect(outcome).toMatchObject(authorized)
      expect(gaps).toEqual([WAIT, WAIT])
    })
  })

  describe('slow_down', () => {
    test.each([
      [12, [WAIT, 15.12, 15.12]],
      [11.5, [WAIT, 15.12, 15.12]],
      ['12', [WAIT, 15.12, 15.12]],
      [1, [WAIT, 12.6, 12.6]],
      [undefined, [WAIT, 12.6, 12.6]],
      [-1, [WAIT, 12.6, 12.6]],
      ['later', [WAIT, 12.6, 12.6]],
    ])('with interval %j stays in effect after pending', async (interval, expected) => {
      for (const status of [200, 400, 429]) {
        const slow = respond({ status, body: { error: 'slow_down', interval } })
        const { outcome, gaps } = await play([codes, slow, pending, token])
        expect(outcome).toMatchObject(authorized)
        expect(gaps).toEqual(expected)
      }
    })
  })

  const FAULTS: [string, Line, object, number?][] = [
    ['a connection that is reset', reset, { code: 'unreachable' }],
    ['a connection that is closed', hangUp, { code: 'unreachable' }],
    ['a body cut short', cutShort('{"access_token":"cut-short'), { code: 'unreachable' }],
    ['something that is not HTTP', raw('SSH-2.0-words-of-another-protocol\r\n'), { code: 'unreachable' }],
    [
      'endless headers',
      raw(`HTTP/1.1 200 OK\r\nx-large: ${'words-of-a-header'.repeat(5000)}\r\n\r\n{}`),
      { code: 'unreachable' },
    ],
    [
      'a body with a false content encoding',
      respond({ body: '{"access_token":"not-packed"}', headers: { 'content-encoding': 'gzip' } }),
      { code: 'unreachable', reason: 'Z_DATA_ERROR' },
    ],
    [
      'an HTML page with status 502',
      respond({ status: 502, body: '<html>Bad gateway of the provider</html>' }),
      { code: 'refused', status: 502 },
    ],
    ['a 503', busy(503, '2'), { code: 'refused', status: 503, retryAfter: 2 }, 2 * WAIT],
    ['a 429', busy(429, '2'), { code: 'refused', status: 429, retryAfter: 2 }, 2 * WAIT],
    ['a 503 with a long Retry-After', busy(503, '300'), { code: 'refused', retryAfter: 300 }, 300],
    [
      'a 503 with an unreadable Retry-After',
      busy(503, 'words-of-a-header'),
      { code: 'refused', retryAfter: undefined },
    ],
    ['a 503 with a Retry-After in the past', busy(503, '-5'), { code: 'refused', retryAfter: undefined }],
    ['a 408', respond({ status: 408 }), { code: 'refused', status: 408 }],
    [
      'a 403 from a rate limit',
      respond({ status: 403, body: { message: 'words of a limit' }, headers: { 'retry-after': '60' } }),
      { code: 'refused', status: 403, retryAfter: 60 },
      60,
    ],
    [
      'a 500 with an error',
      respond({ status: 500, body: { error: 'server_error' } }),
      { code: 'refused', error: 'server_error' },
    ],
  ]

  describe('a fault', () => {
    test.each(FAULTS)('%s: the poll is retried', (_, line, error, gap) => goesOnAfter(line, error, gap))

    test.each(FAULTS)('%s: a typed error from the request for codes', (_, line, error) =>
      failsAtOnce(line, error),
    )

    test('does not include a kept-alive connection that was closed before the next poll', async () => {
      const dropsAfter =
        (body: object): Play =>
        (exchange) => {
          exchange.response.once('finish', () => exchange.socket.end())
          return respond({ body })(exchange)
        }
      const { outcome, gaps } = await play([dropsAfter(codes), dropsAfter(pending), dropsAfter(token)])
      expect(outcome).toMatchObject(authorized)
      expect(gaps).toEqual([WAIT, WAIT])
    })
  })

  describe('Retry-After', () => {
    test.each([0, -3600, 86_400 * 365])(
      'as a date is measured by the clock of the service when the device is %d seconds off',
      async (offset) => {
        const time = new VirtualTime()
        const date = (milliseconds: number) => new Date(milliseconds).toUTCString()
        const busy: Play = (exchange) => {
          const now = time.now + offset * 1000
          const headers = { date: date(now), 'retry-after': date(now + 20_000) }
          return respond({ status: 503, headers })(exchange)
        }
        const flow = await hostileFlow([codes, busy, token], { time })
        expect(await flow.result()).toMatchObject(authorized)
        expect(flow.gaps()).toEqual([WAIT, 20])
      },
    )
  })

  describe('a request that hangs', () => {
    test.each([
      ['without a response', silence],
      ['in the middle of its body', halfThenSilence],
    ])('%s times out after 30 seconds', async (_, line) => {
      const { outcome, server } = await play([line, token])
      expect(outcome).toMatchObject(failed('timed_out'))
      expect(server.sent).toHaveLength(1)
      await goesOnAfter(line, { code: 'timed_out' }, 30 + BACKOFF)
    })

    test('beyond the lifetime ends as expired, and its connection is closed', async () => {
      const flow = await hostileFlow([{ ...codes, expires_in: 10 }, silence])
      expect(await flow.result()).toEqual({ status: 'expired' })
      expect(flow.server.sent).toHaveLength(2)
      expect(flow.server.open()).toBe(0)
    })

    test('for a while counts the next wait from the response', async () => {
      const time = new VirtualTime()
      const flow = await hostileFlow([codes, later(time, 20_000, pending), token], { time })
      expect(await flow.result()).toMatchObject(authorized)
      expect(flow.gaps()).toEqual([WAIT, 20 + WAIT])
    })
  })

  describe('a redirect', () => {
    test.each([301, 302, 303, 307, 308])('with %d is refused and not followed', async (status) => {
      const elsewhere = await hostileServer([codes, token])
      for (const target of [elsewhere.url, '/login/elsewhere']) {
        const line = respond({
          status,
          headers: { location: target },
          body: '<html>words-of-the-redirect</html>',
        })
        await failsAtOnce(line, { code: 'redirected' })
        await endsWith(line, failed('redirected'))
      }
      expect(elsewhere.connections()).toBe(0)
    })

    test('by a header or an HTML page with status 200 is not followed either', async () => {
      const elsewhere = await hostileServer([codes, token])
      const headers = {
        refresh: `0; url=${elsewhere.url}`,
        'content-location': elsewhere.url,
        location: elsewhere.url,
      }
      const body = `<meta http-equiv="refresh" content="0; url=${elsewhere.url}">`
      await failsAtOnce(respond({ headers, body }), { code: 'bad_response' })
      expect(elsewhere.connections()).toBe(0)
    })
  })

  describe('a token', () => {
    const { scope, token_type, ...bare } = token

    test.each([
      ['without scope', { token_type, ...bare }, { tokenType: 'bearer', scopes: ['asked'] }],
      ['without type', { scope, ...bare }, { tokenType: 'bearer', scopes: ['repo', 'gist'] }],
      [
        'with null for both',
        { ...bare, scope: null, token_type: null },
        { tokenType: 'bearer', scopes: ['asked'] },
      ],
      ['with more fields', { ...token, id_token: {}, user: [1], x: null }, { scopes: ['repo', 'gist'] }],
      ['of another type', { ...token, token_type: 'DPoP' }, { tokenType: 'DPoP', warning: 'not_bearer' }],
      ['of an empty type', { ...token, token_type: '' }, { tokenType: '', warning: 'not_bearer' }],
      ['of a type that is a number', { ...token, token_type: 5 }, { tokenType: '', warning: 'not_bearer' }],
      [
        'with an object as its type',
        { ...token, token_type: { toString: null } },
        { tokenType: '', warning: 'not_bearer' },
      ],
      [
        'with terminal escapes in its type',
        { ...token, token_type: 'bearer\u001b[2J' },
        { tokenType: '', warning: 'not_bearer' },
      ],
      ['beside an error', { ...token, error: 'slow_down' }, { scopes: ['repo', 'gist'] }],
      ['with status 400', respond({ status: 400, body: token }), { scopes: ['repo', 'gist'] }],
      ['with status 500', respond({ status: 500, body: token }), { scopes: ['repo', 'gist'] }],
    ])('%s is kept', async (_, line, expected) => {
      const { outcome } = await play([codes, line], { scopes: ['asked'] })
      expect(outcome).toMatchObject({ status: 'authorized', token: expected })
      if (outcome?.status === 'authorized')
        expect(outcome.token.accessToken.reveal()).toBe(token.access_token)
    })

    test.each([[''], [12_345_678], [true], [{}], [['a-token-in-a-list']]])(
      'that is %j throws a typed error',
      (access_token) => endsWith({ ...token, access_token }, failed('bad_response')),
    )

    test.each(['Bearer', 'BEARER', undefined, null])('of the type %j has no warning', async (token_type) => {
      const { outcome } = await play([codes, { ...token, token_type }])
      expect(outcome).toMatchObject(authorized)
      expect(outcome).not.toHaveProperty('token.warning')
    })

    test.each([
      'gho_\u001b[2Jmoves-the-cursor',
      'gho_\u202eturns-the-text',
      'gho_line\nbreak',
      'gho_tab\tulator',
      'gho_ümlaut',
      'gho_\u007fdelete',
      'gho_\u00a0space',
    ])('with invalid characters, %j, throws a typed error that does not quote it', async (access_token) => {
      const { outcome } = await play([codes, pending, { ...token, access_token }])
      expect(outcome).toMatchObject(failed('bad_response'))
      expect(outcome).toMatchObject({
        error: { message: 'the token response has no valid "access_token"' },
      })
    })

    test('keeps every character that a token may contain', async () => {
      const access_token = String.fromCharCode(...Array.from({ length: 0x7e - 0x20 + 1 }, (_, i) => 0x20 + i))
      const { outcome } = await play([codes, { ...token, access_token }])
      expect(outcome?.status === 'authorized' && outcome.token.accessToken.reveal()).toBe(access_token)
    })

    test.each(['ghr_\u001b[2J', 'ghr_\n', '', 5])(
      'drops the invalid refresh token %j',
      async (refresh_token) => {
        const { outcome } = await play([codes, { ...token, refresh_token }])
        expect(outcome).toMatchObject(authorized)
        expect(outcome).not.toHaveProperty('token.refreshToken')
      },
    )
  })

  describe('a response in another encoding', () => {
    const form = (record: object) => new URLSearchParams(record as Record<string, string>).toString()

    test.each<[string, (record: object) => Line]>([
      ['JSON called text', (record) => text(JSON.stringify(record))],
      ['JSON called nothing', (record) => respond({ body: record, headers: { 'content-type': '' } })],
      ['JSON called a page', (record) => respond({ body: record, headers: { 'content-type': 'text/html' } })],
      ['JSON with a mark of its byte order', (record) => text(`\ufeff${JSON.stringify(record)}`)],
      ['JSON with space around', (record) => text(`\r\n\t ${JSON.stringify(record, null, 2)} \r\n`)],
      [
        'a form',
        (record) =>
          respond({ body: form(record), headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      ],
      ['a form called JSON', (record) => respond({ body: `${form(record)}\n` })],
      [
        'compressed',
        (record) =>
          respond({ body: gzipSync(JSON.stringify(record)), headers: { 'content-encoding': 'gzip' } }),
      ],
      ['HTTP/1.0 without a length', (record) => raw(`HTTP/1.0 200 OK\r\n\r\n${JSON.stringify(record)}`)],
      [
        'after early hints',
        (record) => {
          const body = JSON.stringify(record)
          return raw(
            `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
          )
        },
      ],
      [
        'one byte at a time',
        (record) => {
          const pieces = [...JSON.stringify(record)].map((byte) => `1\r\n${byte}\r\n`).join('')
          return raw(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`)
        },
      ],
    ])('%s is read', async (_, dress) => {
      const { outcome, gaps, errors } = await play([dress(codes), dress(pending), dress(token)])
      expect(outcome).toMatchObject({ status: 'authorized', token: { scopes: ['repo', 'gist'] } })
      expect(gaps).toEqual([WAIT, WAIT])
      expect([...errors]).toEqual([])
    })
  })

  describe('scope', () => {
    test.each([
      ['repo,gist', ['repo', 'gist']],
      ['repo gist', ['repo gist']],
      ['', []],
      [null, ['asked']],
    ])('%j is %j', async (scope, scopes) => {
      const { outcome } = await play([codes, { ...token, scope }], { scopes: ['asked'] })
      expect(outcome).toMatchObject({ token: { scopes } })
    })

    test('is separated by a space if the dialect says so', async () => {
      const server = await hostileServer([codes, { ...token, scope: 'repo gist' }])
      const time = new VirtualTime()
      const login = authorizeDevice({
        clientId: 'id',
        clock: time.clock(),
        fetch: server.through(time),
        provider: rfc8628({
          deviceAuthorizationEndpoint: `${server.url}/codes`,
          tokenEndpoint: `${server.url}/token`,
        }),
      })
      await time.until(() => server.sent.length === 2)
      expect(await login).toMatchObject({ scopes: ['repo', 'gist'] })
      expect(server.sent.map(({ path }) => path)).toEqual(['/codes', '/token'])
    })

    test.each([[['repo-in-a-list']], [7], [{ repo: true }]])('%j throws a typed error', (scope) =>
      endsWith({ ...token, scope }, failed('bad_response')),
    )
  })

  describe('the codes response', () => {
    test('may have unknown fields', async () => {
      const { outcome } = await play([
        { ...codes, message: 'Hello', nested: { deep: [] }, error: null },
        token,
      ])
      expect(outcome).toMatchObject(authorized)
    })

    test.each([
      'javascript:alert(document.domain)',
      'data:text/html,words-of-a-page',
      'file:///etc/hostname',
      'https://login.example/\u001b]8;;evil',
      'https://login.example/\nwords-of-another-line',
      'https://login.example/\u202egnp.exe',
      'not a URL',
      '',
      5,
      null,
    ])('with the address %j is refused', async (address) => {
      await failsAtOnce({ ...codes, verification_uri: address }, { code: 'bad_response' })
      if (address !== null && address !== '')
        await failsAtOnce({ ...codes, verification_uri_complete: address }, { code: 'bad_response' })
    })

    test.each(['AB\u001b[2J-words', 'AB\nwords-of-another-line', '', 12_345_678, null, undefined])(
      'with the user code %j is refused',
      (user_code) => failsAtOnce({ ...codes, user_code }, { code: 'bad_response' }),
    )

    test.each([[''], [12_345_678], [null], [undefined], [['a-code-in-a-list']]])(
      'with the device code %j is refused',
      (device_code) => failsAtOnce({ ...codes, device_code }, { code: 'bad_response' }),
    )
  })

  describe('a refusal', () => {
    const http10 = (body: object) => raw(`HTTP/1.0 401 Unauthorized\r\n\r\n${JSON.stringify(body)}`)

    test.each<[string, Line, object]>([
      [
        '400 without a body or a type',
        raw('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'),
        { status: 400, error: undefined },
      ],
      [
        '404 with an error',
        respond({ status: 404, body: { error: 'unsupported_grant_type' } }),
        { status: 404, error: 'unsupported_grant_type' },
      ],
      [
        'HTTP/1.0 without a length',
        http10({ error: 'invalid_client' }),
        { status: 401, error: 'invalid_client' },
      ],
      [
        '401 with an error',
        respond({ status: 401, body: { error: 'invalid_client' } }),
        { status: 401, error: 'invalid_client' },
      ],
      [
        '403 with a page',
        respond({ status: 403, body: '<html>Blocked by the proxy</html>' }),
        { status: 403, error: undefined },
      ],
      [
        '400 with an error that is an object',
        respond({ status: 400, body: { error: { code: 'words-of-the-service' } } }),
        { status: 400, error: undefined },
      ],
      [
        'an unknown error',
        {
          error: 'my_own_error',
          error_description: 'quoted-description',
          error_uri: 'https://words.example',
        },
        { status: 200, error: 'my_own_error' },
      ],
    ])(
      '%s is thrown with its status and code, for the request for codes and for a poll',
      async (_, line, error) => {
        await failsAtOnce(line, { code: 'refused', ...error })
        await endsWith(line, failed('refused', error))
      },
    )
  })

  describe('the end', () => {
    test.each<[string, Line, string]>([
      ['access_denied', denied, 'denied'],
      ['expired_token', expired, 'expired'],
      ['token_expired', { error: 'token_expired' }, 'expired'],
    ])('%s is reported by the service', async (_, line, status) => {
      for (const http of [200, 400]) await endsWith(respond({ status: http, body: line }), { status })
    })
  })

  describe('a flow that is cancelled', () => {
    test.each<[string, Script, number]>([
      ['in the middle of a wait', [codes, token], 1],
      ['in the middle of the request for codes', [silence, token], 1],
      ['in the middle of a poll', [codes, silence, token], 2],
      ['in the middle of a body', [codes, halfThenSilence, token], 2],
    ])('%s ends at once, closes its connection and sends nothing more', async (_, script, requests) => {
      const time = new VirtualTime()
      const server = await hostileServer(script)
      const controller = new AbortController()
      const login = authorizeDevice({
        clientId: 'id',
        clock: time.clock(),
        fetch: server.through(time),
        provider: github({ authUrl: server.url }),
        signal: controller.signal,
      })
      await time.advance(requests === 2 ? 6000 : 1000)
      expect(server.sent).toHaveLength(requests)
      const { now } = time
      controller.abort('enough')
      const error = await login.catch((error) => error)
      expect(error).toMatchObject({ code: 'cancelled', cause: 'enough' })
      expectNothingQuoted(error, server.bodies)
      expect(time.now).toBe(now)
      await untilTrue(() => server.open() === 0)
      await time.advance(3_600_000)
      expect(server.sent).toHaveLength(requests)
      expect(time.timers).toBe(0)
    })
  })

  test('an unreachable service throws an error that names its host', async () => {
    const error = await authorizeDevice({
      clientId: 'id',
      provider: github({ authUrl: 'http://127.0.0.1:1' }),
    }).catch((error) => error)
    expect(error).toMatchObject({ code: 'unreachable' })
    expect(error.message).toContain('127.0.0.1:1 cannot be reached')
  })
}
