/**
 * Stores in SQL databases: SQLite for one machine, PostgreSQL for several instances. Start with {@link sqliteStore}.
 *
 * @module authgraph/service/sql
 */

export { BadOptionError, StoreUnavailableError } from '../../../errors.ts'
export type { DatabaseStore, DatabaseStoreOptions } from '../compare-and-set.ts'
export { type PostgresClient, postgresStore } from './postgres.ts'
export type { Query } from './query.ts'
export { type SqlDatabase, sqlStore } from './sql-store.ts'
export { type SqliteDatabase, sqliteStore } from './sqlite.ts'
