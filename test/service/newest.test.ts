import { expect, test } from 'vitest'
import { createRecords } from '../../src/service/records.ts'
import { createNewest } from '../../src/service/tokens/newest.ts'
import { memoryStore } from '../../src/store/memory-store.ts'

test('the oldest beyond the limit are returned once, and what has expired takes no place', async () => {
  const clock = { time: 0, now: () => clock.time }
  const newest = createNewest(createRecords(memoryStore({ clock })).logins, 2, clock)
  const add = (id: string, expiresAt = 100) => newest.add('mona', id, expiresAt)
  expect([await add('a'), await add('b'), await add('c'), await add('c')]).toEqual([[], [], ['a'], []])
  expect([await add('d', 10), await add('b')]).toEqual([['b'], ['c']])
  clock.time = 10
  expect([await add('e'), await add('f')]).toEqual([[], ['b']])
  expect(await newest.clear('mona')).toEqual(['e', 'f'])
})
