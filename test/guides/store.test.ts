import { expect, test } from 'vitest'
import { type Row, type Table, versionedStore } from './store/versioned-store.ts'

/** A store over an empty table, at the time that a test sets. */
function open(broken: Partial<Table> = {}) {
  const rows = new Map<string, Row>()
  const time = { now: 0 }
  const table: Table = {
    read: async (key) => rows.get(key),
    replace: async (key, _, row) => (row ? rows.set(key, row).has(key) : rows.delete(key)),
    deleteExpired: async (now) => {
      for (const [key, { expiresAt }] of rows) if (expiresAt <= now) rows.delete(key)
    },
    ...broken,
  }
  const store = versionedStore(table, { now: () => time.now })
  const write = (key: string) => store.update(key, () => ({ result: key, value: 1, expiresAt: time.now + 1 }))
  return { rows, time, write }
}

test('the store of the guide deletes expired records', async () => {
  const { rows, time, write } = open()
  await write('first')
  time.now = 60_000
  await write('second')
  expect([...rows.keys()]).toEqual(['second'])
})

test.each(['read', 'replace', 'deleteExpired'] as const)(
  'the store of the guide is unavailable if the table cannot %s',
  async (name) => {
    const { time, write } = open({ [name]: () => Promise.reject(new Error('no connection')) })
    time.now = 60_000
    await expect(write('key')).rejects.toMatchObject({ code: 'store_unavailable' })
  },
)
