import { closeSync, openSync } from 'node:fs'
import { assertKnown } from '../../../assert-known.ts'
import { BadOptionError } from '../../../errors.ts'
import { type DatabaseStore, type DatabaseStoreOptions, STORE_OPTIONS } from '../compare-and-set.ts'
import type { Query } from './query.ts'
import { SWEEP, sqlErrorCode, sqlStore } from './sql-store.ts'
import { createTogether } from './together.ts'

/**
 * Readers do not wait for a writer (WAL). What was committed survives a power failure (FULL). Deleted records are
 * overwritten, since a spent refresh token opens its successor. Other processes hold the lock only for a moment: the store
 * tries again later, and blocks this process for 20 ms at most.
 */
const SETTINGS = `PRAGMA busy_timeout = 20;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON`

/** The log holds earlier versions of records until it is emptied. If a reader prevents that, it is done later. */
const EMPTY_LOG = 'PRAGMA wal_checkpoint(TRUNCATE)'

/** How statements that write nothing begin. */
const READING = 'SELECT'

/** How those end that return the rows that they wrote. The store needs only their number, which takes less time. */
const RETURNING = / RETURNING key$/
const WRITTEN = { key: '' }

/**
 * The part of an SQLite database that the store uses: `DatabaseSync` of `node:sqlite`, or the database of the packages
 * `libsql` and `better-sqlite3`.
 */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown
  /** Prepares a statement. */
  prepare(sql: string): {
    /** Runs it and returns its rows. */
    all(...values: (string | number)[]): unknown[]
    /** Runs it and returns how many rows it has written. */
    run(...values: (string | number)[]): { readonly changes: number | bigint }
  }
  /** Closes the database. */
  close(): unknown
}

/** The code of `libsql`, and the text of `node:sqlite`. */
const NO_DATABASE = /NOTADB|not a database/

type Rows = Awaited<ReturnType<Query>>

/**
 * Creates a store in an SQLite file, for one machine. Several processes can share the file, but not over a network.
 *
 * An update is on the disk before it resolves; concurrent updates are written together. While the file is locked, updates
 * are retried until the timeout, then reject with {@link StoreUnavailableError}.
 *
 * @param sqlite The path of a file, which is created with access for its owner only. It needs `node:sqlite` (Node.js 22.13 or
 * newer), or else the package `libsql`. Or an open database, whose pragmas are yours to set, and whose transactions must
 * not span an `await`: the store would write in them, or wait for their end.
 * @throws {@link BadOptionError} if an option is not valid.
 * @example
 * ```ts
 * import { createService } from 'authgraph/service'
 * import { sqliteStore } from 'authgraph/service/sql'
 *
 * const service = createService({
 *   clients: [{ clientId: 'my-client-id', name: 'My app' }],
 *   store: sqliteStore('/var/lib/authgraph/authgraph.db'),
 * })
 * ```
 */
export function sqliteStore(
  sqlite: string | SqliteDatabase,
  options: DatabaseStoreOptions = {},
): DatabaseStore {
  assertKnown(options, STORE_OPTIONS)
  if (sqlite === '' || (typeof sqlite !== 'string' && typeof sqlite?.prepare !== 'function'))
    throw new BadOptionError('sqlite must be the path of a file, or an open database')
  if (sqlite === ':memory:')
    throw new BadOptionError('sqlite must be the path of a file: for a database in memory, pass an open one')
  let opened: Promise<SqliteDatabase> | undefined
  const open = () => {
    if (typeof sqlite !== 'string') return Promise.resolve(sqlite)
    opened ??= openFile(sqlite).catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const run = queryOf(open)
  const query: Query = async (text, values) => {
    const rows = await run(text, values)
    if (opened && text === SWEEP) (await opened).exec(EMPTY_LOG)
    return rows
  }
  const close = async () => void (await opened?.catch(() => undefined))?.close()
  return sqlStore({ name: 'SQLite', query, close }, options)
}

async function openFile(file: string): Promise<SqliteDatabase> {
  const Database = await sqliteHere()
  try {
    // SQLite would create it readable for everyone.
    closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BadOptionError(`cannot open the SQLite file (${code}): check the path and its folder`)
  }
  const database = new Database(file)
  try {
    database.exec(SETTINGS)
    return database
  } catch (error) {
    database.close()
    if (!NO_DATABASE.test(sqlErrorCode(error) ?? '')) throw error
    throw new BadOptionError('the file is not an SQLite database: name another one')
  }
}

async function sqliteHere(): Promise<new (file: string) => SqliteDatabase> {
  const builtIn = process.getBuiltinModule('node:sqlite') as
    | { DatabaseSync: new (file: string) => SqliteDatabase }
    | undefined
  if (builtIn) return builtIn.DatabaseSync
  const { default: Database } = await import('libsql').catch(() => {
    throw new BadOptionError(
      'this Node.js has no node:sqlite: use Node.js 22.13 or newer, or install the package "libsql": npm install libsql',
    )
  })
  return Database
}

/** Reads at once. Writes wait until the events of this turn are handled, and share one transaction. */
function queryOf(open: () => Promise<SqliteDatabase>): Query {
  const prepared = new Map<string, ReturnType<SqliteDatabase['prepare']>>()

  function run(database: SqliteDatabase, text: string, values: readonly (string | number)[]): Rows {
    if (values.length === 0 && !text.startsWith(READING)) {
      database.exec(text)
      return []
    }
    let statement = prepared.get(text)
    if (statement === undefined) {
      statement = database.prepare(text.replace(RETURNING, '').replace(/\$\d+/g, '?'))
      prepared.set(text, statement)
    }
    if (text.startsWith(READING)) return statement.all(...values) as unknown as Rows
    return Array.from({ length: Number(statement.run(...values).changes) }, () => WRITTEN)
  }

  const write = createTogether(async (statements: readonly Parameters<Query>[]) => {
    const database = await open()
    return inTransaction(database, () => statements.map(([text, values]) => run(database, text, values)))
  })

  return async (text, values) =>
    text.startsWith(READING) ? run(await open(), text, values) : write([text, values])
}

function inTransaction<Result>(database: SqliteDatabase, write: () => Result): Result {
  // Fails if one is open: that one is not ours to roll back.
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = write()
    database.exec('COMMIT')
    return result
  } catch (error) {
    try {
      database.exec('ROLLBACK')
    } catch {
      // SQLite has ended the transaction.
    }
    throw error
  }
}
