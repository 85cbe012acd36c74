import type { Change, Json, Store } from '../store/store.ts'
import { type SharedStore, survivesSignals } from './store-processes.ts'

/** One test of the contract of a store. */
export interface StoreTest {
  /** A sentence about the store: `loses none of 200 concurrent updates`. */
  readonly name: string
  /**
   * Opens a store, and runs the test.
   *
   * @throws `Error` that says what the store did.
   */
  run(): Promise<void>
}

/** Options of `storeContract`. */
export interface StoreContractOptions {
  /**
   * For a store that several processes share: opens an empty one, and says how to start a process that shares it.
   *
   * @example
   * ```ts
   * import { spawn } from 'node:child_process'
   * import { fileStore } from 'authgraph/session/node'
   * import { storeContract } from 'authgraph/testing'
   *
   * const shared = () => ({
   *   store: fileStore('/tmp/logins'),
   *   // It calls `countInStore(fileStore('/tmp/logins'), print)`.
   *   start: () =>
   *     spawn(process.execPath, ['count.js'], {
   *       stdio: ['ignore', 'pipe', 'inherit'],
   *     }),
   * })
   * const tests = storeContract(() => fileStore('/tmp/more-logins'), { shared })
   * ```
   */
  readonly shared?: () => SharedStore | Promise<SharedStore>
}

type Stores = readonly [Store, ...Store[]]
type Opened = Store | Stores

/** Milliseconds of a short lifetime, and the longest wait for a record to expire. */
const SHORT = 300
const PATIENCE = 30_000

/** Concurrent updates. */
const MANY = 200

const VALUES: readonly NonNullable<Json>[] = ['text', '', 0, false, [1, 'a', null], { a: { b: [] } }]

const KEYS = ['user-code:BCDF-GHJK', '{braces}', 'a b\nc', '*', '../..', 'ключ']

const later = () => Date.now() + 60_000

/**
 * Returns the tests that every store must pass, whether it keeps grants for a service or logins for sessions.
 *
 * @example
 * ```ts
 * import { memoryStore } from 'authgraph/service'
 * import { storeContract } from 'authgraph/testing'
 * import { test } from 'vitest'
 *
 * for (const { name, run } of storeContract(() => memoryStore()))
 *   test(name, run)
 * ```
 *
 * @param open Opens a store without records, or several that share them, as the instances of a service do: concurrent
 * updates then go through all of them. Called by each test.
 */
export function storeContract(
  open: () => Opened | Promise<Opened>,
  { shared }: StoreContractOptions = {},
): StoreTest[] {
  const tests = Object.entries(CONTRACT).map(([name, check]) => ({
    name,
    run: async () => {
      const opened = await open()
      return check(...('update' in opened ? ([opened] as const) : opened))
    },
  }))
  if (shared === undefined) return tests
  const name = 'loses no update of processes that are killed, or stopped and continued'
  return [...tests, { name, run: async () => survivesSignals(await shared()) }]
}

const CONTRACT: Readonly<Record<string, (...stores: Stores) => Promise<void>>> = {
  'has no record for a new key': async (store) => assertSame(await read(store, 'key'), undefined),

  'returns each kind of value as it was written': async (store) => {
    for (const value of VALUES) {
      await write(store, 'key', value)
      assertSame(await read(store, 'key'), value)
    }
  },

  'returns a large value in any script': async (store) => {
    const text = '\u{1f600} \u0000 "\\ \u2028 ж'.repeat(10_000)
    const value = { text, list: Array.from({ length: 5000 }, String) }
    await write(store, 'key', value)
    assertSame(await read(store, 'key'), value)
  },

  'accepts any text as a key': async (store) => {
    for (const key of KEYS) {
      await write(store, key, key)
      assertSame(await read(store, `${key} `), undefined)
    }
    for (const key of KEYS) assertSame(await read(store, key), key)
  },

  'returns the result of the change': async (store) => {
    assertSame(await store.update('key', () => ({ result: 'made', value: 1, expiresAt: later() })), 'made')
    assertSame(await store.update('key', () => ({ result: 'left' })), 'left')
    assertSame(await store.update('key', () => ({ result: 'gone', value: null })), 'gone')
  },

  'leaves a record unchanged if the change returns none': async (store) => {
    await write(store, 'key', 'kept')
    await store.update('key', () => ({ result: undefined }))
    assertSame(await read(store, 'key'), 'kept')
  },

  'keeps a record until a fraction of a millisecond, and until the end of time': async (store) => {
    for (const expiresAt of [later() + 1 / 3, Number.MAX_VALUE]) {
      await store.update('key', () => ({ result: undefined, value: expiresAt, expiresAt }))
      assertSame(await read(store, 'key'), expiresAt)
    }
  },

  'deletes a record with null': async (store) => {
    await write(store, 'key', 'gone')
    await store.update('key', () => ({ result: undefined, value: null }))
    assertSame(await read(store, 'key'), undefined)
  },

  'changes the record that it has, although none was expected': async (store) => {
    const expectingNone = (value?: NonNullable<Json> | null) =>
      store.update(
        'key',
        (found) => (value === undefined ? { result: found } : { result: found, value }),
        null,
      )
    assertSame([await expectingNone(1), await expectingNone(), await expectingNone(2)], [undefined, 1, 1])
    assertSame([await expectingNone(null), await read(store, 'key')], [2, undefined])
  },

  'keeps keys apart': async (store) => {
    await write(store, 'one', 1)
    await write(store, 'two', 2)
    assertSame([await read(store, 'one'), await read(store, 'two')], [1, 2])
  },

  'does not return an expired record, and writes it again': async (store) => {
    await write(store, 'key', 'old', Date.now() - 1)
    const seen = await store.update('key', (value) => ({ result: value, value: 'new', expiresAt: later() }))
    assertSame([seen, await read(store, 'key')], [undefined, 'new'])
  },

  'returns a record until the lifetime of its last write has passed': async (store) => {
    await write(store, 'longer', 'old', Date.now() + SHORT)
    await write(store, 'longer', 'kept')
    await write(store, 'endless', 'old', Date.now() + SHORT)
    await store.update('endless', () => ({ result: undefined, value: 'kept' }))
    await write(store, 'shorter', 'old')
    const until = Date.now() + SHORT
    await write(store, 'shorter', 'gone', until)
    const found = await read(store, 'shorter')
    // On a busy machine, the response may arrive after the end of the lifetime.
    if (Date.now() < until) assertSame(found, 'gone')
    const deadline = Date.now() + PATIENCE
    while ((await read(store, 'shorter')) !== undefined && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 5))
    assertSame(await read(store, 'shorter'), undefined)
    assertSame([await read(store, 'longer'), await read(store, 'endless')], ['kept', 'kept'])
  },

  'keeps the record and rejects with the error if the change throws': async (store) => {
    await write(store, 'key', 'kept')
    const error = new RangeError('of the change')
    const failed = store.update('key', () => {
      throw error
    })
    assertSame(await failed.catch((thrown) => thrown === error), true)
    assertSame(await read(store, 'key'), 'kept')
  },

  'loses none of 200 concurrent updates': async (...stores) => {
    const seen = await atOnce(stores, (store) => store.update('count', countUp))
    assertSame(new Set(seen).size, MANY)
    assertSame(await read(stores[0], 'count'), MANY)
  },

  'writes once if 200 concurrent updates write only a first value': async (...stores) => {
    const seen = await atOnce(stores, (store, index) =>
      store.update<boolean>('first', (value) =>
        value === undefined ? { result: true, value: index, expiresAt: later() } : { result: false },
      ),
    )
    assertSame(seen.filter(Boolean).length, 1)
    assertSame(await read(stores[0], 'first'), seen.indexOf(true))
  },

  'rejects the updates whose change throws when it is called again': async (...stores) => {
    const update = (store: Store) =>
      store.update('count', (value = 0) => {
        if (Number(value) === 10) throw new RangeError('enough')
        return countUp(value)
      })
    const outcomes = await atOnce(stores, (store) => update(store).then(String, () => 'rejected'))
    assertSame(outcomes.filter((outcome) => outcome === 'rejected').length, MANY - 10)
    assertSame(await read(stores[0], 'count'), 10)
  },
}

function read(store: Store, key: string): Promise<Json | undefined> {
  return store.update(key, (value) => ({ result: value }))
}

function write(store: Store, key: string, value: NonNullable<Json>, expiresAt = later()): Promise<void> {
  return store.update(key, () => ({ result: undefined, value, expiresAt }))
}

function countUp(value: Json = 0): Change<Json> {
  return { result: value, value: Number(value) + 1, expiresAt: later() }
}

/** Runs many updates at once, in turn through each of the stores. */
function atOnce<Result>(
  stores: Stores,
  run: (store: Store, index: number) => Promise<Result>,
): Promise<Result[]> {
  const updates = Array.from({ length: MANY }, (_, index) =>
    run(stores[index % stores.length] ?? stores[0], index),
  )
  return Promise.all(updates)
}

/** Throws where two values differ. The order of members does not count: databases may sort them. */
function assertSame(actual: unknown, expected: unknown): void {
  if (withSortedMembers(actual) === withSortedMembers(expected)) return
  throw new Error(`expected ${describeValue(expected)}, got ${describeValue(actual)}`)
}

function withSortedMembers(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

function describeValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'no record'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
