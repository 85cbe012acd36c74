import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { memoryStore } from '../../../src/service/index.ts'
import { storeContract } from '../store-contract.ts'

storeContract('memoryStore', () => memoryStore())

test('forgets by its own clock', async () => {
  const clock = { time: 1000, now: () => clock.time }
  const { update } = memoryStore({ clock })
  await update('key', () => ({ result: undefined, value: 'kept', expiresAt: 2000 }))
  clock.time = 1999
  expect(await update('key', (value) => ({ result: value }))).toBe('kept')
  clock.time = 2000
  expect(await update('key', (value) => ({ result: value }))).toBeUndefined()
})

test('forgets what has expired although nobody asks for it', async () => {
  const clock = { time: 0, now: () => clock.time }
  const { update } = memoryStore({ clock })
  const records: WeakRef<object>[] = []
  const alive = 1000
  for (let count = 0; count < 20 * alive; count += 1) {
    clock.time += 1
    const value = { count }
    records.push(new WeakRef(value))
    await update(`key-${count}`, () => ({ result: undefined, value, expiresAt: clock.time + alive }))
  }
  await collectGarbage()
  expect(records.filter((record) => record.deref()).length).toBeLessThan(3 * alive)
  expect(await update('key-19999', (value) => ({ result: value }))).toEqual({ count: 19_999 })
})

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // What a weak reference was read from in this turn is held until the next one.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
}
