import type { DatabaseServer } from './database-server.ts'

/** Whether Redis is installed. Tests that need it are skipped otherwise. */
export const hasRedis: boolean

/** @param mode `kept` survives being killed; `cluster` is a whole cluster in one node. */
export function startRedis(mode?: 'forgotten' | 'kept' | 'cluster'): Promise<DatabaseServer>
