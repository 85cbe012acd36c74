import type { Query } from './query.ts'

/**
 * The schema, one step after another, in SQL that PostgreSQL and SQLite share. Add steps at the end and never change one:
 * each is applied once per database, and again if a table was dropped.
 */
const MIGRATIONS = [
  `CREATE TABLE IF NOT EXISTS authgraph_records (key text PRIMARY KEY, record text NOT NULL, expires_at bigint NOT NULL);
CREATE INDEX IF NOT EXISTS authgraph_records_expires_at ON authgraph_records (expires_at)`,
]

/** Fails if a table is missing. */
const LATEST =
  'SELECT id, EXISTS (SELECT key FROM authgraph_records) FROM authgraph_migrations ORDER BY id DESC LIMIT 1'

/** Applies the steps that a database does not have yet. Each is one transaction with its number. */
export async function migrate(query: Query): Promise<void> {
  const applied = await latest(query).catch(async () => {
    // Asked first: a user who may not create tables can use those of the owner.
    await query('CREATE TABLE IF NOT EXISTS authgraph_migrations (id integer PRIMARY KEY)', [])
    return latest(query).catch(() => 0)
  })
  for (const [index, migration] of MIGRATIONS.entries())
    if (index >= applied)
      await query(
        `${migration};\nINSERT INTO authgraph_migrations (id) VALUES (${index + 1}) ON CONFLICT DO NOTHING`,
        [],
      )
}

async function latest(query: Query): Promise<number> {
  const [row] = await query(LATEST, [])
  return Number(row?.id ?? 0)
}
