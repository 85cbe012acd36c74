import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
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

/**
 * The steps of a renewal: whether the refresh token is spent and its successor not stored yet, so that only a reuse window
 * saves the login, and whether the process has the claim.
 */
const STEPS: [string, { readonly spent: boolean; readonly isClaimed: boolean }][] = [
  ['before the claim', { spent: false, isClaimed: false }],
  ['claim written', { spent: false, isClaimed: true }],
  ['request sent', { spent: true, isClaimed: true }],
  ['response received', { spent: true, isClaimed: true }],
  ['before the write', { spent: true, isClaimed: true }],
  ['after the write', { spent: false, isClaimed: false }],
]

describe('processes that share a login', { timeout: 60_000 }, () => {
  test('fifty wake with one expired pair: one request, fifty tokens, nobody is logged out', async () => {
    const { server, url, path } = await expiredLogin(0)
    const tokens = await Promise.all(Array.from({ length: 50 }, () => startProgram('token', url, path).ended))
    expect(new Set(tokens)).toEqual(new Set(['access-0-1']))
    expect(server.requests).toEqual(['refresh-0-0'])
  })

  describe.each(STEPS)('if the one that renews is at the step "%s"', (step, { spent, isClaimed }) => {
    test.each([10, 0])('and killed: the next takes over (reuse window: %i s)', async (reuseWindow) => {
      const { server, url, path } = await expiredLogin(reuseWindow)
      await signalledAt(step, 'SIGKILL', { server, url, path })
      const isLost = reuseWindow === 0 && spent
      const text = await startProgram('impatient-token', url, path).ended
      expect(text).toBe(isLost ? 'login_required ' : 'access-0-1')
      expect(server.families.map(({ revoked }) => revoked)).toEqual([isLost])
    })

    test('and stopped: the others learn which one it is, and it continues where it stopped', async () => {
      const { server, url, path } = await expiredLogin(0)
      const holder = await signalledAt(step, 'SIGSTOP', { server, url, path })
      const text = await startProgram('impatient-token', url, path).ended
      expect(text).toBe(isClaimed ? `busy ${holder.child.pid}` : 'access-0-1')
      holder.child.kill('SIGCONT')
      expect(await holder.ended).toBe('access-0-1')
      expect(server.requests).toEqual(['refresh-0-0'])
    })
  })
})

type Login = Awaited<ReturnType<typeof expiredLogin>>

/** Starts a process that renews the login, and resolves once it was killed or stopped at a step. */
async function signalledAt(step: string, signal: 'SIGKILL' | 'SIGSTOP', { server, url, path }: Login) {
  const release = step === 'request sent' ? server.holdRefresh() : undefined
  const holder = startProgram('token', url, path, step, signal)
  if (release) {
    await until(() => server.requests.length > 0)
    holder.child.kill(signal)
  }
  if (signal === 'SIGKILL') await holder.ended
  else await until(() => stateOf(holder.child.pid) === 'T')
  release?.()
  return holder
}

/** `T`: stopped. proc_pid_stat(5). */
function stateOf(pid: number | undefined): string | undefined {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0]
}
