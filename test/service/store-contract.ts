import { describe, expect, test, vi } from 'vitest'
import type { Json, Store } from '../../src/service/index.ts'
import { startService } from '../support/start-service.ts'

const later = () => Date.now() + 60_000

/** The contract of every store. Call it in the test of your own store. */
export function storeContract(name: string, createStore: () => Store | Promise<Store>): void {
  const read = (store: Store, key: string) => store.update(key, (value) => ({ result: value }))
  const write = (store: Store, key: string, value: NonNullable<Json>, expiresAt = later()) =>
    store.update(key, () => ({ result: undefined, value, expiresAt }))

  describe(`${name} as a store`, () => {
    test('has no record for a new key', async () => {
      expect(await read(await createStore(), 'key')).toBeUndefined()
    })

    test.each<NonNullable<Json>>(['text', 0, false, [1, 'a', null], { a: { b: [] } }, ''])(
      'returns %j as it was written',
      async (value) => {
        const store = await createStore()
        await write(store, 'key', value)
        expect(await read(store, 'key')).toEqual(value)
      },
    )

    test('returns a large value in any script', async () => {
      const store = await createStore()
      const value = {
        text: '\u{1f600} \u0000 "\\ \u2028 ж'.repeat(10_000),
        list: Array.from({ length: 5000 }, String),
      }
      await write(store, 'key', value)
      expect(await read(store, 'key')).toEqual(value)
    })

    test.each(['user-code:BCDF-GHJK', '{braces}', 'a b\nc', '*', 'ключ'])(
      'accepts %j as a key',
      async (key) => {
        const store = await createStore()
        await write(store, key, 'kept')
        expect(await read(store, key)).toBe('kept')
        expect(await read(store, `${key} `)).toBeUndefined()
      },
    )

    test('returns the result of the change', async () => {
      const store = await createStore()
      expect(await store.update('key', () => ({ result: 'made', value: 1, expiresAt: later() }))).toBe('made')
      expect(await store.update('key', () => ({ result: 'left' }))).toBe('left')
      expect(await store.update('key', () => ({ result: 'gone', value: null }))).toBe('gone')
    })

    test('leaves a record unchanged if the change does not return one', async () => {
      const store = await createStore()
      await write(store, 'key', 'kept')
      await store.update('key', () => ({ result: undefined }))
      expect(await read(store, 'key')).toBe('kept')
    })

    test('deletes a record with null', async () => {
      const store = await createStore()
      await write(store, 'key', 'gone')
      await store.update('key', () => ({ result: undefined, value: null }))
      expect(await read(store, 'key')).toBeUndefined()
    })

    test('keeps keys apart', async () => {
      const store = await createStore()
      await write(store, 'one', 1)
      await write(store, 'two', 2)
      expect([await read(store, 'one'), await read(store, 'two')]).toEqual([1, 2])
    })

    test('does not return an expired record', async () => {
      const store = await createStore()
      await write(store, 'key', 'old', Date.now() - 1)
      expect(await read(store, 'key')).toBeUndefined()
    })

    test('returns a record until the lifetime of its last write has passed', async () => {
      const store = await createStore()
      await write(store, 'longer', 'old', Date.now() + 300)
      await write(store, 'longer', 'kept')
      await write(store, 'shorter', 'old')
      await write(store, 'shorter', 'gone', Date.now() + 300)
      expect(await read(store, 'shorter')).toBe('gone')
      await vi.waitFor(async () => expect(await read(store, 'shorter')).toBeUndefined(), {
        interval: 5,
        timeout: 5000,
      })
      expect(await read(store, 'longer')).toBe('kept')
    })

    test('can write an expired record again', async () => {
      const store = await createStore()
      await write(store, 'key', 'old', Date.now() - 1)
      const seen = await store.update('key', (value) => ({ result: value, value: 'new', expiresAt: later() }))
      expect(seen).toBeUndefined()
      expect(await read(store, 'key')).toBe('new')
    })

    test('keeps the record and rejects if the change throws', async () => {
      const store = await createStore()
      await write(store, 'key', 'kept')
      const failing = store.update('key', () => {
        throw new RangeError('of the change')
      })
      await expect(failing).rejects.toThrow('of the change')
      expect(await read(store, 'key')).toBe('kept')
    })

    test('loses none of 200 concurrent changes', async () => {
      const store = await createStore()
      const increment = () =>
        store.update('count', (value = 0) => ({
          result: value,
          value: (value as number) + 1,
          expiresAt: later(),
        }))
      const seen = await Promise.all(Array.from({ length: 200 }, increment))
      expect(new Set(seen).size).toBe(200)
      expect(await read(store, 'count')).toBe(200)
    })

    test.each(Array.from({ length: 5 }, (_, round) => round))(
      'accepts one decision and one token of 200 concurrent ones (%i)',
      async (round) => {
        const store = await createStore()
        const earlyPolls = { max: Number.POSITIVE_INFINITY, window: 1 }
        const service = startService({ store, leeway: 0, clock: Date, limits: { earlyPolls } })
        const { userCode, poll } = await service.begin()
        const decisions = Array.from({ length: 60 }, (_, index) =>
          (index + round) % 2 === 0 ? service.approve(userCode, `user-${index}`) : service.deny(userCode),
        )
        const early = Array.from({ length: 70 }, poll)
        const outcomes = await Promise.all(decisions)
        const received = await Promise.all([...early, ...Array.from({ length: 70 }, poll)])
        received.push(await poll())

        expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
        expect(outcomes.filter((outcome) => outcome === 'decided')).toHaveLength(59)
        const approved = (outcomes.indexOf('done') + round) % 2 === 0
        const tokens = received.filter(({ body }) => body.access_token !== undefined)
        expect(tokens).toHaveLength(approved ? 1 : 0)
        const denials = received.filter(({ body }) => body.error === 'access_denied')
        expect(denials.length > 0).toBe(!approved)
        for (const { body } of tokens) {
          const { login } = (await service.whoIs(body.access_token)).body
          expect(login).toBe(`user-${outcomes.indexOf('done')}`)
        }
      },
    )
  })
}
