import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ResumeRecord } from '../../src/index.ts'
import { createService } from '../../src/service/index.ts'
import { hostileServer, respond, type Script, silence } from '../support/hostile-server.ts'

/** Seconds between polls, in real time. */
const INTERVAL = 1

/** The output of `resumable-login.ts`. */
interface Change {
  readonly value: unknown
  readonly record?: ResumeRecord
  readonly status?: string
  readonly token?: string
}

const folder = mkdtempSync(join(tmpdir(), 'authgraph-resume-'))
const script = join(folder, 'resumable-login.mjs')
const running = new Set<ChildProcess>()

beforeAll(() =>
  build({
    entryPoints: [resolve(import.meta.dirname, '../support/resumable-login.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  }),
)

afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** A login in a separate process, until it exits or is killed. */
function login(url: string, file: string) {
  const child = spawn(process.execPath, [script, url, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  const changes: Change[] = []
  const kill = () => child.kill('SIGKILL')
  return {
    kill,
    /** Its output, and the signal that ended it. */
    end: async (onChange: (change: Change, kill: () => void) => void = () => undefined) => {
      const ended = new Promise<NodeJS.Signals | null>((resolve) =>
        child.once('close', (_, signal) => resolve(signal)),
      )
      for await (const line of createInterface({ input: child.stdout })) {
        const change = JSON.parse(line)
        changes.push(change)
        onChange(change, kill)
      }
      running.delete(child)
      return { changes, signal: await ended, record: readRecord(file) }
    },
  }
}

function readRecord(file: string): ResumeRecord | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/**
 * A service behind a server on loopback. `hold` decides for each poll, counted from 1, whether its
 * response is withheld. The user approves after the poll `approvedAfter`.
 */
async function strictService(
  atEnd: (close: () => void) => void,
  approvedAfter: number,
  hold: (poll: number) => boolean = () => false,
) {
  const service = createService({
    clients: [{ clientId: 'id', name: 'App' }],
    interval: INTERVAL,
    // A busy machine delivers some polls later than they were sent.
    leeway: INTERVAL / 2,
    firstPoll: 'counted',
  })
  const told: string[] = []
  const polledAt: number[] = []
  let userCode = ''
  const script: Script = async ({ at, path, headers, body }) => {
    const response = await service.fetch(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': headers['content-type'] ?? '' },
      body,
    })
    const json = await response.json()
    if (json.user_code !== undefined) {
      userCode = json.user_code
      return respond({ status: response.status, body: json })
    }
    told.push(json.error ?? 'token')
    const poll = polledAt.push(at)
    if (poll === approvedAfter) await service.approve(userCode, 'octocat')
    return hold(poll) ? silence : respond({ status: response.status, body: json })
  }
  const server = await hostileServer(script, { atEnd })
  return {
    url: server.url,
    server,
    told,
    polledAt,
  }
}

describe.concurrent('a login whose process is killed', () => {
  test('while waiting resumes in another process, polls on time and gets its token', async ({
    onTestFinished,
  }) => {
    const { url, server, told, polledAt } = await strictService(onTestFinished, 2)
    const file = join(folder, 'wait.json')
    const first = await login(url, file).end(
      ({ record }, kill) => void (record?.status === 'pending' && kill()),
    )
    expect(first.signal).toBe('SIGKILL')
    expect(first.changes.at(-1)?.value).toEqual({ waiting: 'pending' })
    expect(told).toEqual(['authorization_pending'])

    const second = await login(url, file).end()
    expect(second.changes[0]?.value).toEqual({ waiting: 'pending' })
    expect(second.changes[0]?.record).toEqual({ ...first.record, writtenAt: expect.any(Number) })
    expect(second.changes.at(-1)).toMatchObject({ status: 'authorized', token: expect.any(String) })
    expect(second.record).toBeUndefined()
    expect(told).toEqual(['authorization_pending', 'authorization_pending', 'token'])
    expect(polledAt[1]).toBeGreaterThanOrEqual(first.record?.nextPollAt ?? Number.POSITIVE_INFINITY)
    // One request for codes, from the first process.
    expect(server.sent.map(({ path }) => path.endsWith('/code'))).toEqual([true, false, false, false])
  }, 60_000)

  test('while polling resumes in another process, polls on time and gets its token', async ({
    onTestFinished,
  }) => {
    let killFirst: () => boolean = () => false
    const { url, told, polledAt } = await strictService(
      onTestFinished,
      3,
      (poll) => poll === 2 && killFirst(),
    )
    const file = join(folder, 'poll.json')
    const process = login(url, file)
    killFirst = process.kill
    const first = await process.end()
    expect(first.signal).toBe('SIGKILL')
    expect(first.changes.at(-1)?.value).toBe('polling')
    // The record on disk from before the poll.
    const { nextPollAt = 0, writtenAt = 0, expiresAt } = first.record ?? {}
    expect(nextPollAt).toBeGreaterThanOrEqual(writtenAt + INTERVAL * 1000)
    expect(polledAt[1]).toBeGreaterThanOrEqual(writtenAt)

    const second = await login(url, file).end()
    expect(second.changes[0]?.record).toEqual({ ...first.record, writtenAt: expect.any(Number) })
    expect(new Set(second.changes.flatMap(({ record }) => record?.expiresAt ?? []))).toEqual(
      new Set([expiresAt]),
    )
    expect(second.changes.at(-1)).toMatchObject({ status: 'authorized', token: expect.any(String) })
    expect(told).toEqual([...Array(3).fill('authorization_pending'), 'token'])
    expect(polledAt[2]).toBeGreaterThanOrEqual(nextPollAt)
  }, 60_000)

  test('and whose codes have expired ends as expired without a request', async ({ onTestFinished }) => {
    const { url, server } = await strictService(onTestFinished, 9)
    const file = join(folder, 'expired.json')
    const first = await login(url, file).end(({ record }, kill) => void (record && kill()))
    writeFileSync(file, JSON.stringify({ ...first.record, expiresAt: Date.now() }))
    const second = await login(url, file).end()
    expect(second.changes.at(-1)).toMatchObject({ status: 'expired' })
    expect(second.record).toBeUndefined()
    expect(server.sent).toHaveLength(1)
  }, 60_000)
})
