import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as send } from 'node:http'
import http2 from 'node:http2'
import { get as getOverTls } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { serviceRequest } from '../../src/service/http/request-listener.ts'
import { selfSigned } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'
import { CLIENT_ID, CODES_PATH, startService, type TestOptions } from '../support/start-service.ts'

async function listen(options: TestOptions = {}, at = {}) {
  const service = startService(options)
  const listening = await service.listen(at)
  onTestFinished(() => listening.close())
  return { service, ...listening, port: Number(new URL(listening.url).port) }
}

/** Sends one request on a connection of this agent. */
function get(url: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    send(url, { agent }, (response) => {
      response.resume()
      response.once('end', () => resolve(response))
    })
      .once('error', reject)
      .end()
  })
}

/** A connection that has sent nothing yet. */
async function connected(port: number) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

test('a client that resets its connection is still rate limited', async () => {
  const statuses: number[] = []
  const { port } = await listen({
    limits: { codesRequests: { max: 3, window: 60 } },
    authUrl: 'http://login.example',
    allowHttp: true,
    onResponse: ({ status }) => statuses.push(status),
  })
  const body = `client_id=${CLIENT_ID}`
  const head = `POST /login/device/code HTTP/1.1\r\nHost: login.example\r\nContent-Length: ${body.length}`
  const askAndReset = () =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`${head}\r\n\r\n${body}`, () => socket.resetAndDestroy())
      })
      socket.once('error', () => undefined).once('close', () => resolve())
    })
  while (statuses.length < 20) await askAndReset()
  // Those that disconnected, and those that the service still counted for their address.
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(6)
})

test('works under fake timers', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { url } = await listen()
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const response = await fetch(`${url}/user`)
  expect(response.status).toBe(401)
  expect(response.headers.get('content-length')).toBe(String((await response.text()).length))
})

test('close ends idle connections and lets requests in progress finish', async () => {
  const { url, port, close, held, holding } = await startHeld()
  const agent = new Agent({ keepAlive: true })
  await get(`${url}/user`, agent)
  await connected(port)
  const page = fetch(`${url}/login/device`)
  await holding(1)
  let closed = false
  const closing = close().then(() => {
    closed = true
  })
  await expect(fetch(`${url}/user`)).rejects.toThrow()
  expect(closed).toBe(false)
  held[0]?.()
  expect((await page).status).toBe(200)
  await closing
})

test('serves https with a key and its certificate, and refuses a pair that is not one', async () => {
  const tls = selfSigned()
  const { url } = await listen({}, { tls })
  const [response] = await once(getOverTls(`${url}/login/device`, { ca: tls.cert }), 'response')
  expect(response.resume().statusCode).toBe(200)
  await expect(listen({}, { tls: { ...tls, key: 'secret' } })).rejects.toMatchObject({
    code: 'bad_option',
    message: 'tls must have a private key and its certificate, both as PEM',
  })
})

test('a port in use, or one of a host of another machine, throws the reason of the system', async () => {
  const { port } = await listen()
  await expect(listen({}, { port })).rejects.toMatchObject({
    code: 'bad_option',
    message: `port ${port} of 127.0.0.1 is in use: choose another one, or 0 for any free port`,
  })
  await expect(listen({ allowHttp: true }, { port: 65_535, host: '192.0.2.1' })).rejects.toMatchObject({
    code: 'bad_option',
    message: 'cannot listen on port 65535 of 192.0.2.1 (EADDRNOTAVAIL): check the host',
  })
})

test.each([-1, 65_536, 1.5, Number.NaN])('the port %d is refused', async (port) => {
  await expect(listen({}, { port })).rejects.toMatchObject({ code: 'bad_option' })
})

test('the URL of a wildcard address is one that can be opened', async () => {
  const { url } = await listen({ allowHttp: true }, { host: '0.0.0.0' })
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await fetch(`${url}/user`)).status).toBe(401)
})

test('listen throws a clear error in a page or a worker, which have no server', async () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
  onTestFinished(() => void vi.restoreAllMocks())
  await expect(listen()).rejects.toMatchObject({
    code: 'bad_option',
    message: expect.stringContaining('this runtime cannot listen'),
  })
})

/** A service on the host's own server. */
async function mount() {
  const { requestListener } = startService()
  const server = createServer(requestListener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://localhost:${port}`, port }
}

test('closes a connection that pipelines requests without reading, and serves others', async () => {
  const { url, port } = await mount()
  const greedy = await connected(port)
  const ended = new Promise((resolve) => greedy.once('error', () => undefined).once('close', resolve))
  greedy.write(`GET /login/device HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`.repeat(5000))
  expect((await fetch(`${url}/login/device`)).status).toBe(200)
  await ended
})

test('a server of the host may speak HTTP/2', async () => {
  const users = [{ username: 'octocat', password: 'secret' }]
  const { requestListener } = startService({ authUrl: 'http://localhost', users })
  const server = http2.createServer(requestListener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(async () => {
    await new Promise<void>((resolve) => session.close(resolve))
    server.close()
  })
  const ask = async (headers: http2.OutgoingHttpHeaders, body?: string) => {
    const stream = session.request({ ':authority': 'localhost', ...headers })
    stream.setEncoding('utf8').end(body)
    const [{ ':status': status }] = await once(stream, 'response')
    let text = ''
    for await (const chunk of stream) text += chunk
    return { status, text }
  }
  const codes = { ':method': 'POST', ':path': CODES_PATH }
  const asked = await Promise.all(Array.from({ length: 50 }, () => ask(codes, `client_id=${CLIENT_ID}`)))
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]))
  expect(JSON.parse(asked[0]?.text ?? '')).toHaveProperty('device_code')
  const authorization = `Basic ${btoa('octocat:secret')}`
  expect(await ask({ ':path': '/user', authorization })).toEqual({ status: 200, text: '{"login":"octocat"}' })
  expect((await ask({ ':path': '/user', authorization, ':authority': 'evil.example' })).status).toBe(404)
  expect(await ask({ ':method': 'HEAD', ':path': '/login/device' })).toEqual({ status: 200, text: '' })
  expect((await ask(codes, `client_id=${CLIENT_ID}&x=`.padEnd(65_537, 'x'))).status).toBe(413)
})

test('an idle connection is closed, though later than a slow request', async () => {
  const createServer = vi.spyOn(process.getBuiltinModule('node:http'), 'createServer')
  onTestFinished(() => void vi.restoreAllMocks())
  await listen()
  expect(createServer.mock.results.map(({ value }) => value.timeout)).toEqual([40_000])
})

/** A service whose verification page waits for the test. */
async function startHeld() {
  const held: (() => void)[] = []
  const listening = await listen({
    identify: async () => {
      await new Promise<void>((resolve) => held.push(resolve))
      return { user: 'octocat' }
    },
  })
  const holding = (count: number) => eventually(() => expect(held).toHaveLength(count))
  return { ...listening, held, holding }
}

test('answered waits for the requests in progress, but not for later ones', async () => {
  const { url, drain, held, holding } = await startHeld()
  const ask = () => fetch(`${url}/login/device`)
  const first = [ask(), ask()]
  await holding(2)
  let resolved = 0
  const waits = [drain(), drain()].map((wait) => wait.then(() => (resolved += 1)))
  const later = [ask(), ask()]
  await holding(4)
  held[0]?.()
  await Promise.race(first)
  expect(resolved).toBe(0)
  held[1]?.()
  await Promise.all(waits)
  for (const release of held) release()
  await Promise.all([...first, ...later])
  await drain()
})

test('a client that disconnects during pipelined requests leaves nothing for close to wait for', async () => {
  const { url, port, close, drain, held, holding } = await startHeld()
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  await get(`${url}/user`, agent)
  const impatient = await connected(port)
  impatient.write(`GET /login/device HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`.repeat(3))
  await holding(3)
  const over = drain()
  impatient.destroy()
  await over
  for (const release of held) release()
  await close()
})

test.each([true, false])('a request knows whether its client has disconnected: %s', (destroyed) => {
  const request = { method: 'GET', url: '/', rawHeaders: [], socket: { destroyed } }
  expect(serviceRequest(request, undefined).isGone()).toBe(destroyed)
})
