import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { github } from '../../src/index.ts'
import { createSession } from '../../src/session/index.ts'
import { fileStore } from '../../src/session/node/index.ts'
import { rotatingProvider } from './support/rotating-provider.ts'

const root = resolve(import.meta.dirname, '../..')
const program = join(root, '.cache/session-program.mjs')

beforeAll(() =>
  build({
    entryPoints: [join(import.meta.dirname, 'support/program.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['xstate', 'valibot'],
    outfile: program,
  }),
)

const folder = () => join(mkdtempSync(join(tmpdir(), 'authgraph-session-')), 'logins')

function start(...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close').then(() => text)
  return { child, ended, text: () => text }
}

/** A login in a folder, whose token has expired, and the server that renews it. */
async function expiredLogin(reuseWindow: number) {
  const server = rotatingProvider({ reuseWindow, firstExpiresIn: 1 })
  const http = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    try {
      const made = await server.fetch(`http://localhost${request.url}`, { method: 'POST', body })
      response.writeHead(made.status, { 'content-type': 'application/json' }).end(await made.text())
    } catch {
      response.destroy()
    }
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => void http.close())
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const path = folder()
  const long = Date.now() - 3_600_000
  const clock = {
    now: () => long,
    setTimeout: (run: () => void) => setTimeout(run, 0),
    clearTimeout: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
  }
  const session = createSession({
    clientId: 'id',
    provider: github({ authUrl: url, baseUrl: url }),
    store: fileStore(path),
    fetch: (input, init) => server.fetch(String(input), init),
    clock,
  })
  await session.login()
  session.actor.stop()
  server.requests.length = 0
  return { server, url, path }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((done) => setTimeout(done, 10))
}

const end = (child: ChildProcess, signal: NodeJS.Signals) => child.kill(signal)

describe('processes that share a login', { timeout: 60_000 }, () => {
  test('fifty wake with one expired pair: one request, fifty tokens, nobody is logged out', async () => {
    const { server, url, path } = await expiredLogin(0)
    const tokens = await Promise.all(Array.from({ length: 50 }, () => start('token', url, path).ended))
    expect(new Set(tokens)).toEqual(new Set(['access-0-1']))
    expect(server.requests).toEqual(['refresh-0-0'])
  })

  test('the claim of a process that was killed is taken over, and the reuse window saves the login', async () => {
    const { server, url, path } = await expiredLogin(30)
    server.holdRefresh()
    const holder = start('token', url, path)
    await until(() => server.requests.length > 0)
    end(holder.child, 'SIGKILL')
    await holder.ended
    expect(await start('token', url, path).ended).toBe('access-0-1')
    expect(server.requests).toEqual(['refresh-0-0', 'refresh-0-0'])
  })

  test('the claim of a process that was stopped is not: the others are told which one it is', async () => {
    const { server, url, path } = await expiredLogin(0)
    const release = server.holdRefresh()
    const holder = start('token', url, path)
    await until(() => server.requests.length > 0)
    end(holder.child, 'SIGSTOP')
    release()
    expect(await start('token', url, path).ended).toBe(`busy ${holder.child.pid}`)
    end(holder.child, 'SIGCONT')
    expect(await holder.ended).toBe('access-0-1')
    expect(await start('token', url, path).ended).toBe('access-0-1')
    expect(server.requests).toEqual(['refresh-0-0'])
  })
})

describe('the lock of a file store', { timeout: 60_000 }, () => {
  test('loses no update, though processes are killed at any moment', async () => {
    const path = folder()
    const workers = Array.from({ length: 8 }, () => start('count', path, '60'))
    for (const { child, text } of workers.slice(0, 5)) {
      await until(() => text().length > 5 || child.exitCode !== null)
      end(child, 'SIGKILL')
    }
    const texts = await Promise.all(workers.map(({ ended }) => ended))
    const told = texts.join('').length
    const count = await fileStore(path).update('count', (value) => ({ result: Number(value) }))
    // A worker may be killed between its update and its report.
    expect(count).toBeGreaterThanOrEqual(told)
    expect(count).toBeLessThanOrEqual(told + 5)
    expect(texts.slice(5).map(({ length }) => length)).toEqual([60, 60, 60])
  })
})
