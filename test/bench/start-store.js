import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../support/postgres-server.js'
import { startRedis } from '../support/redis-server.js'

/** Starts what a store needs, and says where it is. What is in SQLite and PostgreSQL survives a power failure. */
export const STORES = {
  memory: async () => ({ url: 'memory', stop: () => undefined }),
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'authgraph-bench-'))
    return { url: join(folder, 'authgraph.db'), stop: () => rmSync(folder, { recursive: true }) }
  },
  redis: () => startRedis(),
  postgres: () => startPostgres({ fsync: 'on' }),
}
