import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { authorizeDevice, type DeviceAuthorizationOptions, github } from '../../src/index.ts'
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

// What a response means is tested without sockets, in test/client.

const { codes, pending, token } = responses

/** Seconds before a poll with the interval of 5 and the margin, also after one fault, and after a timeout. */
const WAIT = 5.25
const AFTER_TIMEOUT = 10.5

const authorized = { status: 'authorized' }
const bad = { code: 'bad_response' }

function text(body: string): Line {
  return respond({ body, headers: { 'content-type': 'text/plain' } })
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

/** The poll response ends the flow. */
async function endsWith(line: Line, error: object) {
  const { outcome, gaps } = await play([codes, pending, line, token])
  expect(outcome).toMatchObject({ status: 'failed', error })
  expect(gaps).toEqual([WAIT, WAIT])
}

/** The poll response is survived: the next poll gets the token. */
async function goesOnAfter(line: Line, error: object, gap = WAIT) {
  const { outcome, gaps, errors } = await play([codes, pending, line, token])
  expect(outcome).toMatchObject(authorized)
  expect(gaps).toEqual([WAIT, WAIT, gap])
  expect([...errors]).toMatchObject([error])
}

describe('a fault', () => {
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
    [
      'a 503 with a long Retry-After',
      respond({ status: 503, headers: { 'retry-after': '300' } }),
      { code: 'refused', retryAfter: 300 },
      300,
    ],
    ['JSON that ends early', text('{"access_token":"half-of-a-token'), bad],
    ['nothing', text(''), bad],
    ['no content, with status 204', respond({ status: 204, headers: { 'content-length': '0' } }), bad],
    ['bytes that are no text', respond({ body: Buffer.from([0xff, 0xfe, 0x00, 0x7b]) }), bad],
    ['JSON a thousand levels deep', text('['.repeat(1000)), bad],
    [
      'members named like those of a prototype',
      text('{"__proto__":{"access_token":"of-the-prototype","device_code":"of-the-prototype"}}'),
      bad,
    ],
    [
      'a compressed body of 50 MB',
      respond({ body: gzipSync(Buffer.alloc(5e7)), headers: { 'content-encoding': 'gzip' } }),
      { code: 'response_too_large' },
    ],
  ]

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

describe('a body', () => {
  test('of 50 MB is not read', async () => {
    const body = large(50)
    await failsAtOnce(body, { code: 'response_too_large' })
    // No more than the socket buffers of both ends hold.
    expect(body.written).toBeLessThan(20)
    await goesOnAfter(large(50), { code: 'response_too_large' })
  })

  test('of 64 KiB is read, and no more', async () => {
    const padded = (record: object, length: number) => text(JSON.stringify(record).padEnd(length))
    const { outcome } = await play([padded(codes, 65_536), padded(token, 65_536)])
    expect(outcome).toMatchObject(authorized)
    await failsAtOnce(padded(codes, 65_537), { code: 'response_too_large' })
  })
})

describe('a request that hangs', () => {
  test.each([
    ['without a response', silence],
    ['in the middle of its body', halfThenSilence],
  ])('%s times out after 30 seconds', async (_, line) => {
    await failsAtOnce(line, { code: 'timed_out' })
    await goesOnAfter(line, { code: 'timed_out' }, 30 + AFTER_TIMEOUT)
  })

  test('beyond the lifetime ends as expired, and its connection is closed', async () => {
    const { outcome, server } = await play([{ ...codes, expires_in: 10 }, silence])
    expect(outcome).toEqual({ status: 'expired' })
    expect(server.sent).toHaveLength(2)
    expect(server.open()).toBe(0)
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
    for (const location of [elsewhere.url, '/login/elsewhere']) {
      const line = respond({ status, headers: { location }, body: '<html>words-of-the-redirect</html>' })
      await failsAtOnce(line, { code: 'redirected' })
      await endsWith(line, { code: 'redirected' })
    }
    expect(elsewhere.connections()).toBe(0)
  })

  test('by a header or an HTML page with status 200 is not followed either', async () => {
    const { url, connections } = await hostileServer([codes, token])
    const headers = { refresh: `0; url=${url}`, 'content-location': url, location: url }
    await failsAtOnce(respond({ headers, body: `<meta http-equiv="refresh" content="0; url=${url}">` }), bad)
    expect(connections()).toBe(0)
  })
})

describe('a value that could deceive the user or the caller', () => {
  test.each<object>([
    { interval: [] },
    { interval: 1e300 },
    { expires_in: [900] },
    { verification_uri: 'javascript:alert(document.domain)' },
    { verification_uri: 'data:text/html,words-of-a-page' },
    { verification_uri: 'https://login.example/\u202egnp.exe' },
    { verification_uri: 'not a URL' },
    { verification_uri: 5 },
    { verification_uri_complete: 'https://login.example/\u001b]8;;evil' },
    { verification_uri_complete: 'https://login.example/\nwords-of-another-line' },
    { user_code: 'AB\u001b[2J-words' },
    { user_code: 'AB\nwords-of-another-line' },
    { user_code: '' },
    { user_code: 12_345_678 },
    { device_code: 12_345_678 },
    { device_code: ['a-code-in-a-list'] },
  ])('is refused in the codes: %j', (wrong) => failsAtOnce({ ...codes, ...wrong }, bad))

  test.each<object>([
    { access_token: 'gho_\u001b[2Jmoves-the-cursor' },
    { access_token: 'gho_\u202eturns-the-text' },
    { access_token: 'gho_line\nbreak' },
    { access_token: 'gho_tab\tulator' },
    { access_token: 'gho_ümlaut' },
    { access_token: 'gho_\u007fdelete' },
    { access_token: 'gho_\u00a0space' },
    { access_token: true },
    { access_token: ['a-token-in-a-list'] },
    { scope: 7 },
    { scope: { repo: true } },
  ])('is refused in the token response, and not quoted: %j', (wrong) => {
    const [field] = Object.keys(wrong)
    const message = expect.stringMatching(
      `^the token response \\(POST .*/login/oauth/access_token\\) has no valid "${field}"$`,
    )
    return endsWith({ ...token, ...wrong }, { ...bad, message })
  })

  test.each<[object, object]>([
    [{ token_type: 'DPoP' }, { tokenType: 'DPoP', warning: 'not_bearer' }],
    [{ token_type: { toString: null } }, { tokenType: '', warning: 'not_bearer' }],
    [{ token_type: 'bearer\u001b[2J' }, { tokenType: '', warning: 'not_bearer' }],
    [{ token_type: 'BEARER' }, { warning: undefined }],
    [{ refresh_token: 'ghr_\u001b[2J' }, { refreshToken: undefined }],
    [{ refresh_token: '' }, { refreshToken: undefined }],
    [
      { scope: null, token_type: null },
      { tokenType: 'bearer', scopes: ['asked'], warning: undefined },
    ],
  ])('beside a token is not worth losing it: %j', async (wrong, expected) => {
    const { outcome } = await play([codes, { ...token, ...wrong }], { scopes: ['asked'] })
    expect(outcome).toMatchObject(authorized)
    const received = outcome?.status === 'authorized' ? outcome.token : undefined
    expect({ warning: undefined, refreshToken: undefined, ...received }).toMatchObject(expected)
    expect(received?.accessToken.reveal()).toBe(token.access_token)
  })

  test('is not any character that a token may contain', async () => {
    const access_token = String.fromCharCode(...Array.from({ length: 0x7e - 0x20 + 1 }, (_, i) => 0x20 + i))
    const { outcome } = await play([codes, { ...token, access_token }])
    expect(outcome?.status === 'authorized' && outcome.token.accessToken.reveal()).toBe(access_token)
  })
})

describe('a response in another encoding', () => {
  const form = (record: object) => new URLSearchParams(record as Record<string, string>).toString()

  test.each<[string, (record: object) => Line]>([
    ['JSON called nothing', (record) => respond({ body: record, headers: { 'content-type': '' } })],
    ['JSON called a page', (record) => respond({ body: record, headers: { 'content-type': 'text/html' } })],
    ['JSON with a mark of its byte order', (record) => text(`\ufeff${JSON.stringify(record)}`)],
    ['JSON with space around', (record) => text(`\r\n\t ${JSON.stringify(record, null, 2)} \r\n`)],
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
        const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
        return raw(`${hints}HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
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

test.each<[string, Line, object]>([
  [
    '400 without a body or a type',
    raw('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'),
    { status: 400, error: undefined },
  ],
  [
    'HTTP/1.0 without a length',
    raw('HTTP/1.0 401 Unauthorized\r\n\r\n{"error":"invalid_client"}'),
    { status: 401, error: 'invalid_client' },
  ],
  [
    '403 with a page',
    respond({ status: 403, body: '<html>Blocked by the proxy</html>' }),
    { status: 403, error: undefined },
  ],
])('a refusal, %s, is thrown with its status and code', async (_, line, error) => {
  await failsAtOnce(line, { code: 'refused', ...error })
  await endsWith(line, { code: 'refused', ...error })
})

test.each<[string, Script, number]>([
  ['in the middle of a wait', [codes, token], 1],
  ['in the middle of the request for codes', [silence, token], 1],
  ['in the middle of a poll', [codes, silence, token], 2],
  ['in the middle of a body', [codes, halfThenSilence, token], 2],
])(
  'a flow that is cancelled %s ends at once, closes its connection and sends nothing more',
  async (...row) => {
    const [, script, requests] = row
    const time = new VirtualTime()
    const server = await hostileServer(script)
    const controller = new AbortController()
    const login = authorizeDevice({
      clientId: 'id',
      clock: time.clock(),
      fetch: server.through(time),
      provider: github({ authUrl: server.url }),
      onCodes: () => undefined,
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
  },
)
