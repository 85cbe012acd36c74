import { createPrivateKey, createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { get as httpsGet } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { authorizeDevice, github, refresh } from '../../src/index.ts'
import { selfSigned } from '../support/certificate.ts'
import { hasRedis, startRedis } from '../support/redis-server.js'
import { serveCommand } from '../support/serve-command.ts'
import { GRANT_TYPE } from '../support/start-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { userAt } from '../support/user.ts'
import { test as inWorld } from './support/world.ts'

const CLIENT_ID = 'client-id-in-the-clear'
const CLIENT = ['--client', `${CLIENT_ID}=My device`]

vi.setConfig({ testTimeout: 30_000 })

function serve(...words: string[]) {
  const served = serveCommand(...words)
  onTestFinished(served.kill)
  return served
}

function post(url: string, path: string, fields: Record<string, string>) {
  return fetch(url + path, { method: 'POST', body: new URLSearchParams(fields) })
}

const askForCodes = (url: string) => post(url, '/login/device/code', { client_id: CLIENT_ID })

function file(name: string, text: string): string {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, text)
  return path
}

/** Requests codes. Resolves to the status, or to `undefined` if the connection breaks. */
async function beginRequest(url: string) {
  const request = httpRequest(`${url}/login/device/code`, {
    method: 'POST',
    headers: { expect: '100-continue', 'content-type': 'application/x-www-form-urlencoded' },
  })
  const codesStatus = once(request, 'response').then(
    ([{ statusCode }]) => statusCode as number,
    () => undefined,
  )
  request.flushHeaders()
  await once(request, 'continue')
  request.end(`client_id=${CLIENT_ID}`)
  return { codesStatus }
}

/** Approves as the signed-in user. */
async function approve({ verificationUriComplete = '' }) {
  const { open, send } = userAt(fetch)
  await send(await send(await open(verificationUriComplete)), { decision: 'approve' })
}

/** The options of a login at a service, with a user who approves. */
const loginAt = (url: string) => ({
  clientId: CLIENT_ID,
  provider: github({ authUrl: url, baseUrl: url }),
  onCodes: approve,
})

test('issues refresh tokens, and repeats a response only within the window', async () => {
  const refreshing = ['--token-lifetime', '30', '--refresh-tokens', '60', '--reuse-window', '0']
  const served = serve(...CLIENT, '--interval', '1', ...refreshing)
  const url = await served.url()
  const { onCodes, ...at } = loginAt(url)
  const token = await authorizeDevice({ ...at, onCodes })
  expect([token.expiresIn, token.refreshTokenExpiresIn]).toEqual([30, 60])
  expect((await refresh(token, at)).refreshToken).toBeDefined()
  await expect(refresh(token, at)).rejects.toMatchObject({ code: 'login_required' })
})

test('signs tokens with a key that only this user can read, and that the next process uses again', async () => {
  const database = file('authgraph.db', '')
  const words = [...CLIENT, '--store', `sqlite:${database}`, '--jwt', '--interval', '1']
  const tokenOf = async () => {
    const served = serve(...words)
    const url = await served.url()
    const { accessToken } = await authorizeDevice(loginAt(url))
    const jwks = createLocalJWKSet(await (await fetch(`${url}/.well-known/jwks.json`)).json())
    await served.kill()
    return { token: accessToken.reveal(), jwks }
  }
  const { token } = await tokenOf()
  const { jwks } = await tokenOf()
  expect((await jwtVerify(token, jwks, { typ: 'at+jwt' })).payload).toMatchObject({ client_id: CLIENT_ID })
  expect(statSync(`${database}.key.json`).mode & 0o777).toBe(0o600)
})

test('needs a file for the key if other instances may share the store', async () => {
  const served = serve(...CLIENT, '--store', 'redis://127.0.0.1:1', '--jwt')
  expect(await served.ended).toBe(2)
  expect(served.stderr()).toContain('--jwt FILE')
})

test('logs a complete login over HTTP without secrets', async () => {
  const served = serve(...CLIENT, '--interval', '1')
  const url = await served.url()
  const secrets = [CLIENT_ID, 'in-the-query', 'secret-in-the-path', 'My device']
  const token = await authorizeDevice({
    ...loginAt(url),
    fetch: async (input, init) => {
      const fields = new URLSearchParams(String(init?.body ?? ''))
      secrets.push(...fields.getAll('device_code'), ...fields.getAll('csrf'))
      return fetch(input, init)
    },
    onCodes: async (codes) => {
      secrets.push(codes.userCode)
      await approve(codes)
    },
  })
  expect(token.expiresIn).toBe(28_800)
  secrets.push(token.accessToken.reveal())
  const headers = { authorization: `Bearer ${token.accessToken.reveal()}`, cookie: 'name=in-the-query' }
  const user = await fetch(`${url}/user`, { headers })
  expect(await user.json()).toEqual({ id: 1, login: 'developer' })
  await fetch(`${url}/login/device?user_code=in-the-query`)
  await fetch(`${url}/secret-in-the-path`)
  served.signal('SIGTERM')
  expect(await served.ended).toBe(0)

  const lines = served.logged()
  const others = lines.map(({ event }) => event).filter((event) => event !== 'response')
  const login = ['codes.issued', 'code.viewed', 'decision', 'token.issued']
  expect(others).toEqual(['listening', ...login, 'stopping', 'stopped'])
  const responses = lines.filter(({ event }) => event === 'response')
  for (const { path } of responses) expect(path ?? '/user').toMatch(/^\/(login\/[a-z_/]+|user)$/)
  const id = user.headers.get('x-request-id')
  expect(responses.find((line) => line.id === id)).toMatchObject({ path: '/user', status: 200 })
  expect(responses.at(-1)).toMatchObject({ path: null, status: 404, level: 'warn' })
  expect(secrets.length).toBeGreaterThan(6)
  // Standard error says how to log in.
  const printed = served.printed().replace(`--client-id ${CLIENT_ID}\n`, '')
  for (const secret of secrets) expect(printed).not.toContain(secret)
})

inWorld('says how to log in as the first client', async ({ world }) => {
  const terminal = world.open(['serve', '--port', '0', '--demo-client', '--client', "a b's=A"], {
    columns: 200,
  })
  await terminal.shows(/authgraph login --host http:\S+ --client-id 'a b'\\''s'/)
})

inWorld('says how to log in at an address with a path', async ({ world }) => {
  const base = 'http://localhost:9846/foo'
  const terminal = world.open(['serve', '--port', '0', '--demo-client', '--auth-url', `${base}/`], {
    columns: 250,
  })
  const endpoints = `--device-authorization-endpoint ${base}/login/device/code --token-endpoint ${base}/login/oauth/access_token`
  await terminal.shows(new RegExp(`authgraph login ${endpoints} --client-id authgraph-demo`))
})

inWorld('logs readable lines on a terminal and JSON with --json', async ({ world }) => {
  for (const [words, logged] of [
    ['--no-color', /^\d\d:\d\d:\d\d {2}listening http:\/\/127\.0\.0\.1:\d+ memory$/m],
    ['--json', /^\{"time":".*","event":"listening",.*\}$/m],
  ] as const) {
    const terminal = world.open(`serve --demo-client --port 0 ${words}`, { columns: 200 })
    await terminal.shows(logged)
  }
})

test('reads clients with their scopes from a file, and responds in the dialect', async () => {
  const clients = file(
    'clients.json',
    JSON.stringify([{ clientId: CLIENT_ID, name: 'From a file', scopes: ['repo'] }]),
  )
  const options = '--dialect rfc8628 --expires-in 60 --interval 2'
  const url = await serve('--clients', clients, ...options.split(' ')).url()
  const codes = (await (await askForCodes(url)).json()) as { device_code: string }
  expect(codes).toMatchObject({ expires_in: 60, interval: 2 })
  const refused = await post(url, '/login/device/code', { client_id: CLIENT_ID, scope: 'gist' })
  expect(await refused.json()).toMatchObject({ error: 'invalid_scope' })
  const poll = await post(url, '/login/oauth/access_token', {
    client_id: CLIENT_ID,
    device_code: codes.device_code,
    grant_type: GRANT_TYPE,
  })
  expect(poll.status).toBe(400)
})

/** Requests codes as a proxy at `login.example.com` does. */
async function codesBehindProxy(url: string): Promise<string> {
  const type = 'application/x-www-form-urlencoded'
  const headers = { host: 'login.example.com', 'content-type': type, 'x-forwarded-for': '203.0.113.7' }
  const request = httpRequest(`${url}/login/device/code`, { method: 'POST', headers })
  request.end(`client_id=${CLIENT_ID}`)
  const [response] = await once(request, 'response')
  return String(await response.toArray())
}

test.each([
  ['http://login.example.com', ['--allow-http'], 1],
  ['https://login.example.com', ['--trust-proxy', '127.0.0.1'], 0],
])(
  'gives out its public address %s, and warns about an unknown proxy: %j',
  async (authUrl, flags, warnings) => {
    const served = serve(...CLIENT, '--auth-url', authUrl, ...flags)
    const codes = JSON.parse(await codesBehindProxy(await served.url()))
    expect(codes).toMatchObject({ verification_uri: `${authUrl}/login/device` })
    await served.event('response')
    const warned = served.logged().filter(({ event }) => event === 'warning')
    expect(warned).toHaveLength(warnings)
    for (const { level, message } of warned)
      expect([level, message]).toEqual(['warn', expect.stringContaining('--trust-proxy')])
  },
)

test('serves https with a key and a certificate', async () => {
  const { key, cert } = selfSigned()
  const tls = ['--tls-key', file('key.pem', key), '--tls-cert', file('cert.pem', cert)]
  const url = await serve('--demo-client', ...tls).url()
  expect(url).toMatch(/^https:/)
  const [response] = await once(httpsGet(`${url}/healthz`, { ca: cert, agent: false }), 'response')
  expect(response.resume().statusCode).toBe(200)
})

test('says which file of --tls-key and --tls-cert cannot be used, and quotes none', async () => {
  const { key, cert } = selfSigned()
  const pkcs8 = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open sesame' } as const
  const encrypted = createPrivateKey(key).export(pkcs8).toString()
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
  const noKey = '--tls-key must name a file with a private key as PEM'
  const noCert = '--tls-cert must name a file with a certificate as PEM'
  const rows = [
    [encrypted, cert, '--tls-key is encrypted: decrypt it with "openssl pkey -in <file> -out <new file>"'],
    [publicKey, cert, `${noKey}, not with a public key`],
    [cert, cert, `${noKey}, not with a certificate`],
    ['hunter2', cert, noKey],
    [key, key, `${noCert}, not with a private key`],
    [key, 'hunter2', noCert],
    [key, cert.slice(100), `${noCert}: it is damaged`],
    [
      key,
      selfSigned().cert,
      '--tls-key is not the key of the first certificate in --tls-cert: check both files',
    ],
  ] as const
  await Promise.all(
    rows.map(async ([key, cert, error]) => {
      const tls = ['--tls-key', file('key.pem', key), '--tls-cert', file('cert.pem', cert)]
      const served = serve('--demo-client', ...tls)
      expect(await served.ended).toBe(2)
      expect(served.stderr()).toBe(`✗ ${error}\n  See: authgraph serve --help\n`)
    }),
  )
})

test('exits with 1 if it cannot listen', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as { port: number }
  for (const [options, error] of [
    [['--port', String(port)], `Port ${port} of 127.0.0.1 is in use: choose another one with --port, or 0`],
    [
      ['--host', '192.0.2.1', '--allow-http'],
      'Cannot listen on port 0 of 192.0.2.1 (EADDRNOTAVAIL): choose an address of this machine with --host',
    ],
  ] as const) {
    const served = serve('--demo-client', ...options)
    expect(await served.ended).toBe(1)
    expect(served.stderr()).toContain(`✗ ${error}`)
  }
})

test('warns once, outside the log, that it is for development only, and exits with 0 on SIGINT', async () => {
  const served = serve('--demo-client')
  const url = await served.url()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  await vi.waitFor(() => expect(served.stderr()).toContain('"developer"'))
  expect(served.stderr().replaceAll(/\s+/g, ' ')).toContain(
    `authgraph login --host ${url} --client-id authgraph-demo`,
  )
  expect((await fetch(`${url}/login/device`)).status).toBe(200)
  served.signal('SIGINT')
  expect(await served.ended).toBe(0)
  expect(served.stderr().match(/FOR DEVELOPMENT ONLY/g)).toHaveLength(1)
})

const status = async (address: string) => (await fetch(address)).status

test('keeps codes in an SQLite file when the process is killed', async () => {
  const options = [...CLIENT, '--store', `sqlite:${file('authgraph.db', '')}`]
  const first = serve(...options)
  const { device_code } = await (await askForCodes(await first.url())).json()
  await first.kill()
  const second = serve(...options)
  const url = await second.url()
  expect(second.logged()).toContainEqual(expect.objectContaining({ event: 'listening', store: 'sqlite' }))
  const fields = { client_id: CLIENT_ID, device_code, grant_type: GRANT_TYPE }
  const poll = await post(url, '/login/oauth/access_token', fields)
  expect(await poll.json()).toMatchObject({ error: 'authorization_pending' })
})

describe.skipIf(!hasRedis)('with a store in Redis', () => {
  async function serveRedis({ isHere = true } = {}) {
    const redis = await startRedis('kept')
    onTestFinished(redis.stop)
    if (!isHere) await redis.kill()
    const served = serve(...CLIENT, '--store', redis.url)
    return { redis, served, url: await served.url() }
  }

  test('starts without it, is ready while it is available, and always alive', async () => {
    const { redis, served, url } = await serveRedis({ isHere: false })
    const health = async () => [await status(`${url}/healthz`), await status(`${url}/readyz`)]
    expect(served.logged()).toContainEqual(expect.objectContaining({ event: 'listening', store: 'redis' }))
    const { host } = new URL(redis.url)
    const message = `Redis of --store at ${host} is not available: ECONNREFUSED. Until it is, requests that need it get status 503`
    expect(served.logged()).toContainEqual(expect.objectContaining({ event: 'error', message }))
    expect(served.stderr()).toContain('Log in from another terminal, once the database is available:')
    expect(await health()).toEqual([200, 503])
    await redis.start()
    await vi.waitFor(async () => expect(await health()).toEqual([200, 200]), { timeout: 5000 })
    expect((await askForCodes(url)).status).toBe(200)
    await redis.kill()
    expect(await health()).toEqual([200, 503])
    expect((await askForCodes(url)).status).toBe(503)
    expect(served.logged()).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'error', code: 'store_unavailable' }),
    )
  })

  test('responds to pending requests before it stops, unless a second signal comes', async () => {
    const { redis, served, url } = await serveRedis()
    const other = serve(...CLIENT, '--store', redis.url)
    const otherUrl = await other.url()
    redis.freeze()
    const { codesStatus } = await beginRequest(url)
    await beginRequest(otherUrl)
    for (const { signal, event } of [served, other]) {
      signal('SIGTERM')
      await event('stopping')
    }
    expect(await status(`${url}/readyz`)).toBe(503)
    expect(await status(`${url}/healthz`)).toBe(200)
    other.signal('SIGTERM')
    expect(await other.ended).toBe(143)
    redis.thaw()
    expect(await codesStatus).toBe(200)
    expect(await served.ended).toBe(0)
  })
})
