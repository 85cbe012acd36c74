import { assertKnown } from '../../../assert-known.ts'
import { BadOptionError } from '../../../errors.ts'
import { withDeadline } from '../../../store/deadline.ts'
import {
  compareAndSetStore,
  type Database,
  type DatabaseStore,
  type DatabaseStoreOptions,
  STORE_OPTIONS,
} from '../compare-and-set.ts'
import { migrate } from './migrations.ts'
import type { Query } from './query.ts'

/** Milliseconds between two deletions of expired records. */
const SWEEP_INTERVAL = 10_000

/**
 * Milliseconds after which an expired record is deleted, if the clock of the database says too that it has expired: that
 * of an instance may be ahead. The second one is for a database whose clock is slow.
 */
const LEFT = [10_000, 24 * 60 * 60 * 1000]

const SWEPT = 500

const READ = 'SELECT record FROM authgraph_records WHERE key = $1'
const INSERT =
  'INSERT INTO authgraph_records (key, record, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING key'
export const UPDATE =
  'UPDATE authgraph_records SET record = $1, expires_at = $2 WHERE key = $3 AND record = $4 RETURNING key'

/**
 * Deletes the records that expired before a time that the database has reached. PostgreSQL checks the outer condition again
 * if another instance has just replaced a record.
 */
export const SWEEP = `DELETE FROM authgraph_records WHERE expires_at <= $1 AND key IN (
  SELECT key FROM authgraph_records WHERE expires_at <= $2 AND CURRENT_TIMESTAMP >= $3 LIMIT ${SWEPT}) RETURNING key`

/**
 * Reasons with which the database itself refused a statement: those of SQLite, and an SQLSTATE. A lost connection (class
 * 08), a server that stops (57P) and an unknown completion (40003) can follow a commit.
 */
const SAYS_NO = /^SQLITE|^(?!08|57P|40003)(?=.*\d)[0-9A-Z]{5}$/

/** An SQL database in the words of PostgreSQL and SQLite. */
export interface SqlDatabase {
  /** Its name in error messages. */
  readonly name: string
  /** Runs SQL. */
  readonly query: Query
  /** Closes what was opened for the store. Default: nothing. */
  close?(): Promise<void>
}

/**
 * Creates a store in any database that speaks the SQL of PostgreSQL or SQLite (3.35 or newer), such as PGlite, Neon or
 * Cloudflare D1. For the packages `pg` and `libsql` and for `node:sqlite`, use {@link postgresStore} and
 * {@link sqliteStore}.
 *
 * Records are in the table `authgraph_records`, which is created with the first update, and again if it was dropped. An
 * update is one statement if it changes nothing, or a record that no other instance has changed since this one read or wrote
 * it; otherwise two or three. The store remembers up to eight million characters of records. Expired records are deleted every
 * ten seconds, while there are updates, if they have expired by the clock of the database too: an instance whose clock is
 * ahead deletes none that others still need. If the clock of the database is more than ten seconds slow, they are deleted a day
 * later.
 *
 * @throws {@link BadOptionError} if an option is not valid.
 * @example
 * ```ts
 * import { type Query, sqlStore } from 'authgraph/service/sql'
 *
 * // Runs a statement with the driver that your application uses.
 * declare const query: Query
 * const store = sqlStore({ name: 'PGlite', query })
 * ```
 */
export function sqlStore(
  { name, query, close = async () => undefined }: SqlDatabase,
  options: DatabaseStoreOptions = {},
): DatabaseStore {
  assertKnown(options, STORE_OPTIONS)
  const { prefix = '', timeout = 2, clock = Date } = options
  if (typeof query !== 'function') throw new BadOptionError('query must be a function that runs SQL')
  // PostgreSQL cannot store every character: in JSON, all of them are escaped.
  const keyOf = (key: string) => JSON.stringify(prefix + key)

  let migrated: Promise<void> | undefined
  const ready = () => {
    // A statement that gets no response must not keep all later updates waiting.
    const late = () => Object.assign(new Error('no response'), { code: 'ETIMEDOUT' })
    migrated ??= withDeadline(timeout * 1000, migrate(query), late).catch((error) => {
      migrated = undefined
      throw error
    })
    return migrated
  }

  const run: Query = async (text, values) => {
    await ready()
    try {
      return await query(text, values)
    } catch (error) {
      // If a table was dropped, the next attempt creates it again.
      migrated = undefined
      throw error
    }
  }

  async function read(key: string): Promise<string> {
    const [row] = await run(READ, [keyOf(key)])
    return row === undefined ? '' : String(row.record)
  }

  let sweptAt = 0
  function sweep(now: number): void {
    if (Math.abs(now - sweptAt) < SWEEP_INTERVAL) return
    sweptAt = now
    // Not awaited, and its failure is not reported: an update fails for the same reason.
    void deleteExpired(now).catch(() => undefined)
  }
  async function deleteExpired(now: number): Promise<void> {
    for (const left of LEFT) {
      const time = Math.floor(now - left)
      const reached = new Date(time).toISOString().replace('T', ' ')
      while ((await query(SWEEP, [time, time, reached])).length === SWEPT);
    }
  }

  const database: Database = {
    name,
    read,
    async compareAndSet(key, before, after, expiresAt) {
      const own = keyOf(key)
      const written =
        before === ''
          ? await run(INSERT, [own, after, expiresAt])
          : await run(UPDATE, [after, expiresAt, own, before])
      sweep(clock.now())
      const [row] = written
      if (row === undefined) return read(key)
      return typeof row.key === 'string' ? null : String(row.record)
    },
    reasonOf: sqlErrorCode,
    mayHaveWritten: (error) => !SAYS_NO.test(sqlErrorCode(error) ?? ''),
  }
  return { ...compareAndSetStore(database, { timeout, clock }), close }
}

/**
 * Returns a code such as `SQLITE_BUSY`, `ECONNREFUSED` or `28P01`. The message may quote values. `node:sqlite` has one code
 * for everything, and a fixed text for each error.
 */
export function sqlErrorCode(error: unknown): string | undefined {
  const { errstr, code } = error as { readonly errstr?: unknown; readonly code?: unknown }
  if (typeof errstr === 'string') return `SQLITE: ${errstr}`
  return typeof code === 'string' ? code : undefined
}
