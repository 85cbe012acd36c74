import { expect, test } from 'vitest'
import type { DatabaseStore, DatabaseStoreOptions } from '../../../src/service/stores/sql/index.ts'
import { eventually } from '../../support/eventually.ts'
import { databaseContract, increment } from './database-contract.ts'

type Open = (options?: DatabaseStoreOptions) => DatabaseStore

/** What an SQL database must do in which stores keep their records. */
export interface TestedDatabase {
  /** Returns what opens stores with the same records, in as many instances as called. */
  share(): Open
  /** Returns what opens stores with a database of their own, and what runs SQL in that database. */
  own(): Promise<{ readonly open: Open; run(text: string): Promise<void> }>
}

const HOUR = 3_600_000

/** What every store in an SQL database must do. */
export function sqlContract({ share, own }: TestedDatabase): void {
  databaseContract(share)

  test('deletes records that have expired, and keeps the others', async () => {
    const open = share()
    const clock = { time: 1_000_000.5, now: () => clock.time }
    const store = open({ clock })
    const write = (key: string, expiresAt?: number) =>
      store.update(key, () => ({ result: 0, value: key, ...(expiresAt && { expiresAt }) }))
    await Promise.all(Array.from({ length: 600 }, (_, key) => write(`short-${key}`, clock.time + 5000)))
    await write('endless')
    await write('long', clock.time + 50_000)
    clock.time += 20_000
    await write('any', clock.time + 50_000)
    // A store with an earlier time sees what is still there.
    const earlier = open({ clock: { now: () => 1_000_000 } })
    const left = (key: string) => earlier.update(key, (value) => ({ result: value }))
    await eventually(async () => {
      for (let key = 0; key < 600; key += 60) expect(await left(`short-${key}`)).toBeUndefined()
    })
    expect([await left('endless'), await left('long')]).toEqual(['endless', 'long'])
  })

  test('lets an instance whose clock is ahead delete only what is long expired', async () => {
    const { open } = await own()
    const now = Date.now()
    const at = (time: number) => open({ clock: { now: () => time } })
    const [right, ahead, behind] = [at(now), at(now + HOUR), at(now - 48 * HOUR)]
    const write = (key: string, expiresAt: number) =>
      right.update(key, () => ({ result: 0, value: key, expiresAt }))
    await write('kept', now + HOUR / 2)
    await write('old', now - 25 * HOUR)
    // The first one deletes records, the second one comes after that.
    for (const _ of [1, 2]) await increment(ahead)
    const left = (key: string) => behind.update(key, (value) => ({ result: value }))
    expect([await left('kept'), await left('old')]).toEqual(['kept', undefined])
  })

  test('creates a table again that was dropped', async () => {
    const { open, run } = await own()
    const store = open({ timeout: 30 })
    await increment(store)
    await run('DROP TABLE authgraph_records')
    expect(await increment(store)).toBe(0)
    await run('DROP TABLE authgraph_records; DROP TABLE authgraph_migrations')
    expect(await increment(store)).toBe(0)
  })

  test('accepts every character in a key', async () => {
    const store = share()()
    const keys = ['\u0000', '\ud800', '\ud801', '\\u0000']
    for (const key of keys) await store.update(key, () => ({ result: 0, value: key }))
    for (const key of keys) expect(await store.update(key, (value) => ({ result: value }))).toBe(key)
  })
}
