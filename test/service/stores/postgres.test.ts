import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { StoreUnavailableError } from '../../../src/service/index.ts'
import {
  type DatabaseStoreOptions,
  type PostgresClient,
  postgresStore,
} from '../../../src/service/stores/sql/index.ts'
import { breakableRelay } from '../../support/breakable-relay.ts'
import type { DatabaseServer } from '../../support/database-server.ts'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.js'
import { hasPostgres, startPostgres } from '../../support/postgres-server.js'
import { count, increment } from './database-contract.ts'
import { sqlContract } from './sql-contract.ts'

let postgres: DatabaseServer
let services = 0

beforeAll(async () => {
  if (hasPostgres) postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

/** The store is closed after the test. */
function storeAt(server: string | PostgresClient, options: DatabaseStoreOptions = {}) {
  const store = postgresStore(server, { timeout: 30, ...options })
  onTestFinished(store.close)
  return store
}

/** A pool of the host that runs one statement after another, closed after the test. */
function newPool(database = 'postgres'): Pool {
  const pool = new Pool({ connectionString: postgres.url.replace(/postgres$/, database), max: 1 })
  onTestFinished(() => pool.end())
  return pool
}

/** The pool of a database without tables, closed after the test. */
async function poolOfNewDatabase() {
  services += 1
  const name = `own_${services}`
  await newPool().query(`CREATE DATABASE ${name}`)
  const pool = newPool(name)
  return { pool, url: postgres.url.replace(/postgres$/, name) }
}

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  sqlContract({
    share() {
      services += 1
      const shared = `service-${services}:`
      return ({ prefix = '', ...options } = {}) =>
        storeAt(postgres.url, { prefix: shared + prefix, ...options })
    },
    async own() {
      const { pool } = await poolOfNewDatabase()
      return {
        open: (options) => storeAt(pool, options),
        run: async (text) => void (await pool.query(text)),
      }
    },
  })

  test('gets its tables once, from 20 instances that start together', async () => {
    const { pool, url } = await poolOfNewDatabase()
    const stores = Array.from({ length: 20 }, () => storeAt(url))
    await Promise.all(stores.map(increment))
    expect(await count(storeAt(url))).toBe(20)
    expect((await pool.query('SELECT id FROM authgraph_migrations')).rows).toEqual([{ id: 1 }])
  })

  test('asks once for a record that no other instance has changed, and twice for any other', async () => {
    const { pool } = await poolOfNewDatabase()
    let asked = 0
    const query: PostgresClient['query'] = (text, values) => {
      // Expired records are deleted meanwhile.
      if (!text.startsWith('DELETE')) asked += 1
      return pool.query(text, values)
    }
    const [one, other] = [storeAt({ query }), storeAt(pool)]
    await increment(one)
    asked = 0
    expect([await increment(one), asked]).toEqual([1, 1])
    expect(await increment(other)).toBe(2)
    expect([await increment(one), asked]).toEqual([3, 3])
  })

  test('updates many records with one statement, which locks them in the order of their keys', async () => {
    const { pool, url } = await poolOfNewDatabase()
    const [one, other] = [storeAt(url), storeAt(url)]
    const keys = Array.from({ length: 50 }, (_, index) => `key ${index + 10}`)
    const shuffled = keys.toSorted((left, right) => left.slice(-1).localeCompare(right.slice(-1)))
    const addOne = (store: typeof one) =>
      shuffled.map((key) =>
        store.update(key, (value = 0) => ({ result: value, value: (value as number) + 1 })),
      )
    await Promise.all(addOne(one))
    await pool.query(`BEGIN; SELECT key FROM authgraph_records WHERE key = '"key 30"' FOR UPDATE`)
    const updated = Promise.all(addOne(one))
    const watcher = newPool(new URL(url).pathname.slice(1))
    const waiting = `SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    while ((await watcher.query(waiting)).rowCount === 0);
    expect((await watcher.query(waiting)).rowCount).toBe(1)
    const { rows } = await watcher.query(
      'SELECT key FROM authgraph_records ORDER BY key FOR UPDATE SKIP LOCKED',
    )
    expect(rows).toEqual(keys.slice(keys.indexOf('key 31')).map((key) => ({ key: JSON.stringify(key) })))
    await pool.query('ROLLBACK')
    expect(await updated).toEqual(keys.map(() => 1))
    await Promise.all([...addOne(one), ...addOne(other)])
    expect(await Promise.all(addOne(other))).toEqual(keys.map(() => 4))
  })

  test('replaces connections that stay open, but silent', async () => {
    const relay = await breakableRelay(postgres.port)
    onTestFinished(relay.close)
    const store = storeAt(postgres.url.replace(`${postgres.port}`, `${relay.port}`), { timeout: 0.3 })
    const readAll = () =>
      Promise.all(Array.from({ length: 10 }, (_, key) => store.update(`${key}`, () => ({ result: 0 }))))
    await eventually(readAll)
    relay.silence(true)
    // Those that have been used, and then those that take their place.
    for (const _ of [1, 2]) await expect(readAll()).rejects.toThrow(StoreUnavailableError)
    relay.silence(false)
    await eventually(readAll)
  })

  test('may be used by a role that may not create tables', async () => {
    const { pool, url } = await poolOfNewDatabase()
    await increment(storeAt(url))
    await pool.query(
      'CREATE ROLE app LOGIN; GRANT SELECT ON authgraph_migrations TO app; GRANT SELECT, INSERT, UPDATE, DELETE ON authgraph_records TO app',
    )
    expect(await increment(storeAt(url.replace('authgraph@', 'app@')))).toBe(1)
  })

  test.each<[string, string, () => Promise<number>]>([
    ['ECONNREFUSED', 'authgraph', freePort],
    ['28000', 'nobody', async () => postgres.port],
  ])('reports %s, without the secret in the URL', async (reason, user, port) => {
    const store = storeAt(`postgres://${user}:hunter2@127.0.0.1:${await port()}/postgres`, { timeout: 2 })
    const refused = await store.ping().catch(String)
    expect(refused).toContain(`PostgreSQL is not available: ${reason}`)
    expect(refused).not.toContain('hunter2')
  })
})

test.each(['http://127.0.0.1', 'localhost:5432', 'postgres://['])('refuses %j as a PostgreSQL URL', (url) => {
  expect(() => postgresStore(url)).toThrow('the PostgreSQL URL must start with postgres:// or postgresql://')
})

test('says that the variable of its URL may be empty', () => {
  expect(() => postgresStore('')).toThrow('the PostgreSQL URL is empty: is its environment variable set?')
})

test.each([undefined, null, 5432, {}])('refuses %j instead of a PostgreSQL database', (database) => {
  expect(() => postgresStore(database as never)).toThrow('postgres must be a URL')
})
