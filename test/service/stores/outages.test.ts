import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Store } from '../../../src/service/index.ts'
import { redisStore } from '../../../src/service/stores/redis.ts'
import { postgresStore, sqliteStore } from '../../../src/service/stores/sql/index.ts'
import { storeContract } from '../../../src/testing/index.ts'
import { survivesSignals } from '../../../src/testing/store-processes.ts'
import { buildProgram, startProgram } from '../../session/support/start-program.ts'
import type { DatabaseServer } from '../../support/database-server.ts'
import { eventually } from '../../support/eventually.ts'
import { hasPostgres, startPostgres } from '../../support/postgres-server.js'
import { hasRedis, startRedis } from '../../support/redis-server.js'
import { type ConnectedStore, count, increment } from './database-contract.ts'

// Starts, kills and awaits servers.

/** The store is closed after the test. */
function closing(store: ConnectedStore): ConnectedStore {
  onTestFinished(store.close)
  return store
}

/** Counts with a program in processes that are killed. */
async function countInProcesses(store: Store, program: string, address: string): Promise<void> {
  await buildProgram()
  await survivesSignals({ store, start: () => startProgram(program, address, '').child })
}

const SERVERS = [
  {
    name: 'Redis',
    isHere: hasRedis,
    start: () => startRedis('kept'),
    program: 'count-in-redis',
    open: redisStore,
  },
  {
    name: 'PostgreSQL',
    isHere: hasPostgres,
    start: () => startPostgres(),
    program: 'count-in-postgres',
    open: postgresStore,
  },
]

describe.each(SERVERS)('$name', ({ isHere, start, program, open }) => {
  let server: DatabaseServer
  beforeAll(async () => {
    if (isHere) server = await start()
  })
  afterAll(() => server?.stop())

  test.skipIf(!isHere)('loses no update of processes that are killed, or stopped and continued', async () => {
    await countInProcesses(closing(open(server.url, { timeout: 30, prefix: '' })), program, server.url)
  })

  test.skipIf(!isHere)('that is killed rejects an update, and loses none that it has done', async () => {
    const newStore = () => closing(open(server.url, { prefix: 'killed:', timeout: 0.6 }))
    const [store, idle] = [newStore(), newStore()]
    const before = await eventually(() => increment(store))
    await eventually(() => increment(idle))
    await server.kill()
    for (const outcome of await Promise.allSettled([increment(store), store.ping()]))
      expect(outcome).toMatchObject({
        reason: { code: 'store_unavailable', name: 'StoreUnavailableError' },
      })
    await server.start()
    expect(await eventually(() => count(idle))).toBe(Number(before) + 2)
  })
})

test('an SQLite file loses no update of processes that are killed, or stopped and continued', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authgraph-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'authgraph.db')
  await countInProcesses(closing(sqliteStore(file, { timeout: 30 })), 'count-in-sqlite', file)
})

describe.skipIf(!hasRedis)('a client of the host', () => {
  test('may be that of a cluster', async () => {
    const server = await startRedis('cluster')
    onTestFinished(server.stop)
    const client = await createClient({ url: server.url }).connect()
    onTestFinished(() => client.destroy())
    await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383'])
    await vi.waitFor(
      async () => expect(await client.sendCommand(['CLUSTER', 'INFO'])).toContain('cluster_state:ok'),
      { timeout: 30_000 },
    )
    const cluster = createCluster({
      rootNodes: [{ url: server.url }],
      defaults: { disableOfflineQueue: true },
    }).on('error', () => undefined)
    await cluster.connect()
    onTestFinished(() => cluster.destroy())
    let services = 0
    const open = () => redisStore(cluster, { prefix: `service-${services++}:`, timeout: 30 })
    for (const { name, run } of storeContract(open)) await expect(run(), name).resolves.toBeUndefined()
  })
})
