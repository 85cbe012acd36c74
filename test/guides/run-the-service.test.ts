import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../support/free-port.js'
import { hasRedis, startRedis } from '../support/redis-server.js'
import { CLIENT_ID, GRANT_TYPE } from '../support/start-service.ts'

const HOST = 'login.example.com'

const folder = resolve(import.meta.dirname, '../../docs/guides/run-the-service')
const config = readFileSync(join(folder, 'nginx.conf'), 'utf8')

const isRoot = process.getuid?.() === 0
const idOf = (user: string, what: '-u' | '-g') =>
  Number(execFileSync('id', [what, user], { encoding: 'utf8' }))

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0
const hasNginx = has('nginx', '-v') && has('openssl', 'version')
if (!hasNginx)
  process.stderr.write('nginx or openssl is not installed: the test of the nginx config is SKIPPED.\n')

test.skipIf(!hasNginx || !hasRedis)(
  'a device logs in through nginx, and the user signs in before the page',
  async () => {
    const service = await startServer()
    const port = await startNginx(service.socket)
    const send = (path: string, fields: Record<string, string>, headers = {}) =>
      sendTo(port, path, { host: HOST, ...headers }, new URLSearchParams(fields).toString())

    const codes = JSON.parse((await send('/login/device/code', { client_id: CLIENT_ID })).text)
    expect(codes.verification_uri).toBe(`https://${HOST}/login/device`)
    expect(
      (await send('/login/device/code', { client_id: CLIENT_ID }, { host: 'evil.example' })).status,
    ).toBe(404)

    const signedIn = { authorization: `Basic ${btoa('octocat:password')}` }
    expect((await sendTo(port, '/login/device', { host: HOST })).status).toBe(401)
    const page = await sendTo(port, '/login/device', { host: HOST, ...signedIn })
    const [cookie = ''] = (page.cookie ?? '').split(';')
    expect(cookie).toMatch(/^__Host-authgraph=/)
    const sendForm = (text: string, fields: Record<string, string>) => {
      const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
      const headers = { cookie, origin: `https://${HOST}`, ...signedIn, 'x-remote-user': 'somebody-else' }
      return send('/login/device', { csrf, user_code: codes.user_code, ...fields }, headers)
    }
    const confirm = await sendForm(page.text, {})
    const done = await sendForm(confirm.text, { decision: 'approve' })
    expect(done.status).toBe(200)

    const poll = { client_id: CLIENT_ID, device_code: codes.device_code, grant_type: GRANT_TYPE }
    const { access_token } = JSON.parse((await send('/login/oauth/access_token', poll)).text)
    expect(access_token).toMatch(/^[\w-]{43}$/)
    if (isRoot) {
      const other = { uid: idOf('nobody', '-u'), gid: idOf('nobody', '-g') }
      expect(statusAt(service.socket, '/login/device', other)).toBe('denied')
    }
    expect(await service.stop()).toBe(0)
    expect(service.stderr()).toBe('')
  },
  30_000,
)

test.each(['AUTH_URL', 'CLIENT_ID', 'REDIS_URL'])(
  'a server without %s fails with a message that says so',
  (missing) => {
    const env = { ...process.env, AUTH_URL: `https://${HOST}`, CLIENT_ID, REDIS_URL: 'redis://127.0.0.1:1' }
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'server.js')], {
      env: { ...env, [missing]: '' },
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toContain(`Error: ${missing} is not set: add it to /etc/authgraph.env`)
  },
)

test.skipIf(!has('systemd-analyze', '--version'))('systemd accepts the unit', () => {
  const { stderr } = spawnSync('systemd-analyze', ['verify', join(folder, 'authgraph.service')], {
    encoding: 'utf8',
  })
  const own = stderr.split('\n').filter((line) => /Unknown|Failed to parse|Invalid/i.test(line))
  expect(own).toEqual([])
})

/** Starts the program of the guide. `stop` ends it and resolves to its exit code. */
async function startServer() {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const home = newFolder()
  const socket = join(home, 'authgraph.sock')
  const child = spawn(process.execPath, [join(folder, 'server.js')], {
    env: { ...process.env, AUTH_URL: `https://${HOST}`, CLIENT_ID, REDIS_URL: redis.url, SOCKET: socket },
    stdio: ['ignore', 'pipe', 'pipe'],
    // As systemd does. Without root, nginx runs as the same user.
    ...(isRoot && { gid: idOf('www-data', '-g') }),
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const isReady = () => statusAt(socket, '/readyz')
  await vi.waitFor(() => expect(isReady()).toBe('200'), { timeout: 60_000, interval: 20 })
  return {
    socket,
    /** Without warnings about defaults, too. */
    stderr: () => stderr,
    async stop(): Promise<number> {
      child.kill('SIGTERM')
      return (await once(child, 'exit'))[0]
    },
  }
}

/** A folder that the nginx workers, which run as another user, can read. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'authgraph-nginx-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  return folder
}

/** The status of a request to a Unix socket, as a user of this machine; `denied` if the user may not connect. */
function statusAt(
  socket: string,
  path: string,
  as: { readonly uid?: number; readonly gid?: number } = {},
): string {
  const asking = `require('http')
    .get({ socketPath: process.argv[1], path: process.argv[2] }, ({ statusCode }) => process.exit(console.log(statusCode)))
    .once('error', ({ code }) => console.log(code === 'EACCES' ? 'denied' : code))`
  const { stdout } = spawnSync(process.execPath, ['-e', asking, socket, path], {
    encoding: 'utf8',
    cwd: '/',
    ...as,
  })
  return stdout.trim()
}

/** Starts nginx with the config of the guide. Only ports, files, certificate and users differ. */
async function startNginx(upstream: string): Promise<number> {
  const home = newFolder()
  const file = (name: string) => join(home, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' })
  const names = ['-keyout', file('key.pem'), '-out', file('cert.pem'), '-subj', `/CN=${HOST}`]
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...names)
  writeFileSync(file('users'), `octocat:${openssl('passwd', '-apr1', 'password')}`, { mode: 0o644 })
  const port = await freePort()
  const changed = config
    .replace('/run/authgraph/authgraph.sock', upstream)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace(/ssl_certificate .*/, `ssl_certificate ${file('cert.pem')};`)
    .replace(/ssl_certificate_key .*/, `ssl_certificate_key ${file('key.pem')};`)
    .replace('/etc/nginx/users', file('users'))
    .replace('/run/nginx.pid', file('nginx.pid'))
    .replaceAll('/var/log/nginx', home)
  writeFileSync(file('nginx.conf'), changed)
  const nginx = spawn('nginx', ['-c', file('nginx.conf'), '-p', home, '-g', 'daemon off;'], {
    stdio: 'ignore',
  })
  onTestFinished(() => void nginx.kill())
  await vi.waitFor(() => sendTo(port, '/', { host: HOST }), { timeout: 60_000, interval: 20 })
  return port
}

async function sendTo(port: number, path: string, headers: Record<string, string>, body?: string) {
  const length = body === undefined ? {} : { 'content-length': body.length }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    request({ port, path, method, rejectUnauthorized: false, headers: { ...headers, ...length } }, resolve)
      .once('error', reject)
      .end(body)
  })
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode, cookie: response.headers['set-cookie']?.[0], text }
}
