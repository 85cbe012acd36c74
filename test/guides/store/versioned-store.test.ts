import { storeContract } from '../../service/store-contract.ts'
import { type Row, type Table, versionedStore } from './versioned-store.ts'

/** A table in memory, each of whose answers comes a turn later, as from a database. */
function tableInMemory(): Table {
  const rows = new Map<string, Row>()
  return {
    read: async (key) => rows.get(key),
    replace: async (key, version, row) => {
      if (rows.get(key)?.version !== version) return false
      if (row) rows.set(key, row)
      else rows.delete(key)
      return true
    },
  }
}

storeContract('a versioned table', () => versionedStore(tableInMemory()))
