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

// What a response means is tested without sockets, in test/client/responses.test.ts.

const { codes, pending, token } = responses

/** Seconds before a poll with the interval of 5 and the margin, also after one fault, and after a timeout. */
const WAIT = 5.25
const AFTER_TIMEOUT = 10.5

const authorized = { status: 'authorized' }
const packed = { 'content-encoding': 'gzip' }

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
  test.each<[string, Line, object]>([
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
      respond({ body: '{"access_token":"not-packed"}', headers: packed }),
      { code: 'unreachable', reason: 'Z_DATA_ERROR' },
    ],
    [
      'a compressed body of 50 MB',
      respond({ body: gzipSync(Buffer.alloc(5e7)), headers: packed }),
      { code: 'response_too_large' },
    ],
    ['no content', respond({ status: 204, headers: { 'content-length': '0' } }), { code: 'bad_response' }],
  ])('%s: the poll is retried, and the request for codes fails with a typed error', async (...row) => {
    const [, line, error] = row
    await goesOnAfter(line, error)
    await failsAtOnce(line, error)
  })

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
    const padded = (record: object, length: number) =>
      respond({ body: JSON.stringify(record).padEnd(length) })
    const { outcome } = await play([padded(codes, 65_536), padded(token, 65_536)])
    expect(outcome).toMatchObject(authorized)
    await failsAtOnce(padded(codes, 65_537), { code: 'response_too_large' })
  })

  test.each<[string, (body: string) => Line]>([
    ['compressed', (body) => respond({ body: gzipSync(body), headers: packed })],
    ['of HTTP/1.0 without a length', (body) => raw(`HTTP/1.0 200 OK\r\n\r\n${body}`)],
    [
      'after early hints',
      (body) => {
        const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
        return raw(`${hints}HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      },
    ],
    [
      'of one byte at a time',
      (body) => {
        const pieces = [...body].map((byte) => `1\r\n${byte}\r\n`).join('')
        return raw(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`)
      },
    ],
  ])('%s is read', async (_, dress) => {
    const script = [codes, pending, token].map((record) => dress(JSON.stringify(record)))
    const { outcome, gaps, errors } = await play(script)
    expect(outcome).toMatchObject(authorized)
    expect(gaps).toEqual([WAIT, WAIT])
    expect([...errors]).toEqual([])
  })

  test('of a refusal in HTTP/1.0, without a length, is read', async () => {
    const refusal = raw('HTTP/1.0 401 Unauthorized\r\n\r\n{"error":"invalid_client"}')
    await failsAtOnce(refusal, { code: 'refused', status: 401, error: 'invalid_client' })
    await endsWith(refusal, { code: 'refused', status: 401, error: 'invalid_client' })
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
    const body = `<meta http-equiv="refresh" content="0; url=${url}">`
    await failsAtOnce(respond({ headers, body }), { code: 'bad_response' })
    expect(connections()).toBe(0)
  })
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
