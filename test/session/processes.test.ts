import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { github } from '../../src/index.ts'
import { createSession } from '../../src/session/index.ts'
import { fileStore } from '../../src/session/node/index.ts'
import { rotatingProvider } from './support/rotating-provider.ts'
import { buildProgram, startProgram } from './support/start-program.ts'

beforeAll(buildProgram)

const folder = () => join(mkdtempSync(join(tmpdir(), 'authgraph-session-')), 'logins')

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
    const tokens = await Promise.all(Array.from({ length: 50 }, () => startProgram('token', url, path).ended))
    expect(new Set(tokens)).toEqual(new Set(['access-0-1']))
    expect(server.requests).toEqual(['refresh-0-0'])
  })

  test('the claim of a process that was killed is taken over, and the reuse window saves the login', async () => {
    const { server, url, path } = await expiredLogin(30)
    server.holdRefresh()
    const holder = startProgram('token', url, path)
    await until(() => server.requests.length > 0)
    end(holder.child, 'SIGKILL')
    await holder.ended
    expect(await startProgram('token', url, path).ended).toBe('access-0-1')
    expect(server.requests).toEqual(['refresh-0-0', 'refresh-0-0'])
  })

  test('the claim of a process that was stopped is not: the others are told which one it is', async () => {
    const { server, url, path } = await expiredLogin(0)
    const release = server.holdRefresh()
    const holder = startProgram('token', url, path)
    await until(() => server.requests.length > 0)
    end(holder.child, 'SIGSTOP')
    release()
    expect(await startProgram('token', url, path).ended).toBe(`busy ${holder.child.pid}`)
    end(holder.child, 'SIGCONT')
    expect(await holder.ended).toBe('access-0-1')
    expect(await startProgram('token', url, path).ended).toBe('access-0-1')
    expect(server.requests).toEqual(['refresh-0-0'])
  })
})
