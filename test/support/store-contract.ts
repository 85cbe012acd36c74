import { describe, expect, test } from 'vitest'
import { createService, type Store } from '../../src/service/index.ts'

/** What every store must do. `make` gives an empty one whose time is the clock's. */
export function storeContract(name: string, make: (clock: { now(): number }) => Store): void {
  const clock = { at: 1_000, now: () => clock.at }

  describe(`${name} as a store`, () => {
    test('has nothing under a new key, and keeps what is put there', async () => {
      const store = make(clock)
      expect(
        await store.update('key', (value) => ({ result: value, value: { a: [1, null] }, expiresAt: 1e15 })),
      ).toBeUndefined()
      expect(await store.update('key', (value) => ({ result: value }))).toEqual({ a: [1, null] })
      expect(await store.update('other', (value) => ({ result: value }))).toBeUndefined()
    })

    test('leaves a record as it is, or deletes it, as it is told', async () => {
      const store = make(clock)
      await store.update('key', () => ({ result: 0, value: 'kept' }))
      await store.update('key', () => ({ result: 0 }))
      expect(await store.update('key', (value) => ({ result: value, value: null }))).toBe('kept')
      expect(await store.update('key', (value) => ({ result: value }))).toBeUndefined()
    })

    test('forgets a record when it expires', async () => {
      const store = make(clock)
      await store.update('key', () => ({ result: 0, value: 1, expiresAt: clock.at + 10 }))
      clock.at += 9
      expect(await store.update('key', (value) => ({ result: value }))).toBe(1)
      clock.at += 1
      expect(await store.update('key', (value) => ({ result: value }))).toBeUndefined()
    })

    test('passes on what a change throws, and changes nothing', async () => {
      const store = make(clock)
      const broken = store.update('key', () => {
        throw new Error('broken')
      })
      await expect(broken).rejects.toThrow('broken')
      expect(await store.update('key', (value) => ({ result: value }))).toBeUndefined()
    })

    test('counts rightly under many hands', async () => {
      const store = make(clock)
      const add = () =>
        store.update('count', (value) => ({
          result: 0,
          value: Number(value ?? 0) + 1,
          expiresAt: clock.at + 1e6,
        }))
      await Promise.all(Array.from({ length: 200 }, add))
      expect(await store.update('count', (value) => ({ result: value }))).toBe(200)
    })

    test('lets 200 polls, approvals and denials at once make one decision and one token', async () => {
      const service = createService({ clients: [{ clientId: 'id', name: 'App' }], store: make(clock), clock })
      const post = async (path: string, fields: Record<string, string>) => {
        const body = new URLSearchParams(fields)
        return (await service.fetch(`http://localhost${path}`, { method: 'POST', body })).json()
      }
      const { device_code, user_code } = await post('/login/device/code', { client_id: 'id' })
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
      const poll = () => post('/login/oauth/access_token', { client_id: 'id', device_code, grant_type })
      const everything = Array.from({ length: 200 }, (_, index) => [
        poll(),
        index % 2 ? service.approve(user_code, 'a') : service.deny(user_code),
      ]).flat()
      const outcomes = [...(await Promise.all(everything)), await poll(), await poll()]
      expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
      const tokens = outcomes.filter((outcome) => outcome.access_token).length
      const denials = outcomes.filter((outcome) => outcome.error === 'access_denied').length
      expect([tokens, denials > 0]).toEqual(denials > 0 ? [0, true] : [1, false])
    })
  })
}
