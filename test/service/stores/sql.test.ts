import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { StoreUnavailableError } from '../../../src/service/index.ts'
import {
  type PostgresClient,
  postgresStore,
  type Query,
  type SqliteDatabase,
  type SqlStore,
  type SqlStoreOptions,
  sqliteStore,
  sqlStore,
} from '../../../src/service/stores/sql/index.ts'
import { type SharedStore, storeContract } from '../../../src/testing/index.ts'
import { buildProgram, startProgram } from '../../session/support/start-program.ts'
import type { DatabaseServer } from '../../support/database-server.ts'
import { freePort } from '../../support/free-port.js'
import { hasPostgres, startPostgres } from '../../support/postgres-server.js'
import { count, increment, testSeveralInstances, testUnreachable } from './several-instances.ts'

// Starts, kills and awaits servers.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let postgres: DatabaseServer
let services = 0

beforeAll(async () => {
  if (hasPostgres) postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

/** A folder that is removed after the test. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'authgraph-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const newFile = () => join(newFolder(), 'authgraph.db')

/** The store is closed after the test. */
function closed(store: SqlStore): SqlStore {
  onTestFinished(store.close)
  return store
}

const inSqlite = (file: string, options: SqlStoreOptions = {}) =>
  closed(sqliteStore(file, { timeout: 30, ...options }))

const inPostgres = (server: string | PostgresClient, options: SqlStoreOptions = {}) =>
  closed(postgresStore(server, { timeout: 30, ...options }))

function newPrefix(): string {
  services += 1
  return `service-${services}:`
}

/** A pool of the host that runs one statement after another, closed after the test. */
function newPool(database = 'postgres'): Pool {
  const pool = new Pool({ connectionString: postgres.url.replace(/postgres$/, database), max: 1 })
  onTestFinished(() => pool.end())
  return pool
}

/**
 * Each opens stores with the same records, in as many instances as called. Its own database runs one statement after
 * another.
 */
const DATABASES = [
  {
    name: 'SQLite',
    isHere: true,
    openShared() {
      const file = newFile()
      return (options?: SqlStoreOptions) => inSqlite(file, options)
    },
    async ownDatabase() {
      const database = new Database(newFile())
      return {
        open: (options?: SqlStoreOptions) => closed(sqliteStore(database, { timeout: 30, ...options })),
        run: async (text: string) => void database.exec(text),
      }
    },
  },
  {
    name: 'PostgreSQL',
    isHere: hasPostgres,
    openShared() {
      const prefix = newPrefix()
      return (options?: SqlStoreOptions) => inPostgres(postgres.url, { prefix, ...options })
    },
    async ownDatabase() {
      services += 1
      await newPool().query(`CREATE DATABASE own_${services}`)
      const pool = newPool(`own_${services}`)
      return {
        open: (options?: SqlStoreOptions) => inPostgres(pool, options),
        run: async (text: string) => void (await pool.query(text)),
      }
    },
  },
]

async function sqliteOfProcesses(): Promise<SharedStore> {
  await buildProgram()
  const file = newFile()
  return { store: inSqlite(file), start: () => startProgram('count-in-sqlite', file, '').child }
}

async function postgresOfProcesses(): Promise<SharedStore> {
  await buildProgram()
  const prefix = newPrefix()
  const store = inPostgres(postgres.url, { prefix })
  return { store, start: () => startProgram('count-in-postgres', postgres.url, prefix).child }
}

describe.each([
  ['sqliteStore with a file', true, storeContract(() => inSqlite(newFile()), { shared: sqliteOfProcesses })],
  [
    'sqliteStore with a database',
    true,
    storeContract(() => sqliteStore(new Database(':memory:'), { timeout: 30 })),
  ],
  [
    'postgresStore with an address',
    hasPostgres,
    storeContract(() => inPostgres(postgres.url, { prefix: newPrefix() }), { shared: postgresOfProcesses }),
  ],
  [
    'postgresStore with a pool',
    hasPostgres,
    storeContract(() => inPostgres(newPool(), { prefix: newPrefix() })),
  ],
])('%s as a store', (_, isHere, contract) => {
  for (const { name, run } of contract) test.skipIf(!isHere)(name, run)
})

describe.each(DATABASES)('$name', ({ isHere, openShared, ownDatabase }) => {
  describe.skipIf(!isHere)('with several instances', () => {
    const instances = () => {
      const open = openShared()
      return [open(), open(), open(), open()] as const
    }

    testSeveralInstances(instances)
  })

  test.skipIf(!isHere)('deletes records that have expired, and keeps the others', async () => {
    const open = openShared()
    const clock = { time: 1_000_000.5, now: () => clock.time }
    const store = open({ clock })
    const write = (key: string, expiresAt?: number) =>
      store.update(key, () => ({ result: 0, value: key, ...(expiresAt && { expiresAt }) }))
    for (let key = 0; key < 600; key += 1) await write(`short-${key}`, clock.time + 5000)
    await write('endless')
    await write('long', clock.time + 50_000)
    clock.time += 20_000
    await write('any', clock.time + 50_000)
    // A store with an earlier time sees what is still there.
    const earlier = open({ clock: { now: () => 1_000_000 } })
    const left = (key: string) => earlier.update(key, (value) => ({ result: value }))
    await vi.waitFor(async () => {
      for (let key = 0; key < 600; key += 60) expect(await left(`short-${key}`)).toBeUndefined()
    })
    expect([await left('endless'), await left('long')]).toEqual(['endless', 'long'])
  })

  test.skipIf(!isHere)('lets an instance whose clock is ahead delete only what is long expired', async () => {
    const HOUR = 3_600_000
    const { open } = await ownDatabase()
    const now = Date.now()
    const at = (time: number) => open({ clock: { now: () => time } })
    const [right, ahead, behind] = [at(now), at(now + HOUR), at(now - 48 * HOUR)]
    const write = (key: string, expiresAt: number) =>
      right.update(key, () => ({ result: 0, value: key, expiresAt }))
    await write('kept', now + HOUR / 2)
    await write('old', now - 25 * HOUR)
    // The first one deletes records, the second one comes after that.
    for (const _ of [1, 2]) await increment(ahead)
    const left = (key: string) => behind.update(key, (value) => ({ result: value }))
    expect([await left('kept'), await left('old')]).toEqual(['kept', undefined])
  })

  test.skipIf(!isHere)('creates a table again that was dropped', async () => {
    const { open, run } = await ownDatabase()
    const store = open({ timeout: 2 })
    await increment(store)
    await run('DROP TABLE authgraph_records')
    expect(await increment(store)).toBe(0)
    await run('DROP TABLE authgraph_records; DROP TABLE authgraph_migrations')
    expect(await increment(store)).toBe(0)
  })

  test.skipIf(!isHere)('is separated by the prefix', async () => {
    const open = openShared()
    const [one, two] = [open({ prefix: 'one:' }), open({ prefix: 'two:' })]
    await increment(one)
    expect(await count(two)).toBeUndefined()
  })

  test.skipIf(!isHere)('accepts every character in a key', async () => {
    const store = openShared()()
    for (const key of ['\u0000', '\ud800', '\ud801', '\\u0000'])
      await store.update(key, () => ({ result: 0, value: key }))
    for (const key of ['\u0000', '\ud800', '\ud801', '\\u0000'])
      expect(await store.update(key, (value) => ({ result: value }))).toBe(key)
  })

  test.skipIf(!isHere)('can be closed before its first use', async () => {
    await expect(openShared()().close()).resolves.toBeUndefined()
  })
})

describe('an SQLite file', () => {
  test('keeps its records when the process ends, for its owner only', async () => {
    const file = newFile()
    const store = sqliteStore(file)
    await increment(store)
    await store.close()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await increment(inSqlite(file))).toBe(1)
  })

  test('is written to the disk, not only to the system, before an update resolves', async () => {
    const builtIn = process.getBuiltinModule('node:sqlite') as { DatabaseSync: typeof Database } | undefined
    const prototype: SqliteDatabase = (builtIn?.DatabaseSync ?? Database).prototype
    const opened: SqliteDatabase[] = []
    const { exec } = prototype
    const spy = vi.spyOn(prototype, 'exec').mockImplementation(function (this: SqliteDatabase, text) {
      opened.push(this)
      return exec.call(this, text)
    })
    onTestFinished(() => spy.mockRestore())
    await increment(inSqlite(newFile()))
    // 2 is FULL: with 1, a power failure takes back what was committed.
    expect(opened[0]?.prepare('PRAGMA synchronous').all()).toMatchObject([{ synchronous: 2 }])
  })

  test('no longer contains a record that was deleted', async () => {
    const file = newFile()
    const store = sqliteStore(file)
    await store.update('key', () => ({ result: 0, value: 'only-in-this-record' }))
    await store.update('key', () => ({ result: 0, value: null }))
    await store.close()
    expect(readFileSync(file, 'latin1')).not.toContain('only-in-this-record')
  })

  test('no longer contains a record that has expired, although it is open', async () => {
    const file = newFile()
    const clock = { time: 1_000_000, now: () => clock.time }
    const store = inSqlite(file, { clock })
    const write = (key: string, value: string) =>
      store.update(key, () => ({ result: 0, value, expiresAt: clock.time + 5000 }))
    await write('key', 'only-in-this-record')
    expect(readFileSync(`${file}-wal`, 'latin1')).toContain('only-in-this-record')
    clock.time += 20_000
    await write('any', 'another')
    await vi.waitFor(() => {
      for (const name of [file, `${file}-wal`])
        expect(readFileSync(name, 'latin1')).not.toContain('only-in-this-record')
    })
  })

  test('that cannot be opened is closed without an error', async () => {
    const store = sqliteStore(join(newFolder(), 'missing', 'authgraph.db'))
    const ping = store.ping().catch((error) => error)
    await store.close()
    expect(await ping).toMatchObject({ code: 'bad_option' })
  })

  test('that another process has locked is tried again until the timeout', async () => {
    const file = newFile()
    const store = inSqlite(file, { timeout: 0.6 })
    await increment(store)
    const other = new Database(file)
    onTestFinished(() => void other.close())
    other.exec('BEGIN IMMEDIATE')
    await expect(increment(store)).rejects.toThrow('SQLite is not available: SQLITE_BUSY')
    expect(await count(store)).toBe(1)
    const waiting = increment(store)
    other.exec('ROLLBACK')
    expect(await waiting).toBe(1)
  })

  test('in a folder that does not exist is refused', async () => {
    const store = inSqlite(join(newFolder(), 'missing', 'authgraph.db'))
    await expect(store.ping()).rejects.toThrow(
      expect.objectContaining({ code: 'bad_option', message: 'cannot open the SQLite file: ENOENT' }),
    )
  })

  test('that is something else is not available', async () => {
    await expect(inSqlite(import.meta.filename, { timeout: 0.1 }).ping()).rejects.toThrow(
      'SQLite is not available: SQLITE_NOTADB',
    )
  })

  test('writes concurrent updates in one transaction', async () => {
    const database = new Database(':memory:')
    const texts: string[] = []
    const store = sqliteStore({
      exec(text) {
        texts.push(text)
        return database.exec(text)
      },
      prepare: (text) => database.prepare(text),
      close: () => database.close(),
    })
    await store.ping()
    texts.length = 0
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        store.update(`key-${index}`, () => ({ result: 0, value: index })),
      ),
    )
    expect(texts).toEqual(['BEGIN IMMEDIATE', 'COMMIT'])
  })
})

test('an SQLite database in a transaction of the host is written when that has ended', async () => {
  const database = new Database(':memory:')
  let begins = 0
  const store = sqliteStore(
    {
      exec(text) {
        if (text.startsWith('BEGIN')) begins += 1
        return database.exec(text)
      },
      prepare: (text) => database.prepare(text),
      close: () => database.close(),
    },
    { timeout: 30 },
  )
  await increment(store)
  begins = 0
  database.exec('CREATE TABLE orders (id integer)')
  database.exec('BEGIN')
  database.exec('INSERT INTO orders VALUES (1)')
  const waiting = increment(store)
  // The store writes in a later turn.
  await vi.waitFor(() => expect(begins).toBeGreaterThan(0))
  database.exec('COMMIT')
  expect(await waiting).toBe(1)
  expect(database.prepare('SELECT id FROM orders').all()).toEqual([{ id: 1 }])
})

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  /** A separate server that the test may kill. */
  async function mortalPostgres() {
    const server = await startPostgres()
    onTestFinished(server.stop)
    return server
  }

  test('gets its tables once, from 20 instances that start together', async () => {
    const server = await mortalPostgres()
    const stores = Array.from({ length: 20 }, () => inPostgres(server.url))
    await Promise.all(stores.map(increment))
    expect(await count(stores[0] as SqlStore)).toBe(20)
    const pool = new Pool({ connectionString: server.url })
    onTestFinished(() => pool.end())
    expect((await pool.query('SELECT id FROM authgraph_migrations')).rows).toEqual([{ id: 1 }])
  })

  test('may be used by a role that may not create tables', async () => {
    const server = await mortalPostgres()
    await increment(inPostgres(server.url))
    const pool = new Pool({ connectionString: server.url })
    onTestFinished(() => pool.end())
    await pool.query(
      'CREATE ROLE app LOGIN; GRANT SELECT ON authgraph_migrations TO app; GRANT SELECT, INSERT, UPDATE, DELETE ON authgraph_records TO app',
    )
    expect(await increment(inPostgres(server.url.replace('authgraph@', 'app@')))).toBe(1)
  })

  test.each<['killed' | 'frozen']>([['killed'], ['frozen']])(
    'that is %s: an update is rejected within the timeout, and works again afterwards',
    async (how) => {
      const server = await mortalPostgres()
      const store = inPostgres(server.url, { timeout: 0.6 })
      await testUnreachable(how, server, store)
    },
  )

  test('whose response to a change is lost does not apply it twice', async () => {
    const pool = newPool()
    let breaking = false
    const store = inPostgres(
      {
        async query(text, values) {
          const result = await pool.query(text, values)
          if (!breaking || !text.startsWith('UPDATE')) return result
          breaking = false
          throw Object.assign(new Error('broken'), { code: 'ECONNRESET' })
        },
      },
      { prefix: newPrefix() },
    )
    await increment(store)
    breaking = true
    expect(await increment(store)).toBe(1)
    expect(await count(store)).toBe(2)
  })

  test.each(['57P01', '08006', '40003'])(
    'whose response to a change is lost with %s does not apply it again after the change of another',
    async (code) => {
      const pool = newPool()
      const prefix = newPrefix()
      const other = inPostgres(pool, { prefix })
      let breaking = false
      const store = inPostgres(
        {
          async query(text, values) {
            const result = await pool.query(text, values)
            if (!breaking || !text.startsWith('UPDATE')) return result
            breaking = false
            await increment(other)
            throw Object.assign(new Error('broken'), { code })
          },
        },
        { prefix },
      )
      await increment(store)
      breaking = true
      await expect(increment(store)).rejects.toThrow('PostgreSQL is not available: the connection broke')
      expect(await count(store)).toBe(3)
    },
  )

  test('whose response to a deletion is lost leaves it undecided', async () => {
    const pool = newPool()
    const store = inPostgres(
      {
        async query(text, values) {
          const result = await pool.query(text, values)
          if (!text.startsWith('DELETE FROM authgraph_records WHERE key')) return result
          throw Object.assign(new Error('broken'), { code: 'ECONNRESET' })
        },
      },
      { prefix: newPrefix(), timeout: 0.6 },
    )
    await increment(store)
    await expect(store.update('count', () => ({ result: 0, value: null }))).rejects.toThrow(
      StoreUnavailableError,
    )
    expect(await count(store)).toBeUndefined()
  })

  test('reports the reason without the secret in the URL', async () => {
    const free = await freePort()
    const store = (user: string, port: number) =>
      inPostgres(`postgres://${user}:hunter2@127.0.0.1:${port}/postgres`, { timeout: 0.5 })
    await expect(store('authgraph', free).ping()).rejects.toThrow('PostgreSQL is not available: ECONNREFUSED')
    const refused = await store('nobody', postgres.port).ping().catch(String)
    expect(refused).toContain('PostgreSQL is not available: 28000')
    expect(refused).not.toContain('hunter2')
  })
})

/** How a host runs SQL with a driver that the store does not know. */
function queryOf(database: InstanceType<typeof Database>): Query {
  return async (text, values) => {
    if (values.length > 0 || text.startsWith('SELECT'))
      return database.prepare(text.replace(/\$\d+/g, '?')).all(...values) as { [column: string]: unknown }[]
    database.exec(`BEGIN; ${text}; COMMIT`)
    return []
  }
}

test('any database can be used by its query function', async () => {
  const store = sqlStore({ name: 'My database', query: queryOf(new Database(':memory:')) })
  await increment(store)
  expect(await increment(store)).toBe(1)
  await store.close()
})

test('a database that does not respond to the first statement can be used once it responds', async () => {
  const query = queryOf(new Database(':memory:'))
  let isSilent = true
  const store = sqlStore(
    {
      name: 'My database',
      query: (text, values) => (isSilent ? new Promise(() => undefined) : query(text, values)),
    },
    { timeout: 0.2 },
  )
  await expect(increment(store)).rejects.toThrow(StoreUnavailableError)
  isSilent = false
  expect(await increment(store)).toBe(0)
})

test.each(['http://127.0.0.1', 'localhost:5432', 'postgres://[', ''])(
  'refuses %j as a PostgreSQL URL',
  (url) => {
    expect(() => postgresStore(url)).toThrow(
      'the PostgreSQL URL must start with postgres:// or postgresql://',
    )
  },
)

test.each([undefined, null, 5432, {}])('refuses %j instead of a database', (database) => {
  expect(() => postgresStore(database as never)).toThrow('postgres must be a URL')
  expect(() => sqliteStore(database as never)).toThrow('sqlite must be the path of a file')
})

test('refuses an empty path', () => {
  expect(() => sqliteStore('')).toThrow('sqlite must be the path of a file')
})

test('refuses the name of a database in memory, which would be that of a file', () => {
  expect(() => sqliteStore(':memory:')).toThrow('for a database in memory, pass an open one')
})

test('refuses a database without a query function', () => {
  expect(() => sqlStore({ name: 'My database' } as never)).toThrow(
    expect.objectContaining({ code: 'bad_option', message: 'query must be a function that runs SQL' }),
  )
})

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2_147_484])('refuses a timeout of %s', (timeout) => {
  expect(() => sqliteStore('/tmp/any.db', { timeout })).toThrow(
    'timeout must be a number of seconds, more than 0 and at most 2147483',
  )
})
