import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { behindProxies, type ListenOptions } from '../../src/service/index.ts'
import { HOST, startService, type TestOptions } from '../support/start-service.ts'

// Apart from the other tests of listen: a worker of the mutation tests cannot change the umask.

async function listen(at: ListenOptions, options: TestOptions = {}) {
  const listening = await startService({ authUrl: HOST, ...options }).listen(at)
  onTestFinished(() => listening.close())
  return listening
}

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
])(
  'a Unix socket takes the mode %o whatever the umask is, and is deleted on close',
  async (mode, expected) => {
    const path = newPath()
    const before = process.umask(0)
    onTestFinished(() => void process.umask(before))
    const { url, close } = await listen({ path, ...(mode !== undefined && { mode }) })
    expect(process.umask()).toBe(0)
    expect(url).toBe(`unix:${path}`)
    expect(statSync(path).mode & 0o777).toBe(expected)
    expect(await statusAt(path)).toBe(401)
    await close()
    expect(existsSync(path)).toBe(false)
  },
)

test('a Unix socket is never open to others, not even before its mode is set', async () => {
  const chmod = vi.spyOn(process.getBuiltinModule('node:fs'), 'chmodSync').mockReturnValue()
  onTestFinished(() => void vi.restoreAllMocks())
  const path = newPath()
  await listen({ path })
  expect(chmod).toHaveBeenCalledWith(path, 0o600)
  expect(statSync(path).mode & 0o066).toBe(0)
})

test('a Unix socket that a killed process left behind is replaced', async () => {
  const path = newPath()
  const listening = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', listening])
  expect(statSync(path).isSocket()).toBe(true)
  await listen({ path })
  expect(await statusAt(path)).toBe(401)
})

test.each<[string, (path: string) => unknown]>([
  ['another service listens', (path) => listen({ path })],
  ['a file is', (path) => writeFileSync(path, 'kept')],
])('a Unix socket is refused where %s', async (_, occupy) => {
  const path = newPath()
  await occupy(path)
  await expect(listen({ path })).rejects.toMatchObject({
    code: 'bad_option',
    message: `the path ${path} is in use: choose another one`,
  })
  expect(existsSync(path)).toBe(true)
})

test('a Unix socket is refused where the umask cannot be changed, as in a worker thread', async () => {
  vi.spyOn(process, 'umask').mockImplementation(() => {
    throw Object.assign(new Error('not in a worker'), { code: 'ERR_WORKER_UNSUPPORTED_OPERATION' })
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const path = newPath()
  await expect(listen({ path })).rejects.toMatchObject({
    code: 'bad_option',
    message: `cannot create the Unix socket ${path}: ERR_WORKER_UNSUPPORTED_OPERATION`,
  })
  expect(existsSync(path)).toBe(false)
})

test.each([-1, 0o1000, 1.5, Number.NaN])('a Unix socket is refused with the mode %d', async (mode) => {
  await expect(listen({ path: newPath(), mode })).rejects.toMatchObject({
    code: 'bad_option',
    message: 'mode must be a whole number from 0 to 0o777',
  })
})

test('a Unix socket is refused without a path or a folder, and without an authUrl', async () => {
  await expect(listen({ path: '' })).rejects.toMatchObject({ code: 'bad_option' })
  const path = join(newPath(), 'below')
  await expect(listen({ path })).rejects.toThrow(`cannot create the Unix socket ${path}: `)
  await expect(startService().listen({ path: newPath() })).rejects.toThrow(
    'to listen on a Unix socket, give authUrl',
  )
})

test.each([
  [['unix:'], '192.0.2.7'],
  [['127.0.0.1'], 'unix:'],
])('a Unix socket whose clients are trusted as %j has requests from %s', async (proxies, expected) => {
  const path = newPath()
  const clientAddress = vi.fn(behindProxies(proxies))
  await listen({ path }, { clientAddress, users: [{ username: 'octocat', password: 'secret' }] })
  await statusAt(path, '/user', { authorization: 'Basic eDp5', 'x-forwarded-for': 'unix:, 192.0.2.7' })
  expect(clientAddress).toHaveReturnedWith(expected)
})
