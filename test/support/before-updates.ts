import type { MemoryStore, Store } from '../../src/service/index.ts'

/** A store that calls this with the key before each update, and waits for it: it may fail the update, or hold it. */
export function beforeUpdates(happens: (key: string) => unknown): (memory: MemoryStore) => Store {
  return (memory) => ({
    async update(key, change) {
      await happens(key)
      return memory.update(key, change)
    },
  })
}
