import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, createServer, type IncomingMessage, request as send } from 'node:http'
import http2 from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { behindProxies, createService, type ServiceOptions } from '../../src/service/index.ts'
import { selfSigned } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'
import { CLIENT_ID, GRANT_TYPE } from '../support/start-service.ts'

async function listen(options: Partial<ServiceOptions> = {}, at = {}) {
  const service = createService({ clients: [{ clientId: CLIENT_ID, name: 'App' }], ...options })
  const listening = await service.listen(at)
  onTestFinished(() => listening.close())
  const post = (path: string, fields: Record<string, string>) =>
    fetch(listening.url + path, { method: 'POST', body: new URLSearchParams(fields) })
  return { service, ...listening, post }
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

/** Sends raw bytes and reads until the service closes the connection. */
function raw(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      said += chunk
    })
    socket.once('error', reject).once('close', () => resolve(said))
  })
}

test('a complete login over HTTP', async () => {
  const { service, url, post } = await listen()
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const codes = await (await post('/login/device/code', { client_id: CLIENT_ID, scope: 'repo' })).json()
  expect(codes.verification_uri).toBe(`${url}/login/device`)
  expect((await fetch(codes.verification_uri_complete)).status).toBe(200)
  const poll = { client_id: CLIENT_ID, device_code: codes.device_code, grant_type: GRANT_TYPE }
  const pending = await post('/login/oauth/access_token', poll)
  expect(pending.headers.get('content-length')).toBe(String((await pending.text()).length))
  await service.approve(codes.user_code, 'octocat')
  const { access_token } = await (await post('/login/oauth/access_token', poll)).json()
  const user = await fetch(`${url}/user`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(await user.json()).toEqual({ login: 'octocat' })
})

test('a client that resets its connection is still rate limited', async () => {
  const statuses: number[] = []
  const onWarning = vi.fn()
  const { url } = await listen({
    limits: { codesRequests: { max: 3, window: 60 } },
    authUrl: 'http://login.example',
    allowHttp: true,
    onResponse: ({ status }) => statuses.push(status),
    onWarning,
  })
  const body = `client_id=${CLIENT_ID}`
  const head = `POST /login/device/code HTTP/1.1\r\nHost: login.example\r\nContent-Length: ${body.length}`
  const askAndReset = () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
        socket.write(`${head}\r\n\r\n${body}`, () => socket.resetAndDestroy())
      })
      socket.once('error', () => undefined).once('close', () => resolve())
    })
  while (statuses.length < 20) await askAndReset()
  // Those that disconnected, and those that the service still counted for their address.
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(6)
  expect(onWarning).not.toHaveBeenCalled()
})

test('works under fake timers', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { url } = await listen()
  expect((await fetch(`${url}/user`)).status).toBe(401)
})

test('the Host header selects the login host or the API host, with or without a port', async () => {
  const { url } = await listen({ authUrl: 'https://login.example', baseUrl: 'https://api.example' })
  const ask = (path: string, host: string) =>
    raw(url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  for (const host of ['login.example', 'LOGIN.Example', 'login.example:443']) {
    expect(await ask('/login/device', host)).toContain(' 200 ')
    expect(await ask('/user', host)).toContain(' 404 ')
  }
  for (const host of ['login.example:80', 'api.example', new URL(url).host])
    expect(await ask('/login/device', host)).toContain(' 404 ')
})

test('close ends idle connections and lets requests in progress finish', async () => {
  let made = (_: string) => {}
  let asked = () => {}
  const asking = new Promise<void>((resolve) => {
    asked = resolve
  })
  const issueToken = () => {
    asked()
    return new Promise<string>((resolve) => {
      made = resolve
    })
  }
  const service = createService({ clients: [{ clientId: CLIENT_ID, name: 'App' }], issueToken })
  const { url, close } = await service.listen()
  const agent = new Agent({ keepAlive: true })
  await get(`${url}/user`, agent)
  const silent = connect(Number(new URL(url).port), '127.0.0.1')
  await new Promise((resolve) => silent.once('connect', resolve))

  const codes = await service.fetch(`${url}/login/device/code`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: CLIENT_ID }),
  })
  const { device_code, user_code } = await codes.json()
  await service.approve(user_code, 'octocat')
  const fields = { client_id: CLIENT_ID, device_code, grant_type: GRANT_TYPE }
  const poll = fetch(`${url}/login/oauth/access_token`, { method: 'POST', body: new URLSearchParams(fields) })
  await asking

  let closed = false
  const closing = close().then(() => {
    closed = true
  })
  await expect(fetch(`${url}/user`)).rejects.toThrow()
  expect(closed).toBe(false)
  made('the-token')
  expect(await (await poll).json()).toMatchObject({ access_token: 'the-token' })
  await closing
})

test('close ends a connection that never spoke TLS', async () => {
  const service = createService({ clients: [] })
  const { url, close } = await service.listen({ tls: selfSigned() })
  const silent = connect(Number(new URL(url).port), '127.0.0.1')
  await new Promise((resolve) => silent.once('connect', resolve))
  const ended = new Promise((resolve) => silent.once('close', resolve))
  await close()
  await ended
})

test('a port in use throws a clear error', async () => {
  const { url } = await listen()
  const port = Number(new URL(url).port)
  await expect(listen({}, { port })).rejects.toMatchObject({
    code: 'bad_option',
    message: `port ${port} of 127.0.0.1 is in use: choose another one, or 0 for any free port`,
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

describe('a Unix socket', () => {
  const authUrl = 'http://localhost'

  /** The path of a socket in a folder of its own. */
  function newPath(): string {
    const folder = mkdtempSync(join(tmpdir(), 'authgraph-socket-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    return join(folder, 'service.sock')
  }

  const statusAt = (socketPath: string, path = '/user', headers = {}) =>
    new Promise((resolve, reject) => {
      send({ socketPath, path, agent: false, headers: { host: 'localhost', ...headers } }, (response) =>
        resolve(response.resume().statusCode),
      )
        .once('error', reject)
        .end()
    })

  test.each([
    [undefined, 0o600],
    [0o660, 0o660],
  ])('takes the mode %o whatever the umask is, and is deleted on close', async (mode, expected) => {
    const path = newPath()
    const before = process.umask(0)
    onTestFinished(() => void process.umask(before))
    const { url, close } = await listen({ authUrl }, { path, ...(mode !== undefined && { mode }) })
    expect(process.umask()).toBe(0)
    expect(url).toBe(`unix:${path}`)
    expect(statSync(path).mode & 0o777).toBe(expected)
    expect(await statusAt(path)).toBe(401)
    await close()
    expect(existsSync(path)).toBe(false)
  })

  test('is never open to others, not even before its mode is set', async () => {
    const chmod = vi.spyOn(process.getBuiltinModule('node:fs'), 'chmodSync').mockReturnValue()
    onTestFinished(() => void vi.restoreAllMocks())
    const path = newPath()
    await listen({ authUrl }, { path })
    expect(chmod).toHaveBeenCalledWith(path, 0o600)
    expect(statSync(path).mode & 0o066).toBe(0)
  })

  test('that a killed process left behind is replaced', async () => {
    const path = newPath()
    const listening = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
    spawnSync(process.execPath, ['-e', listening])
    expect(statSync(path).isSocket()).toBe(true)
    await listen({ authUrl }, { path })
    expect(await statusAt(path)).toBe(401)
  })

  test.each<[string, (path: string) => unknown]>([
    ['another service listens', (path) => listen({ authUrl }, { path })],
    ['a file is', (path) => writeFileSync(path, 'kept')],
  ])('is refused where %s', async (_, occupy) => {
    const path = newPath()
    await occupy(path)
    await expect(listen({ authUrl }, { path })).rejects.toMatchObject({
      code: 'bad_option',
      message: `the path ${path} is in use: choose another one`,
    })
    expect(existsSync(path)).toBe(true)
  })

  test('is refused where the umask cannot be changed, as in a worker thread', async () => {
    vi.spyOn(process, 'umask').mockImplementation(() => {
      throw Object.assign(new Error('not in a worker'), { code: 'ERR_WORKER_UNSUPPORTED_OPERATION' })
    })
    onTestFinished(() => void vi.restoreAllMocks())
    const path = newPath()
    await expect(listen({ authUrl }, { path })).rejects.toMatchObject({
      code: 'bad_option',
      message: `cannot create the Unix socket ${path}: ERR_WORKER_UNSUPPORTED_OPERATION`,
    })
    expect(existsSync(path)).toBe(false)
  })

  test.each([-1, 0o1000, 1.5, Number.NaN])('is refused with the mode %d', async (mode) => {
    await expect(listen({ authUrl }, { path: newPath(), mode })).rejects.toMatchObject({
      code: 'bad_option',
      message: 'mode must be a whole number from 0 to 0o777',
    })
  })

  test('is refused without a path, and the umask stays', async () => {
    const before = process.umask()
    await expect(listen({ authUrl }, { path: '' })).rejects.toMatchObject({ code: 'bad_option' })
    expect(process.umask()).toBe(before)
  })

  test('is refused in a folder that does not exist, and without an authUrl', async () => {
    const path = join(newPath(), 'below')
    await expect(listen({ authUrl }, { path })).rejects.toThrow(`cannot create the Unix socket ${path}: `)
    await expect(listen({}, { path: newPath() })).rejects.toThrow('to listen on a Unix socket, give authUrl')
  })

  test.each([
    [['unix:'], '192.0.2.7'],
    [['127.0.0.1'], 'unix:'],
  ])('whose clients are trusted as %j has requests from %s', async (proxies, expected) => {
    const path = newPath()
    const clientAddress = vi.fn(behindProxies(proxies))
    await listen({ authUrl, clientAddress, users: [{ username: 'octocat', password: 'secret' }] }, { path })
    await statusAt(path, '/user', { 'x-forwarded-for': 'unix:, 192.0.2.7' })
    expect(clientAddress).toHaveReturnedWith(expected)
  })
})

/** A service on the host's own server. */
async function mount() {
  const { requestListener } = createService({ clients: [{ clientId: CLIENT_ID, name: 'App' }] })
  const server = createServer(requestListener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://localhost:${port}` }
}

test.each([
  ['service.listen', listen],
  ['a server of the host', mount],
])('%s closes a connection that pipelines requests without reading, and serves others', async (_, start) => {
  const { url } = await start()
  const { port } = new URL(url)
  const ended = new Promise((resolve) => {
    const one = `GET /login/device HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`
    const greedy = connect(Number(port), '127.0.0.1', () => greedy.write(one.repeat(5000)))
    greedy.once('error', () => undefined).once('close', resolve)
  })
  expect((await fetch(`${url}/login/device`)).status).toBe(200)
  await ended
})

test('a server of the host may speak HTTP/2', async () => {
  const { requestListener } = createService({
    authUrl: 'http://localhost',
    clients: [{ clientId: CLIENT_ID, name: 'App' }],
    users: [{ username: 'octocat', password: 'secret' }],
  })
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
  const codes = { ':method': 'POST', ':path': '/login/device/code' }
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
  const { url, close, drain, held, holding } = await startHeld()
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  await get(`${url}/user`, agent)
  const impatient = connect(Number(new URL(url).port), '127.0.0.1')
  impatient.write(`GET /login/device HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`.repeat(3))
  await holding(3)
  const over = drain()
  impatient.destroy()
  await over
  for (const release of held) release()
  await close()
})
