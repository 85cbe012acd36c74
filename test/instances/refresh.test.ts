import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { redisStore } from '../../src/service/stores/redis.ts'
import { postgresStore } from '../../src/service/stores/sql/index.ts'
import { hasPostgres, startPostgres } from '../support/postgres-server.js'
import { hasRedis, startRedis } from '../support/redis-server.js'
import { startService } from '../support/start-service.ts'

const CALLERS = 200

interface Instance {
  readonly url: string
  readonly process: ChildProcess
  /** Resolves when it begins to issue a token. */
  readonly issuing: Promise<unknown>
  readonly times: { issued: number }
}

async function startInstance(name: string, store: string): Promise<Instance> {
  const child = fork(join(import.meta.dirname, 'refreshing-instance.js'), [name, store])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [{ url }] = await once(child, 'message')
  const times = { issued: 0 }
  child.on('message', () => {
    times.issued += 1
  })
  return { url, process: child, issuing: once(child, 'message'), times }
}

const STORES = [
  { where: 'Redis', isHere: hasRedis, start: () => startRedis(), open: redisStore },
  { where: 'PostgreSQL', isHere: hasPostgres, start: () => startPostgres(), open: postgresStore },
]

test.for(STORES.filter(({ isHere }) => isHere))(
  `${CALLERS} refreshes of one token at two instances with $where, of which the one that issues is killed, get one successor`,
  async ({ start, open }) => {
    const server = await start()
    onTestFinished(server.stop)
    const store = open(server.url)
    onTestFinished(store.close)
    const refreshTokens = { lifetime: 3600 }
    const clients = [{ clientId: 'client', name: 'Client' }]
    const service = startService({ store, clock: Date, clients, refreshTokens })
    const { refresh_token } = await service.login({ client_id: 'client' })
    const instances = [
      await startInstance('one', server.url),
      await startInstance('two', server.url),
    ] as const

    const statuses = new Map<number | 'no response', number>()
    const count = (what: number | 'no response') => statuses.set(what, (statuses.get(what) ?? 0) + 1)
    let alive: readonly Instance[] = instances
    async function refresh(caller: number, refreshToken: string): Promise<Record<string, unknown>> {
      const { url } = alive[caller % alive.length] as Instance
      const fields = { client_id: 'client', grant_type: 'refresh_token', refresh_token: refreshToken }
      const response = await fetch(`${url}/login/oauth/access_token`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      }).catch(() => undefined)
      count(response?.status ?? 'no response')
      if (response === undefined || response.status === 503) return refresh(caller, refreshToken)
      return response.json()
    }

    const all = Array.from({ length: CALLERS }, (_, caller) => refresh(caller, refresh_token))
    const killed = await Promise.race(instances.map(async (one) => one.issuing.then(() => one)))
    alive = instances.filter((one) => one !== killed)
    killed.process.kill('SIGKILL')

    const pairs = await Promise.all(all)
    const [pair] = pairs
    expect(pair).toMatchObject({ access_token: expect.any(String), refresh_token: expect.any(String) })
    expect(new Set(pairs.map(({ access_token }) => access_token))).toEqual(new Set([pair?.access_token]))
    expect(new Set(pairs.map((one) => one.refresh_token))).toEqual(new Set([pair?.refresh_token]))
    expect(instances.map(({ times }) => times.issued)).toEqual([1, 1])
    expect([...statuses.keys()].filter((status) => status !== 503 && status !== 'no response')).toEqual([200])

    const next = await refresh(0, String(pair?.refresh_token))
    expect(next).toHaveProperty('access_token')
    process.stdout.write(
      `responses to ${CALLERS} refreshes: ${JSON.stringify(Object.fromEntries(statuses))}\n`,
    )
  },
)
