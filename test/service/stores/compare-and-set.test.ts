import { beforeEach, describe, expect, test, vi } from 'vitest'
import { BadOptionError, StoreUnavailableError } from '../../../src/service/index.ts'
import { compareAndSetStore, type Database } from '../../../src/service/stores/compare-and-set.ts'
import { redisStore } from '../../../src/service/stores/redis.ts'
import { postgresStore } from '../../../src/service/stores/sql/index.ts'
import { storeContract } from '../../../src/testing/index.ts'
import { count, increment, remove } from './database-contract.ts'

const BROKE = 'the connection broke'

/** A database in this process that records what it is asked. */
function memoryDatabase() {
  const records = new Map<string, string>()
  const asked: string[] = []
  const written: unknown[] = []
  const database: Database = {
    name: 'The database',
    async read(key) {
      asked.push('read')
      return records.get(key) ?? ''
    },
    async compareAndSet(key, before, after, expiresAt) {
      asked.push('write')
      const present = records.get(key) ?? ''
      if (present !== before) return present
      written.push(expiresAt)
      records.set(key, after)
      return null
    },
    reasonOf: (error) => (error as Error).message || undefined,
    mayHaveWritten: (error) => (error as Error).message !== 'not sent',
  }
  return { database, asked, written }
}

/** Runs all timers. Returns the error or result of a promise, and the seconds until it settled. */
async function settled(promise: Promise<unknown>) {
  const begin = performance.now()
  const end = promise
    .catch((error: Error) => error)
    .then((result) => ({ result, seconds: (performance.now() - begin) / 1000 }))
  await vi.runAllTimersAsync()
  return end
}

describe('a store in any database', () => {
  for (const { name, run } of storeContract(() => compareAndSetStore(memoryDatabase().database, {})))
    test(name, run)

  test('writes at once what it has read or written, and reads only if that decides nothing', async () => {
    const { database, asked } = memoryDatabase()
    const store = compareAndSetStore(database, {})
    const other = compareAndSetStore(database, {})
    await store.update('key', () => ({ result: 0, value: 1 }), null)
    expect(asked.splice(0)).toEqual(['write'])
    const add = (one: Pick<typeof store, 'update'>) =>
      one.update('key', (value = 0) => ({ result: value, value: Number(value) + 1 }))
    expect([await add(store), await add(store)]).toEqual([1, 2])
    expect(asked.splice(0)).toEqual(['write', 'write'])
    expect([await add(other), await add(store)]).toEqual([3, 4])
    expect(asked.splice(0)).toEqual(['read', 'write', 'write', 'write'])
    expect(await other.update('key', (value) => ({ result: value }))).toBe(5)
    expect(await add(other)).toBe(5)
    expect(asked.splice(0)).toEqual(['read', 'write'])
    expect(await store.update('key', () => ({ result: 0, value: null }), null)).toBe(0)
    expect(asked.splice(0)).toEqual(['write', 'write'])
  })

  test('forgets what it has read and written before millions of other characters', async () => {
    const { database, asked } = memoryDatabase()
    const store = compareAndSetStore(database, {})
    await increment(store)
    for (const key of ['a', 'b']) await store.update(key, () => ({ result: 0, value: 'x'.repeat(2e6) }), null)
    await increment(store)
    expect(asked.splice(0)).toEqual(['read', 'write', 'write', 'write', 'write'])
    for (const key of 'cdef') await store.update(key, () => ({ result: 0, value: 'x'.repeat(2e6) }), null)
    asked.length = 0
    await increment(store)
    expect(asked).toEqual(['read', 'write'])
  })
})

describe('a store in a database', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.spyOn(Math, 'random').mockReturnValue(1)
    return () => {
      vi.useRealTimers()
      vi.restoreAllMocks()
    }
  })

  test('asks once for an update that changes nothing, and otherwise twice for a record that it has not seen', async () => {
    const { database, asked } = memoryDatabase()
    const store = compareAndSetStore(database, {})
    await increment(store)
    expect(asked).toEqual(['read', 'write'])
    expect(await count(store)).toBe(1)
    await store.update('nothing', () => ({ result: 0, value: null }))
    expect(asked.slice(2)).toEqual(['read', 'read'])
  })

  test('writes concurrent updates of one key one after another, without conflicts', async () => {
    const { database, asked } = memoryDatabase()
    const store = compareAndSetStore(database, {})
    expect(await Promise.all([1, 2, 3].map(() => increment(store)))).toEqual([0, 1, 2])
    expect(asked).toEqual(['read', 'read', 'read', 'write', 'write', 'write'])
  })

  test('changes the record that a conflict reports, a little later after each, without another read', async () => {
    const { database, asked } = memoryDatabase()
    const other = compareAndSetStore(database, {})
    let conflicts = 10
    const store = compareAndSetStore(
      {
        ...database,
        async compareAndSet(...change) {
          if (conflicts-- > 0) await increment(other)
          return database.compareAndSet(...change)
        },
      },
      {},
    )
    asked.length = 0
    const { result, seconds } = await settled(increment(store))
    expect(result).toBe(10)
    expect(asked.filter((command) => command === 'read')).toHaveLength(1 + 1)
    // 1, 2, and so on, then 8 milliseconds at most.
    expect(seconds).toBeCloseTo(0.052)
  })

  test('ends an update that others keep overtaking, after the timeout', async () => {
    let writes = 0
    const overtaken: Database = {
      ...memoryDatabase().database,
      compareAndSet: async () => JSON.stringify([Date.now() + 60_000, '', writes++]),
    }
    const { result, seconds } = await settled(increment(compareAndSetStore(overtaken, { timeout: 1 })))
    expect(String(result)).toContain('too many conflicts with other instances')
    expect(result).toBeInstanceOf(StoreUnavailableError)
    expect(seconds).toBeCloseTo(1, 1)
  })

  test.each<[string, { reason: string; isNew?: true; other?: 'increments' | 'deletes' }, string | number]>([
    ['is lost', { reason: 'lost' }, 1],
    ['is lost, before another instance changes the record', { reason: 'lost', other: 'increments' }, BROKE],
    ['is lost, before another instance deletes the record', { reason: 'lost', other: 'deletes' }, BROKE],
    ['is lost, before the new record is deleted', { reason: 'lost', isNew: true, other: 'deletes' }, BROKE],
    ['cannot come, since it was not sent', { reason: 'not sent', other: 'increments' }, 2],
  ])('does not apply a change twice whose response %s', async (_, { reason, isNew, other }, expected) => {
    const { database } = memoryDatabase()
    const another = compareAndSetStore(database, {})
    if (!isNew) await increment(another)
    let isBreaking = true
    const store = compareAndSetStore(
      {
        ...database,
        async compareAndSet(...change) {
          if (!isBreaking) return database.compareAndSet(...change)
          isBreaking = false
          if (reason === 'lost') await database.compareAndSet(...change)
          if (other === 'increments') await increment(another)
          if (other === 'deletes') await remove(another)
          throw new Error(reason)
        },
      },
      {},
    )
    const { result } = await settled(increment(store))
    if (typeof expected === 'string') expect(String(result)).toContain(expected)
    else expect([result, await count(store)]).toEqual([expected, expected + 1])
  })

  test('remembers a deletion for longer than an update can be repeated, and knows its own', async () => {
    const { database, written } = memoryDatabase()
    const clock = { now: () => 1000 }
    await increment(compareAndSetStore(database, { clock }))
    let isBreaking = true
    const store = compareAndSetStore(
      {
        ...database,
        async compareAndSet(...change) {
          const present = await database.compareAndSet(...change)
          if (!isBreaking) return present
          isBreaking = false
          throw new Error('lost')
        },
      },
      { timeout: 5, clock },
    )
    expect((await settled(remove(store))).result).toBe(true)
    expect(await count(store)).toBeUndefined()
    expect(written.at(-1)).toBe(66_000)
  })

  test('tries again with longer pauses until the timeout, and says why', async () => {
    const tries: number[] = []
    const reasons = ['one', '']
    const broken: Database = {
      ...memoryDatabase().database,
      async read() {
        tries.push(Math.round(performance.now() - begin))
        throw new Error(reasons.shift() ?? 'down')
      },
    }
    const begin = performance.now()
    const { result } = await settled(increment(compareAndSetStore(broken, { timeout: 1 })))
    expect(result).toEqual(new StoreUnavailableError('The database is not available: down'))
    expect(tries).toEqual([0, 20, 60, 140, 300, 500, 700, 900])
  })

  test.each([
    [[], 'no response'],
    [['down'], 'down'],
    [[''], 'no connection'],
  ])('is not available after %j and no response for two seconds', async (reasons, why) => {
    const silent: Database = {
      ...memoryDatabase().database,
      read() {
        const [reason] = reasons.splice(0, 1)
        return reason === undefined ? new Promise(() => undefined) : Promise.reject(new Error(reason))
      },
    }
    const { result, seconds } = await settled(increment(compareAndSetStore(silent, {})))
    expect(result).toEqual(new StoreUnavailableError(`The database is not available: ${why}`))
    expect(seconds).toBeCloseTo(2)
  })

  test.each([new BadOptionError('no such folder'), new StoreUnavailableError('elsewhere')])(
    'does not try again after %s',
    async (error) => {
      const read = vi.fn(() => Promise.reject(error))
      const store = compareAndSetStore({ ...memoryDatabase().database, read }, {})
      await expect(increment(store)).rejects.toBe(error)
      expect(read).toHaveBeenCalledTimes(1)
    },
  )

  test('shares one short-lived record among concurrent pings', async () => {
    const { database, asked, written } = memoryDatabase()
    const store = compareAndSetStore(database, { clock: { now: () => 1000 } })
    await Promise.all(Array.from({ length: 1000 }, () => store.ping()))
    await store.ping()
    expect(asked).toEqual(['read', 'write', 'write'])
    expect(written).toEqual([61_000, 61_000])
  })

  test('expires records by its own clock', async () => {
    const { database, written } = memoryDatabase()
    const clock = { time: 1000, now: () => clock.time }
    const store = compareAndSetStore(database, { clock })
    await store.update('key', () => ({ result: 0, value: 'kept', expiresAt: 60_999.5 }))
    clock.time = 60_999
    expect(await store.update('key', (value) => ({ result: value }))).toBe('kept')
    clock.time = 61_000
    expect(await store.update('key', (value) => ({ result: value, value: null }))).toBeUndefined()
    expect(written).toEqual([61_000])
  })
})

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2_147_484])('refuses a timeout of %s', (timeout) => {
  const message = 'timeout must be a number of seconds, more than 0 and at most 2147483'
  const opens = [
    () => compareAndSetStore(memoryDatabase().database, { timeout }),
    () => redisStore('redis://127.0.0.1', { timeout }),
    () => postgresStore('postgres://127.0.0.1', { timeout }),
  ]
  for (const open of opens) expect(open).toThrow(new BadOptionError(message))
})
