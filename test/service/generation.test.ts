import { describe, expect, test, vi } from 'vitest'
import type { Change, Json, Store } from '../../src/service/index.ts'
import { startService } from '../support/start-service.ts'

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

function start(store: Store) {
  const onWarning = vi.fn<(message: string) => void>()
  const clock = { time: 1_000_000, now: () => clock.time }
  return { ...startService({ store, clock, onWarning }), onWarning, clock }
}

const SET_BACK = 'the store was set back to an earlier copy'

async function approved(service: ReturnType<typeof start>) {
  const grant = await service.begin()
  await service.approve(grant.userCode, 'octocat')
  return grant
}

describe('a store that was set back to before a token was delivered', () => {
  test('gives no second token for the grant', async () => {
    const { store, copy } = copiedStore()
    const service = start(store)
    const { poll } = await approved(service)
    const setBack = copy()
    expect((await poll()).body).toHaveProperty('access_token')
    setBack()
    expect((await poll()).body.error).toBe('expired_token')
    expect((await poll()).body.error).toBe('expired_token')
    expect(service.onWarning.mock.calls).toEqual([[expect.stringContaining(SET_BACK)]])
  })

  test('gives none after it was set back again, which loses the notice of the first time', async () => {
    const { store, copy } = copiedStore()
    const service = start(store)
    const { poll } = await approved(service)
    const setBack = copy()
    expect((await poll()).body).toHaveProperty('access_token')
    for (const time of [1, 2]) {
      setBack()
      expect((await poll()).body.error).toBe('expired_token')
      expect(service.onWarning).toHaveBeenCalledTimes(time)
    }
  })

  test('is noticed once, by one of two instances, and refused by both', async () => {
    const { store, copy } = copiedStore()
    const [one, two] = [start(store), start(store)]
    const grants = [await approved(one), await approved(one)] as const
    const setBack = copy()
    for (const { poll } of grants) expect((await poll()).body).toHaveProperty('access_token')
    setBack()
    expect((await grants[0].poll()).body.error).toBe('expired_token')
    expect((await two.poll(grants[1].deviceCode)).body.error).toBe('expired_token')
    expect(one.onWarning).toHaveBeenCalledTimes(1)
    expect(two.onWarning).not.toHaveBeenCalled()
  })

  test('is noticed after the other instance, which has not seen the loss, has delivered tokens', async () => {
    const { store, copy } = copiedStore()
    const [one, two] = [start(store), start(store)]
    const grants = [await approved(one), await approved(one), await approved(one)] as const
    const setBack = copy()
    expect((await grants[0].poll()).body).toHaveProperty('access_token')
    setBack()
    for (const { deviceCode } of [grants[0], grants[1]])
      expect((await two.poll(deviceCode)).body).toHaveProperty('access_token')
    expect((await grants[2].poll()).body.error).toBe('expired_token')
    expect((await two.poll(grants[2].deviceCode)).body.error).toBe('expired_token')
    expect(one.onWarning.mock.calls).toEqual([[expect.stringContaining(SET_BACK)]])
    expect(two.onWarning).not.toHaveBeenCalled()
  })

  test('is noticed once, although both instances have seen the lost tokens', async () => {
    const { store, copy } = copiedStore()
    const [one, two] = [start(store), start(store)]
    const grants = [await approved(one), await approved(one)] as const
    const setBack = copy()
    expect((await one.poll(grants[0].deviceCode)).body).toHaveProperty('access_token')
    expect((await two.poll(grants[1].deviceCode)).body).toHaveProperty('access_token')
    setBack()
    one.clock.time += 1000
    two.clock.time += 1000
    expect((await one.poll(grants[0].deviceCode)).body.error).toBe('expired_token')
    const later = await approved(one)
    expect((await two.poll(grants[1].deviceCode)).body.error).toBe('expired_token')
    one.clock.time += 1000
    two.clock.time += 1000
    const last = await approved(one)
    expect((await later.poll()).body.error).toBe('expired_token')
    expect((await two.poll(last.deviceCode)).body).toHaveProperty('access_token')
    expect(one.onWarning).toHaveBeenCalledTimes(1)
    expect(two.onWarning).not.toHaveBeenCalled()
  })

  test('logs in whoever begins afterwards', async () => {
    const { store, copy } = copiedStore()
    const service = start(store)
    const first = await approved(service)
    const setBack = copy()
    await first.poll()
    setBack()
    await first.poll()
    service.clock.time += 1
    const { poll } = await approved(service)
    expect((await poll()).body).toHaveProperty('access_token')
    expect(service.onWarning).toHaveBeenCalledTimes(1)
  })
})

test('a store that is whole delivers tokens without a warning', async () => {
  const { store } = copiedStore()
  const [one, two] = [start(store), start(store)]
  for (const service of [one, one, one, two, one, two]) {
    const grants = await Promise.all(Array.from({ length: 30 }, () => approved(service)))
    const responses = await Promise.all(grants.map(({ poll }) => poll()))
    for (const { body } of responses) expect(body).toHaveProperty('access_token')
  }
  expect(one.onWarning).not.toHaveBeenCalled()
  expect(two.onWarning).not.toHaveBeenCalled()
})
