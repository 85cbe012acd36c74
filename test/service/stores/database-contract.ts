import { describe, expect, test } from 'vitest'
import type { Store } from '../../../src/service/index.ts'

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
    const MANY = Array.from({ length: 200 }, (_, index) => index)
    const four = () => {
      const open = share()
      return [open(), open(), open(), open()] as const
    }

    test('loses none of 200 concurrent changes', async () => {
      const stores = four()
      const seen = await Promise.all(MANY.map((index) => increment(stores[index % 4] ?? stores[0])))
      expect(new Set(seen).size).toBe(200)
      expect(await count(stores[0])).toBe(200)
    })

    test('gives a record that is taken 200 times at once to one', async () => {
      const stores = four()
      for (const store of stores) await increment(store)
      const taken = await Promise.all(MANY.map((index) => remove(stores[index % 4] ?? stores[0])))
      expect(taken.filter(Boolean)).toHaveLength(1)
    })

    test('is separated by the prefix', async () => {
      const open = share()
      const [one, two] = [open({ prefix: 'one:' }), open({ prefix: 'two:' })]
      await increment(one)
      expect(await count(two)).toBeUndefined()
    })
  })

  test('can be closed before its first use', async () => {
    await expect(share()().close()).resolves.toBeUndefined()
  })

  test('can be closed more than once', async () => {
    const store = share()()
    await increment(store)
    await store.close()
    await expect(store.close()).resolves.toBeUndefined()
  })
}
