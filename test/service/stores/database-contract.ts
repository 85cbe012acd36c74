import { describe, expect, test } from 'vitest'
import type { Store } from '../../../src/service/index.ts'
import { storeContract } from '../../../src/testing/index.ts'

/** A store in a database. */
export interface ConnectedStore extends Store {
  ping(): Promise<void>
  close(): Promise<void>
}

const later = () => Date.now() + 60_000
/** Adds one to a count, and returns what it was. */
export const increment = (store: Store) =>
  store.update('count', (value = 0) => ({ result: value, value: (value as number) + 1, expiresAt: later() }))
/** Reads the count. */
export const count = (store: Store) => store.update('count', (value) => ({ result: value }))
/** Deletes the count, and returns whether there was one. */
export const remove = (store: Store) =>
  store.update('count', (value) => ({ result: value !== undefined, value: null }))

/**
 * What every store in a database must do besides the contract of a store.
 *
 * @param share Returns what opens stores that share their records, unless their prefixes differ.
 */
export function databaseContract(
  share: () => (options?: { readonly prefix?: string }) => ConnectedStore,
): void {
  describe('of several instances', () => {
    const four = () => {
      const open = share()
      return [open(), open(), open(), open()] as const
    }

    for (const { name, run } of storeContract(four)) test(name, run)

    test('gives a record that is taken 200 times at once to one', async () => {
      const stores = four()
      for (const store of stores) await increment(store)
      const taken = await Promise.all(Array.from({ length: 50 }, () => stores.map(remove)).flat())
      expect(taken.filter(Boolean)).toHaveLength(1)
    })

    test('is separated by the prefix', async () => {
      const open = share()
      const [one, two] = [open({ prefix: 'one:' }), open({ prefix: 'two:' })]
      await increment(one)
      expect(await count(two)).toBeUndefined()
    })
  })

  test('can be closed before its first use, and more than once', async () => {
    await expect(share()().close()).resolves.toBeUndefined()
    const store = share()()
    await increment(store)
    await store.close()
    await expect(store.close()).resolves.toBeUndefined()
  })
}
