import { BadOptionError } from '../../../errors.ts'
import type { DatabaseStore, DatabaseStoreOptions } from '../compare-and-set.ts'
import type { Query } from './query.ts'
import { SWEEP, sqlStore, UPDATE } from './sql-store.ts'
import { createTogether } from './together.ts'

/**
 * Does many updates, given as JSON, in one statement, and returns for each either its key or the present record. The rows are
 * locked in the order of their keys, so that instances which update the same ones wait for each other but never both.
 */
const UPDATE_ALL = `WITH given AS (
  SELECT * FROM json_to_recordset($1) AS given (index integer, record text, expires_at bigint, key text, before text)
), present AS (
  SELECT key, record FROM authgraph_records WHERE key IN (SELECT key FROM given) ORDER BY key FOR UPDATE
), written AS (
  UPDATE authgraph_records SET record = given.record, expires_at = given.expires_at
  FROM given JOIN present USING (key)
  WHERE authgraph_records.key = present.key AND present.record = before RETURNING index, authgraph_records.key
)
SELECT index, written.key, present.record FROM given JOIN present USING (key) LEFT JOIN written USING (index)`

/** Passes over rows that an update has locked: waiting for it could make it wait in turn. */
const SWEEP_UNLOCKED = SWEEP.replace(') RETURNING', ' FOR UPDATE SKIP LOCKED) RETURNING')

const CONNECTIONS = 10

/** The part of a PostgreSQL client that the store uses. `new Pool()` of the package `pg` returns one. */
export interface PostgresClient {
  /** Runs SQL. Without values, it uses the simple query protocol: several statements are one transaction. */
  query(
    text: string,
    values?: (string | number)[],
  ): Promise<{ readonly rows: readonly { readonly [column: string]: unknown }[] }>
}

/**
 * Creates a store in PostgreSQL, which any number of instances can share. The tables are created with the first update. A
 * role that may not create tables needs `SELECT` on `authgraph_migrations`, and `SELECT, INSERT, UPDATE, DELETE` on
 * `authgraph_records`.
 * Concurrent updates of existing records share one statement, and so they fail together: each is then retried.
 *
 * While PostgreSQL is not available, updates are retried until the timeout, then reject with
 * {@link StoreUnavailableError}. A rejected update was applied at most once: if the connection broke before the response, it
 * may have been applied.
 *
 * @param postgres A URL, which needs the package `pg`, or a pool. Give a pool a `connectionTimeoutMillis`, so that no
 * statement is sent late, and a `query_timeout`, so that a server that does not respond does not keep its connections. What
 * the server has received may still run: a `statement_timeout` of the role ends that.
 * @throws {@link BadOptionError} if the URL or an option is not valid.
 * @example
 * ```ts
 * import { createService } from 'authgraph/service'
 * import { postgresStore } from 'authgraph/service/sql'
 *
 * const service = createService({
 *   clients: [{ clientId: 'my-client-id', name: 'My app' }],
 *   store: postgresStore('postgres://authgraph@127.0.0.1/authgraph'),
 * })
 * ```
 */
export function postgresStore(
  postgres: string | PostgresClient,
  options: DatabaseStoreOptions = {},
): DatabaseStore {
  if (typeof postgres !== 'string' && typeof postgres?.query !== 'function')
    throw new BadOptionError('postgres must be a URL such as postgres://127.0.0.1/authgraph, or a pool')
  const { pool, close } = typeof postgres === 'string' ? connectTo(postgres, options) : fromPool(postgres)
  const run: Query = async (text, values) => (await (await pool()).query(text, [...values])).rows
  const update = createTogether(async (updates: readonly Parameters<Query>[1][]) => {
    const given = updates.map(([record, expires_at, key, before], index) => ({
      index,
      record,
      expires_at,
      key,
      before,
    }))
    const results: Awaited<ReturnType<Query>>[] = updates.map(() => [])
    for (const row of await run(UPDATE_ALL, [JSON.stringify(given)])) results[Number(row.index)] = [row]
    return results
  })
  const query: Query = async (text, values) =>
    text === UPDATE ? update(values) : run(text === SWEEP ? SWEEP_UNLOCKED : text, values)
  return sqlStore({ name: 'PostgreSQL', query, close }, options)
}

function fromPool(client: PostgresClient) {
  return { pool: async () => client, close: async () => undefined }
}

function connectTo(url: string, { timeout = 2 }: DatabaseStoreOptions) {
  if (url === '') throw new BadOptionError('the PostgreSQL URL is empty: is its environment variable set?')
  if (!/^postgres(ql)?:\/\//i.test(url) || !URL.canParse(url))
    throw new BadOptionError('the PostgreSQL URL must start with postgres:// or postgresql://')

  const connect = async () => {
    const { default: pg } = await import('pg').catch(() => {
      throw new BadOptionError('to connect to a PostgreSQL URL, install the package "pg": npm install pg')
    })
    const pool = new pg.Pool({
      connectionString: url,
      max: CONNECTIONS,
      // A queued statement could be sent long after its update was rejected.
      connectionTimeoutMillis: timeout * 1000,
      // Only this side of the connection. Poolers such as PgBouncer do not accept `statement_timeout` here.
      query_timeout: timeout * 1000,
    })
    // Idle connections that break: the next statement opens another one.
    pool.on('error', () => undefined)
    return pool
  }

  let connected: ReturnType<typeof connect> | undefined
  let ended: Promise<void> | undefined
  return {
    pool() {
      connected ??= connect()
      return connected
    },
    async close() {
      const pool = await connected?.catch(() => undefined)
      // A second end of a pool rejects.
      ended ??= pool?.end()
      await ended
    },
  }
}
