import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Json, memoryStore, type Store, StoreUnavailableError } from '../../src/service/index.ts'
import { storeContract } from '../../src/testing/index.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

describe('memoryStore as a store', () => {
  for (const { name, run } of storeContract(() => memoryStore())) test(name, run)
})

test('expires records by its own clock', async () => {
  const clock = { time: 1000, now: () => clock.time }
  const { update } = memoryStore({ clock })
  await update('key', () => ({ result: undefined, value: 'kept', expiresAt: 2000 }))
  clock.time = 1999
  expect(await update('key', (value) => ({ result: value }))).toBe('kept')
  clock.time = 2000
  expect(await update('key', (value) => ({ result: value }))).toBeUndefined()
})

test('does not return an expired record that it has not removed yet', async () => {
  const clock = { time: 0, now: () => clock.time }
  const store = memoryStore({ clock })
  for (let count = 0; count < 9; count += 1) await write(store, `key-${count}`, count)
  await write(store, 'key-9', 'kept', 1000)
  clock.time = 1000
  expect(await read(store, 'key-9')).toBeUndefined()
  expect(store.size).toBe(10)
  for (let count = 0; count < 9; count += 1) await read(store, 'key-0')
  expect(store.size).toBe(9)
})

test.each<[Json & object, number]>([
  [Array(1000).fill(7), 8000],
  [Array(1000).fill(0.5), 24_000],
  [Array(1000).fill(true), 8000],
  [Array(1000).fill([]), 40_000],
  [Array.from({ length: 1000 }, (_, index) => `${index + 1000}`), 32_000],
  [Array.from({ length: 1000 }, (_, index) => `${index + 1000}€`), 38_000],
])('counts the bytes of numbers, booleans, texts and lists', async (value, bytes) => {
  const store = memoryStore()
  await write(store, 'k'.repeat(1000), value)
  expect(store.bytes).toBeGreaterThan(bytes + 1000)
  expect(store.bytes).toBeLessThan(bytes + 1500)
})

test('removes expired records that are never read', async () => {
  const clock = { time: 0, now: () => clock.time }
  const store = memoryStore({ clock })
  const alive = 250
  for (let count = 0; count < 20 * alive; count += 1) {
    clock.time += 1
    await write(store, `key-${count}`, { count }, clock.time + alive)
  }
  expect(store.size).toBeLessThan(3 * alive)
  expect(await read(store, 'key-4999')).toEqual({ count: 4999 })
})

test('counts its bytes, down to zero when it is empty', async () => {
  const store = memoryStore()
  await write(store, 'key', 'x'.repeat(1000))
  await write(store, 'limit:key', 'x'.repeat(1000))
  const { bytes } = store
  expect(bytes).toBeGreaterThan(2000)
  expect(bytes).toBeLessThan(3000)
  await write(store, 'key', 'x'.repeat(2000))
  expect(store.bytes).toBe(bytes + 1000)
  for (const key of ['key', 'limit:key', 'unknown'])
    await store.update(key, () => ({ result: undefined, value: null }))
  expect([store.bytes, store.size]).toEqual([0, 0])
})

test('counts the memory of waiting grants, polled or not, to a tenth', async () => {
  const ratios: number[] = []
  // The median of three, since what an earlier test left may be freed during one of them.
  for (const store of [memoryStore(), memoryStore(), memoryStore()]) {
    const before = { heap: await heapUsed(), bytes: store.bytes }
    for (let count = 0; count < 5750; count += 1) {
      const key = `grant:${crypto.randomUUID().padEnd(64, '0')}`
      const times = { issuedAt: Date.now(), expiresAt: later(), lastPollAt: null }
      const open = { interval: 5, leeway: null, user: null, claim: null, delivery: null, ...times }
      const origin = { address: `192.0.2.${count}`, userAgent: 'A client of some name' }
      const grant = { state: 'requested', client: 'c'.repeat(64), scope: 'read:user', origin, ...open }
      await write(store, `user-code:${count}-WDJB`, key)
      await write(store, key, grant)
      if (count % 2) await write(store, key, { ...grant, state: 'pending', lastPollAt: Date.now() })
    }
    ratios.push((store.bytes - before.bytes) / ((await heapUsed()) - before.heap))
  }
  const median = ratios.sort((one, other) => one - other)[1]
  expect(median).toBeGreaterThan(0.9)
  expect(median).toBeLessThan(1.1)
})

/** What a record adds, by hand: 104 for its entry, 20 and a byte a character for its key, and its value. */
test.each<[Json & object, number]>([
  [[], 32],
  [[true], 48 + 8],
  [{}, 24],
  [{ count: 2 ** 31 - 1 }, 24 + 8],
  [{ count: 2 ** 31 }, 24 + 8 + 16],
  [{ count: -(2 ** 31) }, 24 + 8 + 16],
])('counts the bytes of %j exactly', async (value, bytes) => {
  const store = memoryStore()
  await write(store, 'key', value)
  expect(store.bytes).toBe(104 + 23 + bytes)
})

test.each([
  ['256 characters of the last thousand texts once', 256, 998, 0],
  ['256 characters again after a thousand other texts', 256, 999, 276],
  ['257 characters each time', 257, 0, 277],
])('counts %s', async (_, length, others, again) => {
  const store = memoryStore()
  const text = 'a'.repeat(length)
  // Each key is such a text, too.
  await write(store, '1', { text })
  for (let count = 0; count < others; count += 1) await write(store, `${count + 1000}`, true)
  const { bytes } = store
  await write(store, '2', { text })
  expect(store.bytes - bytes).toBe(104 + 21 + 24 + 8 + again)
})

test('keeps what it counts right, however often a text is replaced', async () => {
  const store = memoryStore()
  const texts = ['a', 'b'].map((text) => text.repeat(64))
  for (const text of texts) await write(store, text, { text, other: 1 })
  const { bytes } = store
  for (let count = 0; count < 100; count += 1)
    await write(store, 'a'.repeat(64), { text: texts[count % 2] ?? '', other: 1 })
  expect(store.bytes).toBe(bytes)
  expect(await read(store, 'a'.repeat(64))).toEqual({ text: texts[1], other: 1 })
})

test('drops a member that becomes undefined', async () => {
  const store = memoryStore()
  await write(store, 'key', { kept: 1, dropped: 2 })
  await write(store, 'key', { kept: 1, dropped: undefined })
  expect(await read(store, 'key')).toStrictEqual({ kept: 1 })
})

describe('without updates', () => {
  /** A store that was loaded after the timers were replaced. */
  async function onFakeTimers(begun: (timer: NodeJS.Timeout) => unknown = (timer) => timer) {
    vi.useFakeTimers()
    const fake = setTimeout
    vi.stubGlobal('setTimeout', (...timer: Parameters<typeof fake>) => begun(fake(...timer)))
    vi.resetModules()
    const loaded = await import('../../src/store/memory-store.ts')
    return loaded.memoryStore()
  }
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })

  test('frees expired records within a minute, and needs no timer once none is left that expires', async () => {
    const store = await onFakeTimers()
    await write(store, 'endless', 'kept', Number.MAX_VALUE)
    expect(vi.getTimerCount()).toBe(0)
    for (let count = 0; count < 5000; count += 1)
      await write(store, `grant:${count}`, count, Date.now() + 1000)
    await write(store, 'limit:1', 1, Date.now() + 1000)
    await write(store, 'grant:0', 1, Date.now() + 1000)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(999)
    expect(store.size).toBe(5002)
    await vi.advanceTimersByTimeAsync(60_001)
    expect([store.size, vi.getTimerCount()]).toEqual([1, 0])
  })

  test('keeps no process alive', async () => {
    const begun: NodeJS.Timeout[] = []
    const store = await onFakeTimers((timer) => begun[begun.push(timer) - 1])
    await write(store, 'key', 1)
    expect(begun.map((timer) => timer.hasRef())).toEqual([false])
  })

  test('has no timer in a runtime where it would keep a process alive', async () => {
    const store = await onFakeTimers(Number)
    await write(store, 'key', 1)
    await write(store, 'key', 2)
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('uses about as much memory as it reports, and grants retain nothing else of their requests', async () => {
  const store = memoryStore()
  const service = startService({
    store,
    clock: Date,
    clientAddress: ({ header }) => header('x-from')?.split(',')[1],
  })
  const ask = async (from: number, to: number) => {
    for (let count = from; count < to; count += 1) {
      const long = `${count}`.padEnd(15_000, 'x')
      const headers = { 'user-agent': long, 'x-from': `${long},2001:db8:${count}::1,` }
      const fields = { client_id: CLIENT_ID, scope: 'read:everything,gist', padding: long }
      await service.post('/login/device/code', fields, headers)
    }
  }
  await ask(0, 100)
  const before = { heap: await heapUsed(), bytes: store.bytes }
  await ask(100, 700)
  expect((await heapUsed()) - before.heap).toBeLessThan(3 * (store.bytes - before.bytes))
})

test.each<[string, (count: number) => string]>([
  ['removed records', (count) => `key-${count}`],
  ['counts that are replaced', (count) => `limit:${count % 1000}`],
])('uses no memory for %s', async (_, keyOf) => {
  const clock = { time: 0, now: () => clock.time }
  const store = memoryStore({ clock, maxBytes: 3_000_000 })
  for (let count = 0; count < 5000; count += 1) await write(store, `limit:${4999 - count}`, count)
  expect(store.size).toBeLessThan(5000)
  const churn = async (times: number) => {
    for (let count = 0; count < times; count += 1) {
      clock.time += 1
      await write(store, keyOf(clock.time), 'x', clock.time + 3000)
    }
  }
  await churn(10_000)
  const before = await heapUsed()
  await churn(20_000)
  expect((await heapUsed()) - before).toBeLessThan(500_000)
})

describe('when it is full', () => {
  const full = async () => {
    const store = memoryStore({ maxBytes: 16_000 })
    const refused: number[] = []
    for (let count = 0; count < 100; count += 1)
      await write(store, `grant:${count}`, count).catch((error: unknown) => {
        expect(error).toBeInstanceOf(StoreUnavailableError)
        refused.push(count)
      })
    return { store, refused }
  }

  test('refuses a new grant and keeps every record', async () => {
    const { store, refused } = await full()
    expect(refused[0]).toBe(store.size)
    for (let count = 0; count < store.size; count += 1)
      expect(await read(store, `grant:${count}`)).toBe(count)
  })

  test('grants that grow with the token of their login do not exceed its size', async () => {
    const { store } = await full()
    const grow = async () => {
      for (let count = 0; count < 10; count += 1) await write(store, `grant:${count}`, 'x'.repeat(1000))
    }
    await expect(grow()).rejects.toThrow(StoreUnavailableError)
    expect(store.bytes).toBeLessThanOrEqual(12_800)
  })

  test.each(['grant:', 'user-code:'])('a record %s may grow by what is left', async (prefix) => {
    const store = memoryStore({ maxBytes: 10_000 })
    await write(store, `${prefix}1`, 'x'.repeat(5000))
    await write(store, `${prefix}1`, 'x'.repeat(7000))
    await expect(write(store, `${prefix}1`, 'x'.repeat(8000))).rejects.toThrow(StoreUnavailableError)
    await expect(write(store, `${prefix}2`, 1)).rejects.toThrow(StoreUnavailableError)
  })

  test('a single count is kept, even if it takes more than its share', async () => {
    const store = memoryStore({ maxBytes: 100 })
    await write(store, 'limit:1', 1)
    await write(store, 'limit:2', 2)
    expect([await read(store, 'limit:1'), await read(store, 'limit:2')]).toEqual([undefined, 2])
  })

  test('a login can still end', async () => {
    const { store } = await full()
    await write(store, 'token:1', 'x')
    await write(store, 'token:1', 'x'.repeat(10_000))
    expect(await read(store, 'token:1')).toBe('x'.repeat(10_000))
  })

  test('some tokens still fit', async () => {
    const { store } = await full()
    for (let count = 0; count < 5; count += 1) await write(store, `token:${count}`, count)
    expect(store.bytes).toBeLessThanOrEqual(12_800)
    await expect(write(store, 'token:large', 'x'.repeat(1000))).rejects.toThrow(StoreUnavailableError)
  })

  test('counts still fit, and a new one replaces the least recently changed one', async () => {
    const { store } = await full()
    const { size } = store
    for (let count = 0; count < 100; count += 1) {
      await write(store, `limit:${count}`, count)
      await write(store, 'limit:busy', count)
    }
    expect(store.bytes).toBeLessThanOrEqual(16_000)
    const known = await Promise.all(Array.from({ length: 100 }, (_, count) => read(store, `limit:${count}`)))
    const held = store.size - size - 1
    expect(held).toBeGreaterThan(10)
    expect(known).toEqual(Array.from({ length: 100 }, (_, count) => (count < 100 - held ? undefined : count)))
    expect(await read(store, 'limit:busy')).toBe(99)
    expect(await read(store, 'grant:0')).toBe(0)
  })
})

const later = () => Date.now() + 60_000
const read = (store: Store, key: string) => store.update(key, (value) => ({ result: value }))
const write = (store: Store, key: string, value: NonNullable<Json>, expiresAt = later()) =>
  store.update(key, () => ({ result: undefined, value, expiresAt }))

async function heapUsed(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // The target of a weak reference that was read in this turn is kept alive until the next one.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  return process.memoryUsage().heapUsed
}

test('keeps each value whole that replaces another one', async () => {
  const values = [[1], [2], { 0: 3 }, { a: 1, b: 2 }, { a: 1 }, { b: 'text' }, { a: [], b: 2 }, 'text', 5]
  const store = memoryStore()
  for (const before of values)
    for (const value of values) {
      await store.update('key', () => ({ result: 0, value: before }))
      await store.update('key', () => ({ result: 0, value }))
      expect(await store.update('key', (kept) => ({ result: kept }))).toStrictEqual(value)
    }
})
