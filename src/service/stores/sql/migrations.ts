import type { Query } from './query.ts'

/**
 * The schema, one step after another, in SQL that PostgreSQL and SQLite share. Add steps at the end and never change one:
 * each is applied once per database.
 */
const MIGRATIONS = [
  `CREATE TABLE authgraph_records (key text PRIMARY KEY, record text NOT NULL, expires_at bigint NOT NULL);
CREATE INDEX authgraph_records_expires_at ON authgraph_records (expires_at)`,
]

/**
 * Applies the steps that a database does not have yet. Each is one transaction with its number. If another instance applies
 * the same one first, this one fails, and a second call finds it done.
 */
export async function migrate(query: Query): Promise<void> {
  const applied = await latest(query).catch(async () => {
    // Asked first: a user who may not create tables can use those of the owner.
    await query('CREATE TABLE IF NOT EXISTS authgraph_migrations (id integer PRIMARY KEY)', [])
    return latest(query)
  })
  for (const [index, migration] of MIGRATIONS.entries())
    if (index >= applied)
      await query(`${migration};\nINSERT INTO authgraph_migrations (id) VALUES (${index + 1})`, [])
}

async function latest(query: Query): Promise<number> {
  const [row] = await query('SELECT id FROM authgraph_migrations ORDER BY id DESC LIMIT 1', [])
  return Number(row?.id ?? 0)
}
