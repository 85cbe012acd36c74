import { describe, expect, test } from 'vitest'
import {
  memoryStore,
  type ServiceOptions,
  type Store,
  StoreUnavailableError,
} from '../../src/service/index.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

/** A service whose requests have a client address, and whose other limits are not reached. */
function start(limits: ServiceOptions['limits'] = {}, options: Partial<ServiceOptions> = {}) {
  const codesRequests = { max: Number.POSITIVE_INFINITY, window: 60 }
  const service = startService({
    clientAddress: ({ header }) => header('x-from'),
    limits: { codesRequests, ...limits },
    ...options,
  })
  const ask = (address: string) =>
    service.post('/login/device/code', { client_id: CLIENT_ID }, { 'x-from': address })
  return {
    ...service,
    ask,
    /** Sends this many requests. Returns how many got codes, and the last refusal. */
    fill: async (times: number, addressOf: (index: number) => string) => {
      let issued = 0
      let retryAfter: string | null = null
      for (let index = 0; index < times; index += 1) {
        const response = await ask(addressOf(index))
        if (response.status === 200) issued += 1
        else retryAfter = response.headers.get('retry-after')
      }
      return { issued, retryAfter }
    },
  }
}

describe('waiting grants', () => {
  test('are limited in total, whatever their addresses', async () => {
    const service = start({ waitingGrants: 5 })
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) => service.ask(`192.0.2.${index}`)),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
  })

  test('of one network are limited and leave room for other networks', async () => {
    const service = start({ waitingGrants: 10, waitingGrantsInNetwork: 4 })
    expect(await service.fill(9, (index) => `2001:db8:7:${index}::1`)).toMatchObject({ issued: 4 })
    expect(await service.fill(9, () => '192.0.2.1')).toMatchObject({ issued: 4 })
    expect(await service.fill(9, (index) => `192.0.2.${10 + index}`)).toMatchObject({ issued: 2 })
  })

  test.each([
    ['a denial', async (service: ReturnType<typeof start>, code: Codes) => service.deny(code.user_code)],
    [
      'a delivered token',
      async (service: ReturnType<typeof start>, code: Codes) => {
        await service.approve(code.user_code, 'mona')
        await service.poll(code.device_code)
      },
    ],
  ])('decrease by one after %s, in total and in their network', async (_, settle) => {
    for (const limits of [{ waitingGrants: 2 }, { waitingGrantsInNetwork: 2 }]) {
      const service = start(limits)
      const { body } = await service.ask('192.0.2.1')
      expect(await service.fill(2, () => '192.0.2.1')).toMatchObject({ issued: 1 })
      await settle(service, body)
      await settle(service, body)
      expect(await service.fill(2, () => '192.0.2.1')).toMatchObject({ issued: 1 })
    }
  })

  test('still count after an approval until the token is delivered', async () => {
    const service = start({ waitingGrants: 1 })
    const { body } = await service.ask('192.0.2.1')
    await service.approve(body.user_code, 'mona')
    expect((await service.ask('192.0.2.1')).status).toBe(429)
  })

  test('stop counting within a sixteenth of the lifetime after they expire', async () => {
    const service = start({ waitingGrants: 2 }, { expiresIn: 1600 })
    await service.ask('192.0.2.1')
    service.wait(800)
    await service.ask('192.0.2.1')
    const refused = await service.ask('192.0.2.1')
    expect(refused.status).toBe(429)
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThanOrEqual(800)
    expect(wait).toBeLessThanOrEqual(900)
    service.wait(wait - 1)
    expect((await service.ask('192.0.2.1')).status).toBe(429)
    service.wait(1)
    expect(await service.fill(2, () => '192.0.2.1')).toMatchObject({ issued: 1 })
  })

  test.each([
    ['older', 0, 1],
    ['newer', 1, 2],
  ])('decrease in their own counting period: the %s one', async (_, settled, room) => {
    const service = start({ waitingGrants: 3 }, { expiresIn: 1600 })
    const codes = [(await service.ask('192.0.2.1')).body]
    service.wait(800)
    for (let time = 0; time < 2; time += 1) codes.push((await service.ask('192.0.2.1')).body)
    await service.deny(codes[settled].user_code)
    // The older one no longer counts, whether it was denied or not.
    service.wait(900)
    expect(await service.fill(4, () => '192.0.2.1')).toMatchObject({ issued: room })
  })

  test('are not limited by network if the address is unknown', async () => {
    const service = start({ waitingGrantsInNetwork: 1 }, { clientAddress: () => undefined })
    expect(await service.fill(3, () => '192.0.2.1')).toMatchObject({ issued: 3 })
  })

  test('refused by a full service do not count for their network', async () => {
    const service = start({ waitingGrants: 1, waitingGrantsInNetwork: 2 })
    const { body } = await service.ask('192.0.2.1')
    expect(await service.fill(5, () => '192.0.2.2')).toMatchObject({ issued: 0 })
    await service.deny(body.user_code)
    expect(await service.fill(2, () => '192.0.2.2')).toMatchObject({ issued: 1 })
  })

  test.each([
    ['in all', { waitingGrants: 1 }],
    ['in a network', { waitingGrantsInNetwork: 1 }],
  ])('that did not fit into the store are not counted %s', async (_, limits) => {
    const memory = memoryStore({ clock: { now: () => 0 } })
    let isFull = true
    const store: Store = {
      update: async (key, change) => {
        if (isFull && key.startsWith('grant:')) throw new StoreUnavailableError('full')
        return memory.update(key, change)
      },
    }
    const service = start(limits, { store })
    expect((await service.ask('192.0.2.1')).status).toBe(503)
    isFull = false
    expect(await service.fill(2, () => '192.0.2.1')).toMatchObject({ issued: 1 })
  })

  test('are counted correctly across the boundary between two counting periods', async () => {
    const clock = { time: 1_000_000, now: () => clock.time }
    const memory = memoryStore({ clock })
    const store: Store = {
      update: async (key, change) => {
        const result = await memory.update(key, change)
        if (key === 'limit:waitingGrants:all') clock.time += 1
        return result
      },
    }
    const service = start({ waitingGrants: 1 }, { store, clock, expiresIn: 1600 })
    const { body } = await service.ask('192.0.2.1')
    await service.deny(body.user_code)
    expect((await service.ask('192.0.2.1')).status).toBe(200)
  })

  test('leave no record when there are none', async () => {
    const store = memoryStore({ clock: { now: () => 0 } })
    const service = start({}, { store })
    const { body } = await service.ask('192.0.2.1')
    const before = store.size
    await service.deny(body.user_code)
    expect(store.size).toBe(before - 2)
  })

  test('are limited to a thousand per network by default', async () => {
    expect(await start().fill(1001, () => '192.0.2.1')).toMatchObject({ issued: 1000 })
  })

  test.each([
    [99_999, 200],
    [100_000, 429],
  ])('at a count of %d get %d with the default limit', async (waiting, status) => {
    const memory = memoryStore()
    const store: Store = {
      update: async (key, change) =>
        key === 'limit:waitingGrants:all'
          ? change([[Date.UTC(2026, 0, 2), waiting]]).result
          : memory.update(key, change),
    }
    expect((await start({}, { store }).ask('192.0.2.1')).status).toBe(status)
  })

  test('whose count cannot be lowered still deliver their token', async () => {
    const memory = memoryStore({ clock: { now: () => 0 } })
    const failure = new Error('the store is away')
    let isAway = false
    const store: Store = {
      update: async (key, change) => {
        if (isAway && key.startsWith('limit:')) throw failure
        return memory.update(key, change)
      },
    }
    const service = start({}, { store })
    const { body } = await service.ask('192.0.2.1')
    await service.approve(body.user_code, 'mona')
    isAway = true
    expect((await service.poll(body.device_code)).body.access_token).toBeDefined()
    expect(service.errors).toEqual([failure])
  })
})

interface Codes {
  readonly user_code: string
  readonly device_code: string
}
