import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { github } from '../../src/index.ts'
import { redisStore } from '../../src/service/stores/redis.ts'
import { createSession } from '../../src/session/index.ts'
import { fileStore } from '../../src/session/node/index.ts'
import { selfSigned } from '../support/certificate.ts'
import { fastClock } from '../support/fast-clock.ts'
import { hasRedis, startRedis } from '../support/redis-server.js'
import { rotatingProvider } from './support/rotating-provider.ts'
import { buildProgram, program, type Started, startProgram, startProgramAs } from './support/start-program.ts'

beforeAll(buildProgram)

const folder = () => join(mkdtempSync(join(tmpdir(), 'authgraph-session-')), 'logins')

/** A login in a store, whose token has expired, and the server that refreshes it. */
async function expiredLogin(
  reuseWindow: number,
  {
    path = folder(),
    rate = 1,
    host = 'http://127.0.0.1',
  }: { readonly path?: string; readonly rate?: number; readonly host?: string } = {},
) {
  const server = rotatingProvider({ reuseWindow, firstExpiresIn: 1, clock: fastClock(rate) })
  const listener: RequestListener = async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    try {
      const made = await server.fetch(`http://localhost${request.url}`, { method: 'POST', body })
      response.writeHead(made.status, { 'content-type': 'application/json' }).end(await made.text())
    } catch {
      response.destroy()
    }
  }
  const http = host.startsWith('https:') ? createTlsServer(certificate, listener) : createServer(listener)
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => void http.close())
  const url = `${host}:${(http.address() as AddressInfo).port}`
  const redis = path.startsWith('redis:') ? redisStore(path) : undefined
  const long = Date.now() - 3_600_000
  const clock = {
    now: () => long,
    setTimeout: (run: () => void) => setTimeout(run, 0),
    clearTimeout: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
  }
  const session = createSession({
    clientId: 'id',
    provider: github({ authUrl: url, baseUrl: url }),
    store: redis ?? fileStore(path),
    fetch: (input, init) => server.fetch(String(input), init),
    clock,
    onCodes: () => undefined,
  })
  await session.login()
  session.actor.stop()
  await redis?.close()
  server.requests.length = 0
  return { server, url, path }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((done) => setTimeout(done, 10))
}

/**
 * The steps of a refresh: whether the refresh token is spent and its successor not stored yet, so that only a reuse window
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

describe('processes that share a login', () => {
  test('fifty wake with one expired pair: one request, fifty tokens, nobody is logged out', async () => {
    const { server, url, path } = await expiredLogin(0)
    const tokens = await Promise.all(Array.from({ length: 50 }, () => startProgram('token', url, path).ended))
    expect(new Set(tokens)).toEqual(new Set(['access-0-1']))
    expect(server.requests).toEqual(['refresh-0-0'])
  })

  test.each([10, 0])(
    'one that is killed while it refreshes is followed by the next, at any step (reuse window: %i s)',
    async (reuseWindow) => {
      const outcomes = STEPS.map(async ([step]) => {
        const login = await expiredLogin(reuseWindow)
        await signalledAt(step, 'SIGKILL', login)
        const text = await startProgram('impatient-token', login.url, login.path).ended
        return [step, text, login.server.families.map(({ revoked }) => revoked)]
      })
      const expected = STEPS.map(([step, { spent }]) => {
        const isLost = reuseWindow === 0 && spent
        return [step, isLost ? 'login_required ' : 'access-0-1', [isLost]]
      })
      expect(await Promise.all(outcomes)).toEqual(expected)
    },
  )

  test('one that is stopped while it refreshes is named to the others, and continues where it stopped, at any step', async () => {
    const outcomes = STEPS.map(async ([step, { isClaimed }]) => {
      const login = await expiredLogin(0)
      const holder = await signalledAt(step, 'SIGSTOP', login)
      const text = await startProgram('impatient-token', login.url, login.path).ended
      expect(text).toBe(isClaimed ? `busy ${holder.child.pid}` : 'access-0-1')
      holder.child.kill('SIGCONT')
      return [step, await holder.ended, login.server.requests]
    })
    expect(await Promise.all(outcomes)).toEqual(STEPS.map(([step]) => [step, 'access-0-1', ['refresh-0-0']]))
  })
})

/** Seconds of the reuse window that the guide names for stores whose processes cannot tell whether others are alive. */
const NEEDED_WINDOW = Number(
  /reuse window\*\* is [^:]* must be (\d+) seconds or more/.exec(
    readFileSync(join(import.meta.dirname, '../../docs/guides/share-a-login.md'), 'utf8'),
  )?.[1],
)
if (Number.isNaN(NEEDED_WINDOW)) throw new Error('the guide names no reuse window')

const RATE = 4
const certificate = selfSigned()
const certificateFile = join(mkdtempSync(join(tmpdir(), 'authgraph-certificate-')), 'certificate.pem')
writeFileSync(certificateFile, certificate.cert)

const isRoot = process.getuid?.() === 0

/** Where no process can tell whether another one is alive. */
const APART: { where: string; isHere: boolean; isContained: boolean; store: () => Promise<string> }[] = [
  { where: 'in Redis', isHere: hasRedis, isContained: false, store: startedRedis },
  { where: 'in containers', isHere: isRoot, isContained: true, store: async () => folder() },
]

async function startedRedis(): Promise<string> {
  const redis = await startRedis()
  onTestFinished(redis.stop)
  return redis.url
}

const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, (count * 1000) / RATE))

describe.for(APART.filter(({ isHere }) => isHere))(
  'processes with a login $where, which cannot tell whether the others are alive',
  { timeout: 120_000 },
  ({ isContained, store }) => {
    const as: Started = { rate: RATE, isContained }

    test.each([0, 60])(
      'one that is killed at any step loses nothing, if the next one comes %i seconds later, with the window of the guide',
      async (later) => {
        const outcomes = STEPS.map(async ([step]) => {
          const { server, url, path } = await expiredLogin(NEEDED_WINDOW, { path: await store(), rate: RATE })
          const killed = step === 'request sent' ? 'after fetch' : step
          await startProgramAs(as, 'token', url, path, killed, 'SIGKILL').ended
          await seconds(later)
          const text = await startProgramAs(as, 'token', url, path).ended
          return [step, text, server.families.map(({ revoked }) => revoked)]
        })
        expect(await Promise.all(outcomes)).toEqual(STEPS.map(([step]) => [step, 'access-0-1', [false]]))
      },
    )

    test('one that is stopped before its request is sent does not send it once another one has taken over', async () => {
      const points = {
        'before fetch': 'http://127.0.0.1',
        'after fetch': 'http://127.0.0.1',
        'in DNS': 'http://localhost',
        'in TLS': 'https://127.0.0.1',
      }
      const outcomes = Object.entries(points).map(async ([point, host]) => {
        const { server, url, path } = await expiredLogin(0, { path: await store(), rate: RATE, host })
        const env = { NODE_EXTRA_CA_CERTS: certificateFile }
        const stopped = startProgramAs({ ...as, env }, 'token', url, path, point, 'SIGSTOP')
        await until(() => programsIn(stopped.child.pid).some((pid) => stateOf(pid) === 'T'))
        const text = await startProgramAs({ ...as, env }, 'token', url, path).ended
        for (const pid of programsIn(stopped.child.pid)) process.kill(pid, 'SIGCONT')
        return [point, text, await stopped.ended, server.requests]
      })
      expect(await Promise.all(outcomes)).toEqual(
        Object.keys(points).map((point) => [point, 'access-0-1', 'access-0-1', ['refresh-0-0']]),
      )
    })
  },
)

test('a worker thread that is terminated in a refresh blocks nobody', async () => {
  const { server, url, path } = await expiredLogin(0, { rate: RATE })
  const worker = new Worker(program, { argv: ['token', url, path, 'claim written', 'exit'] })
  await once(worker, 'exit')
  expect(await startProgramAs({ rate: RATE }, 'token', url, path).ended).toBe('access-0-1')
  expect(server.requests).toEqual(['refresh-0-0'])
})

/** A process and those that it has started. proc_pid_children. */
function programsIn(pid: number | undefined): number[] {
  if (pid === undefined) return []
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...children.flatMap((child) => programsIn(Number(child)))]
}

type Login = Awaited<ReturnType<typeof expiredLogin>>

/** Starts a process that refreshes the login, and resolves once it was killed or stopped at a step. */
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
