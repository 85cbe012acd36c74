import { Agent } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { CODES, overSockets, TOKEN } from '../support/over-sockets.ts'
import { CLIENT_ID } from '../support/start-service.ts'

const FORM = 'application/x-www-form-urlencoded'
const form = `client_id=${CLIENT_ID}&scope=repo`
const json = JSON.stringify({ client_id: CLIENT_ID, scope: 'repo' })

const HALF_A_BODY = `POST ${CODES} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nclient_id=`

/** The header that makes the service close the connection. */
const LAST = 'Connection: close'

test('two Basic headers are invalid in either order', async () => {
  const { raw, written } = await overSockets()
  const headers = [CLIENT_ID, 'another'].map((id) => `Authorization: Basic ${btoa(`${id}:`)}`)
  for (const order of [headers, headers.toReversed()])
    expect(await raw(written(`POST ${CODES}`, [LAST, 'Content-Length: 0', ...order]))).toContain(' 400 ')
})

test('a poll every 6 s reuses its connection, and the service announces a longer keep-alive', async () => {
  const { begin, wait } = await overSockets()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const { poll } = await begin()
  const connections = new Set<number | undefined>()
  for (let polled = 0; polled < 20; polled += 1) {
    const { body, headers, connection } = await poll({ agent })
    expect(body.error).toBe('authorization_pending')
    expect(Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1])).toBeGreaterThanOrEqual(65)
    connections.add(connection)
    wait(6)
  }
  expect(connections.size).toBe(1)
})

describe('a body that is too large', () => {
  test('is refused with an explanation, and the connection stays open', async () => {
    const { send } = await overSockets()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const refused = await send(CODES, { body: 'x'.repeat(1_000_000), agent })
    expect(refused.status).toBe(413)
    expect((await send('/user', { agent })).connection).toBe(refused.connection)
  })

  test('in chunks is counted as it arrives', async () => {
    const { open, written } = await overSockets()
    const { socket, ended } = open()
    socket.write(written(`POST ${CODES}`, [LAST, 'Transfer-Encoding: chunked']))
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    for (let count = 0; count < 2; count += 1) socket.write(chunk)
    socket.write('0\r\n\r\n')
    expect(await ended).toContain('HTTP/1.1 413 ')
  })

  test('that never ends is cut off', async () => {
    const { open, send, written } = await overSockets()
    const { socket, ended } = open()
    socket.write(written(`POST ${CODES}`, ['Content-Length: 1000000000']))
    const chunk = 'x'.repeat(64 * 1024)
    const pour = () => {
      while (socket.writable && socket.write(chunk));
    }
    socket.on('drain', pour)
    pour()
    await ended
    expect(socket.bytesWritten).toBeLessThan(50_000_000)
    expect((await send('/user')).status).toBe(401)
  })
})

describe('an incomplete request', () => {
  /** A service whose timeouts are a thousand times shorter. */
  async function hurriedService() {
    const { getBuiltinModule } = process
    vi.spyOn(process, 'getBuiltinModule').mockImplementation((name: string) => {
      const http = getBuiltinModule('node:http')
      const createServer = (times: Record<string, number>) =>
        http.createServer(
          Object.fromEntries(Object.entries(times).map(([name, time]) => [name, time / 1000])),
        )
      return (name === 'node:http' ? { ...http, createServer } : getBuiltinModule(name)) as never
    })
    onTestFinished(() => void vi.restoreAllMocks())
    return overSockets()
  }

  test.each([
    ['nothing', ''],
    ['half a header', `POST ${CODES} HTTP/1.1\r\nHost: local`],
    ['half a body', HALF_A_BODY],
  ])('%s: the connection is closed', async (_, bytes) => {
    const { open } = await hurriedService()
    const { socket, ended } = open()
    socket.write(bytes)
    expect(await ended).toContain('HTTP/1.1 408 ')
  })
})

test('several requests in one write get their responses in order', async () => {
  const { raw, written } = await overSockets()
  const post = (path: string, body: string) =>
    written(`POST ${path}`, [`Content-Length: ${body.length}`], body)
  const last = written('GET /nowhere', [LAST])
  const said = await raw(post(CODES, form) + post(TOKEN, form) + post(CODES, 'client_id=nobody') + last)
  expect(said.match(/HTTP\/1\.1 \d+/g)).toEqual([200, 400, 404, 404].map((status) => `HTTP/1.1 ${status}`))
  expect(said.indexOf('device_code')).toBeLessThan(said.indexOf('grant_type'))
})

describe('addresses and hosts', () => {
  test('the host of an absolute URL overrides the Host header', async () => {
    const { raw, url } = await overSockets()
    const get = (address: string) => raw(`GET ${address} HTTP/1.1\r\nHost: evil.example\r\n${LAST}\r\n\r\n`)
    expect(await get(`${url}/user?a=b?c`)).toContain(' 401 ')
    for (const address of ['http://evil.example/user', 'http:///user', 'ftp://localhost/user', '*'])
      expect(await get(address)).toContain(' 404 ')
  })

  test('HTTP/1.0 works without a Host header and gets a content length, not chunks', async () => {
    const { raw } = await overSockets()
    const said = await raw(`POST ${CODES} HTTP/1.0\r\nContent-Length: ${form.length}\r\n\r\n${form}`)
    expect(said).toContain(' 200 ')
    expect(said).toMatch(/content-length: \d+/i)
    expect(said).not.toMatch(/transfer-encoding/i)
  })

  test.each([
    ['localhost', ['Host: LOCALHOST:PORT'], 401],
    ['the address over IPv6', ['Host: [::1]:PORT'], 401],
    ['another port', ['Host: localhost:1'], 404],
    ['no host', [], 400],
    ['two hosts', ['Host: localhost:PORT', 'Host: evil.example'], 404],
    ['a foreign host with X-Forwarded-Host', ['Host: evil.example', 'X-Forwarded-Host: localhost:PORT'], 404],
    ['a user name and password before the host', ['Host: a:b@localhost:PORT'], 404],
  ])('%s', async (_, headers, status) => {
    const { raw, url } = await overSockets()
    const port = new URL(url).port
    const hosts = headers.map((header) => header.replace('PORT', port))
    const said = await raw(['GET /user HTTP/1.1', LAST, ...hosts, '', ''].join('\r\n'))
    expect(said).toContain(`HTTP/1.1 ${status} `)
  })
})

const UNKNOWN = [404, 'incorrect_client_credentials'] as const
const names = Array.from({ length: 10_000 }, (_, index) => index.toString(36))
const deep = '['.repeat(30_000) + ']'.repeat(30_000)

test.each<[string, string | Buffer, status: number, error?: string]>([
  ['broken percent signs', 'client_id=%ZZ%E0%A4%A', ...UNKNOWN],
  ['bytes that are not UTF-8', Buffer.from([...Buffer.from('client_id='), 0xff, 0xfe]), ...UNKNOWN],
  ['JSON that is not UTF-8', Buffer.from([...Buffer.from('{"client_id":"'), 0xff, 34, 125]), ...UNKNOWN],
  ['a scope with a header', `client_id=${CLIENT_ID}&scope=%0d%0aSet-Cookie:a=b`, 400, 'invalid_scope'],
  ['10,000 fields', `${names.map((name) => `${name}=`).join('&')}&${form}`, 200],
  ['8,000 members', `{${names.slice(0, 8000).map((name) => `"${name}":0`)},${json.slice(1)}`, 200],
  ['JSON nested 30,000 levels deep', `{"unknown":${deep},${json.slice(1)}`, 200],
  ['nothing but nested JSON', deep, 400],
])('a body with %s gets a response', async (_, body, status, error) => {
  const { send } = await overSockets()
  const type = body === deep ? 'application/json' : FORM
  const response = await send(CODES, { body, headers: { 'content-type': type } })
  expect(response.status).toBe(status)
  if (error) expect(response.body.error).toBe(error)
  expect(response.headers['set-cookie']).toBeUndefined()
})

test('a second credential after 3,000 headers is noticed', async () => {
  const { raw, written } = await overSockets({ personalTokens: [{ token: 'ghp_1', user: 'octocat' }] })
  const credential = 'Authorization: Bearer ghp_1'
  const many = Array.from({ length: 3000 }, () => 'a:')
  const said = await raw(written('GET /user', [LAST, credential, ...many, credential]))
  expect(said).toMatch(/ (400|431) /)
})
