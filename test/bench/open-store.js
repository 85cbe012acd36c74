import { memoryStore } from '../../dist/src/service/index.js'
import { redisStore } from '../../dist/src/service/stores/redis.js'
import { postgresStore, sqliteStore } from '../../dist/src/service/stores/sql/index.js'

/** On a busy machine, a database may take longer than the default to accept connections: seconds. */
const PATIENT = { timeout: 10 }

/** Opens the store of an address: `memory`, the path of an SQLite file, or a URL. */
export function openStore(where) {
  if (where === 'memory') return memoryStore()
  if (where.startsWith('redis:')) return redisStore(where, PATIENT)
  return where.startsWith('postgres:') ? postgresStore(where, PATIENT) : sqliteStore(where, PATIENT)
}
