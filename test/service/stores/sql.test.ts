import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { StoreUnavailableError } from '../../../src/service/index.ts'
import {
  type DatabaseStoreOptions,
  type Query,
  type SqliteDatabase,
  sqliteStore,
  sqlStore,
} from '../../../src/service/stores/sql/index.ts'
import { count, increment } from './database-contract.ts'
import { sqlContract } from './sql-contract.ts'

/** A folder that is removed after the test. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'authgraph-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const newFile = () => join(newFolder(), 'authgraph.db')

/** The store is closed after the test. */
function inSqlite(sqlite: string | SqliteDatabase, options: DatabaseStoreOptions = {}) {
  const store = sqliteStore(sqlite, { timeout: 30, ...options })
  onTestFinished(store.close)
  return store
}

/** An open database that records what it executes. */
function watchedDatabase() {
  const database = new Database(':memory:')
  const texts: string[] = []
  const watched: SqliteDatabase = {
    exec(text) {
      texts.push(text)
      return database.exec(text)
    },
    prepare: (text) => database.prepare(text),
    close: () => database.close(),
  }
  return { database, watched, texts }
}

describe('SQLite', () => {
  sqlContract({
    share() {
      const file = newFile()
      return (options) => inSqlite(file, options)
    },
    async own() {
      const database = new Database(newFile())
      return {
        open: (options) => inSqlite(database, options),
        run: async (text) => void database.exec(text),
      }
    },
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

  test('in a folder that does not exist is refused, and closed without an error', async () => {
    const store = sqliteStore(join(newFolder(), 'missing', 'authgraph.db'))
    const ping = store.ping().catch((error) => error)
    await store.close()
    expect(await ping).toMatchObject({
      code: 'bad_option',
      message: 'cannot open the SQLite file (ENOENT): check the path and its folder',
    })
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

  test('that is something else is refused', async () => {
    await expect(inSqlite(import.meta.filename, { timeout: 0.1 }).ping()).rejects.toMatchObject({
      code: 'bad_option',
      message: 'the file is not an SQLite database: name another one',
    })
  })

  test('writes concurrent updates in one transaction', async () => {
    const { watched, texts } = watchedDatabase()
    const store = sqliteStore(watched)
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
  const { database, watched, texts } = watchedDatabase()
  const store = sqliteStore(watched, { timeout: 30 })
  await increment(store)
  texts.length = 0
  database.exec('CREATE TABLE orders (id integer)')
  database.exec('BEGIN')
  database.exec('INSERT INTO orders VALUES (1)')
  const waiting = increment(store)
  // The store writes in a later turn.
  await vi.waitFor(() => expect(texts).toContain('BEGIN IMMEDIATE'))
  database.exec('COMMIT')
  expect(await waiting).toBe(1)
  expect(database.prepare('SELECT id FROM orders').all()).toEqual([{ id: 1 }])
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
  expect([await increment(store), await increment(store)]).toEqual([0, 1])
  await store.close()
})

test.each<[string, object, boolean]>([
  ['57P01', { code: '57P01' }, true],
  ['08006', { code: '08006' }, true],
  ['40003', { code: '40003' }, true],
  ['ECONNRESET', { code: 'ECONNRESET' }, true],
  ['no code', {}, true],
  ['a number', { code: 55_000 }, true],
  ['23505', { code: '23505' }, false],
  ['SQLITE_BUSY', { code: 'SQLITE_BUSY' }, false],
  ['an error of node:sqlite', { code: 'ERR_SQLITE_ERROR', errstr: 'database is locked' }, false],
])('%s before the change of another: the update is undecided (%s)', async (_, reason, isUndecided) => {
  const query = queryOf(new Database(':memory:'))
  const other = sqlStore({ name: 'My database', query })
  await increment(other)
  let isBreaking = true
  const store = sqlStore({
    name: 'My database',
    async query(text, values) {
      if (!isBreaking || !text.startsWith('UPDATE')) return query(text, values)
      isBreaking = false
      await increment(other)
      throw Object.assign(new Error(), reason)
    },
  })
  if (isUndecided) await expect(increment(store)).rejects.toThrow('My database is not available')
  else expect(await increment(store)).toBe(2)
})

test.each<[string, () => unknown, string]>([
  ['no path', () => sqliteStore(''), 'sqlite must be the path of a file'],
  ['no database', () => sqliteStore({} as never), 'sqlite must be the path of a file'],
  ['what would be a file', () => sqliteStore(':memory:'), 'for a database in memory, pass an open one'],
  ['no query', () => sqlStore({ name: 'My database' } as never), 'query must be a function that runs SQL'],
])('refuses %s', (_, create, message) => {
  expect(create).toThrow(
    expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(message) }),
  )
})

test('writes a record that it has written with one statement, and deletes expired ones every ten seconds', async () => {
  const clock = { time: 1_000_000, now: () => clock.time }
  const sent: string[] = []
  const query: Query = async (text) => {
    const [verb = ''] = text.split(' ')
    sent.push(verb)
    return text.startsWith('SELECT id') ? [{ id: 1 }] : verb === 'SELECT' ? [] : [{ key: 'key' }]
  }
  const store = sqlStore({ name: 'SQL', query }, { clock })
  const statements = async () => {
    sent.length = 0
    await increment(store)
    await new Promise((resolve) => setImmediate(resolve))
    return sent.join(' ')
  }
  expect(await statements()).toBe('SELECT SELECT INSERT DELETE DELETE')
  clock.time += 9999
  expect(await statements()).toBe('UPDATE')
  clock.time += 1
  expect(await statements()).toBe('UPDATE DELETE DELETE')
})
