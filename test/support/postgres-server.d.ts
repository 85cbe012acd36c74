import type { DatabaseServer } from './database-server.ts'

/** Whether PostgreSQL is installed. Tests that need it are skipped otherwise. */
export const hasPostgres: boolean

/** When it is killed, it ends without a checkpoint, and recovers at the next start. */
export function startPostgres(options?: { readonly fsync?: 'on' | 'off' }): Promise<DatabaseServer>
