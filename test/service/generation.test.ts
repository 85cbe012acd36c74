import { describe, expect, test } from 'vitest'
import type { Change, Json, Store } from '../../src/service/index.ts'
import { type Said, startService } from '../support/start-service.ts'

/** A store that can be set back to an earlier copy, as by a failover or a restored backup. */
function copiedStore() {
  let records = new Map<string, Json>()
  const store: Store = {
    async update<Result>(key: string, change: (value: Json | undefined) => Change<Result>): Promise<Result> {
      const made = change(records.get(key))
      if (made.value === null) records.delete(key)
      else if (made.value !== undefined) records.set(key, made.value)
      return made.result
    },
  }
  return {
    store,
    copy: () => {
      const earlier = new Map(records)
      return () => {
        records = new Map(earlier)
      }
    },
  }
}

/** Two instances over a store that can be set back. */
function instances() {
  const { store, copy } = copiedStore()
  const clock = { time: 1_000_000, now: () => clock.time }
  return { one: startService({ store, clock }), two: startService({ store, clock }), copy, clock }
}

const SET_BACK = [expect.stringContaining('the store was set back to an earlier copy')]

const errorOf = async (poll: Promise<Said>) => (await poll).body.error
const delivered = async (poll: Promise<Said>) => expect((await poll).body).toHaveProperty('access_token')

describe('a store that was set back to before a token was delivered', () => {
  test('gives no second token for the grant', async () => {
    const { one, copy } = instances()
    const { poll } = await one.approved()
    const setBack = copy()
    await delivered(poll())
    setBack()
    expect(await errorOf(poll())).toBe('expired_token')
    expect(await errorOf(poll())).toBe('expired_token')
    expect(one.warnings).toEqual(SET_BACK)
    // Set back again, the store loses the notice of the first time.
    setBack()
    expect(await errorOf(poll())).toBe('expired_token')
    expect(one.warnings).toEqual([...SET_BACK, ...SET_BACK])
  })

  test('is noticed once, by one of two instances, and refused by both', async () => {
    const { one, two, copy } = instances()
    const [first, second] = [await one.approved(), await one.approved()]
    const setBack = copy()
    await delivered(first.poll())
    await delivered(second.poll())
    setBack()
    expect(await errorOf(first.poll())).toBe('expired_token')
    expect(await errorOf(two.poll(second.deviceCode))).toBe('expired_token')
    expect([one.warnings, two.warnings]).toEqual([SET_BACK, []])
  })

  test('is noticed after the other instance, which has not seen the loss, has delivered tokens', async () => {
    const { one, two, copy } = instances()
    const [first, second, third] = [await one.approved(), await one.approved(), await one.approved()]
    const setBack = copy()
    await delivered(first.poll())
    setBack()
    await delivered(two.poll(first.deviceCode))
    await delivered(two.poll(second.deviceCode))
    expect(await errorOf(third.poll())).toBe('expired_token')
    expect(await errorOf(two.poll(third.deviceCode))).toBe('expired_token')
    expect([one.warnings, two.warnings]).toEqual([SET_BACK, []])
  })

  test('is noticed once, although both instances have seen the lost tokens, and logs in whoever begins afterwards', async () => {
    const { one, two, copy, clock } = instances()
    const [first, second] = [await one.approved(), await one.approved()]
    const setBack = copy()
    await delivered(first.poll())
    await delivered(two.poll(second.deviceCode))
    setBack()
    clock.time += 1000
    expect(await errorOf(first.poll())).toBe('expired_token')
    const later = await one.approved()
    expect(await errorOf(two.poll(second.deviceCode))).toBe('expired_token')
    clock.time += 1
    const last = await one.approved()
    expect(await errorOf(later.poll())).toBe('expired_token')
    await delivered(two.poll(last.deviceCode))
    expect([one.warnings, two.warnings]).toEqual([SET_BACK, []])
  })
})

test('a store that is whole delivers tokens without a warning', async () => {
  const { one, two } = instances()
  for (const service of [one, one, one, two, one, two]) {
    const grants = await Promise.all(Array.from({ length: 30 }, () => service.approved()))
    await Promise.all(grants.map(({ poll }) => delivered(poll())))
  }
  expect([one.warnings, two.warnings]).toEqual([[], []])
})
