import { storeContract } from 'authgraph/testing'
import { test } from 'vitest'
import { type Row, type Table, versionedStore } from './versioned-store.js'

/** A table in memory that responds asynchronously, as a database does. */
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

// Two instances of a service, with one table.
const open = () => {
  const table = tableInMemory()
  return [versionedStore(table), versionedStore(table)] as const
}

for (const { name, run } of storeContract(open)) test(name, run)
