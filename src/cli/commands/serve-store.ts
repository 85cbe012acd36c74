import type { Command } from 'commander'
import { type DatabaseStore, redisStore } from '../../service/stores/redis.ts'
import { postgresStore, sqliteStore } from '../../service/stores/sql/index.ts'

/** A store that outlives the process, and its name in the log. */
export interface OpenStore {
  readonly name: string
  readonly store: DatabaseStore
}

/** Opens the store of `--store`, or none for memory. Does not quote an invalid address: it may contain a password. */
export function openStore(where: string, self: Command): OpenStore | undefined {
  try {
    if (where === 'memory') return undefined
    if (where.startsWith('sqlite:'))
      return { name: 'sqlite', store: sqliteStore(where.slice('sqlite:'.length)) }
    if (/^postgres(ql)?:/i.test(where)) return { name: 'postgres', store: postgresStore(where) }
    return { name: 'redis', store: redisStore(where) }
  } catch {
    return self.error(
      'error: --store must be "memory", sqlite:FILE, or an address that starts with postgres://, redis:// or rediss://',
    )
  }
}
