import type { SqlDatabase } from '../../src/service/stores/sql/sql-store.ts'
import type { Host } from './host.ts'
import type { World } from './world.ts'

/** Records deleted by one sweep. */
const SWEPT = 500

/** Connects an instance to a model of PostgreSQL, which knows the statements of the store by their texts. */
export function connectToSql(world: World, host: Host): SqlDatabase {
  const { database } = world
  const refused = (code: string) => Object.assign(new Error('refused'), { code })
  const returning = (keys: readonly string[]) => keys.map((key) => ({ key }))

  /** Keys are quoted. */
  const read = (key: string) => database.read(JSON.parse(key))
  const present = (key: string) => [read(key)].flatMap((stored) => (stored ? [{ record: stored.raw }] : []))
  function write(key: string, next: string, until: number) {
    database.write(JSON.parse(key), next, until)
    return returning([key])
  }

  /** What each statement does, by its text. */
  const statements: Readonly<Record<string, (...values: never[]) => readonly object[]>> = {
    'SELECT record FROM authgraph_records WHERE key = $1': present,
    'INSERT INTO authgraph_records (key, record, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING key':
      (key: string, next: string, until: number) => (read(key) ? [] : write(key, next, until)),
    // As the store for PostgreSQL extends it: it returns the present record if that is another one.
    'UPDATE authgraph_records SET record = $1, expires_at = $2 WHERE key = $3 AND record = $4 RETURNING key':
      (next: string, until: number, key: string, expected: string) =>
        read(key)?.raw === expected ? write(key, next, until) : present(key),
    [`DELETE FROM authgraph_records WHERE expires_at <= $1 AND key IN (
  SELECT key FROM authgraph_records WHERE expires_at <= $2 AND CURRENT_TIMESTAMP >= $3 LIMIT ${SWEPT}) RETURNING key`]:
      (time: number) => returning(world.now >= time ? database.sweep(time, SWEPT) : []),
    'SELECT id, EXISTS (SELECT key FROM authgraph_records) FROM authgraph_migrations ORDER BY id DESC LIMIT 1':
      () => {
        if (!database.migrations) throw refused('42P01')
        return [{ id: database.migrations }]
      },
    'CREATE TABLE IF NOT EXISTS authgraph_migrations (id integer PRIMARY KEY)': () => {
      database.migrations ??= 0
      return []
    },
    [`CREATE TABLE IF NOT EXISTS authgraph_records (key text PRIMARY KEY, record text NOT NULL, expires_at bigint NOT NULL);
CREATE INDEX IF NOT EXISTS authgraph_records_expires_at ON authgraph_records (expires_at);
INSERT INTO authgraph_migrations (id) VALUES (1) ON CONFLICT DO NOTHING`]: () => {
      database.migrations = 1
      return []
    },
  }

  return {
    name: 'SQL',
    query: (text, values) =>
      database.send(host, () => {
        const run = statements[text]
        if (run === undefined) world.fail(world.login, `the model of SQL does not know: ${text}`)
        return (run?.(...(values as never[])) ?? []) as Readonly<Record<string, unknown>>[]
      }),
  }
}
