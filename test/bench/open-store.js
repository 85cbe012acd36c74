import { memoryStore } from '../../dist/src/service/index.js'
import { redisStore } from '../../dist/src/service/stores/redis.js'
import { postgresStore, sqliteStore } from '../../dist/src/service/stores/sql/index.js'

/** Opens the store of an address: `memory`, the path of an SQLite file, or a URL. */
export function openStore(where) {
  if (where === 'memory') return memoryStore()
  if (where.startsWith('redis:')) return redisStore(where)
  return where.startsWith('postgres:') ? postgresStore(where) : sqliteStore(where)
}
