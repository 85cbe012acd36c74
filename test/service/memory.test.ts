import { expect, test } from 'vitest'
import { memoryStore } from '../../src/service/index.ts'
import { storeContract } from '../support/store-contract.ts'

storeContract('memory', (clock) => memoryStore({ clock }))

test('the memory store sweeps what has expired as it goes', async () => {
  const clock = { at: 0, now: () => clock.at }
  const store = memoryStore({ clock })
  for (let index = 0; index < 1000; index += 1) {
    await store.update(`old:${index}`, () => ({ result: 0, value: index, expiresAt: 10 }))
  }
  expect(store.size).toBe(1000)
  clock.at = 10
  for (let index = 0; index < 1000; index += 1) await store.update('new', () => ({ result: 0, value: 1 }))
  expect(store.size).toBe(1)
})
