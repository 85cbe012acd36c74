import { describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../../src/service/index.ts'
import { startService, type TestOptions } from '../support/start-service.ts'

/** A service whose requests for codes are not limited by address otherwise. */
function start(limits: ServiceOptions['limits'] = {}, options: TestOptions = {}) {
  const codesRequests = { max: Number.POSITIVE_INFINITY, window: 60 }
  const service = startService({ limits: { codesRequests, ...limits }, ...options })
  const ask = async (address: string, scope = '', userAgent = 'device') =>
    (await service.askForCodes({ scope }, { 'x-from': address, 'user-agent': userAgent })).status
  return {
    ...service,
    ask,
    /** Sends this many requests. Returns how many got codes. */
    fill: async (times: number, addressOf: (index: number) => string, scope?: string) => {
      let issued = 0
      for (let index = 0; index < times; index += 1)
        if ((await ask(addressOf(index), scope)) === 200) issued += 1
      return issued
    },
  }
}

const busy = () => '192.0.2.1'
const stranger = (index: number) => `198.51.100.${index}`

describe('once half of all grants are issued', () => {
  test('only networks without a grant get one, up to a hard limit', async () => {
    const service = start({ grantsInAll: { max: 10, window: 900 } })
    expect(await service.fill(9, busy)).toBe(5)
    expect(await service.fill(9, stranger)).toBe(5)
    expect(await service.fill(9, (index) => stranger(100 + index))).toBe(0)
    service.wait(900)
    expect(await service.fill(1, busy)).toBe(1)
  })

  test('are for networks without one in each time window', async () => {
    const service = start({
      grantsInAll: { max: 4, window: 900 },
      grantsInNetwork: { max: 9, window: 300 },
    })
    expect(await service.fill(9, busy)).toBe(2)
    service.wait(300)
    expect(await service.fill(9, busy)).toBe(1)
  })

  test('that are refused do not count for their network', async () => {
    const service = start({ grantsInAll: { max: 2, window: 60 } })
    expect([await service.fill(1, busy), await service.ask(stranger(1))]).toEqual([1, 200])
    service.wait(10)
    const refused = await service.askForCodes({}, { 'x-from': stranger(2) })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '50'])
    service.wait(50)
    expect([await service.fill(1, busy), await service.ask(stranger(2))]).toEqual([1, 200])
  })

  test('of clients without an address get half of them', async () => {
    const service = start({ grantsInAll: { max: 10, window: 900 } }, { clientAddress: () => undefined })
    expect(await service.fill(9, busy)).toBe(5)
  })

  test.each([
    [24_999, busy(), 200],
    [25_000, busy(), 429],
    [49_999, stranger(1), 200],
    [50_000, stranger(1), 429],
  ])('at a count of %d by default, %s gets %d', async (times, address, status) => {
    let isSeeded = false
    const seeded = { times, until: 8e15 }
    const service = start(
      {},
      {
        store: (memory) => ({
          update: (key, change) =>
            memory.update(key, (value) =>
              change(isSeeded && key === 'limit:grantsInAll:all' ? seeded : value),
            ),
        }),
      },
    )
    expect(await service.ask(busy())).toBe(200)
    isSeeded = true
    expect(await service.ask(address)).toBe(status)
  })
})

test('grants of one network are limited to a thousand in fifteen minutes by default, which leaves others alone', async () => {
  const service = start()
  expect(await service.fill(1001, (index) => `2001:db8:7:${index.toString(16)}::1`)).toBe(1000)
  expect(await service.ask('2001:db8:8::1')).toBe(200)
  service.wait(900)
  expect(await service.ask('2001:db8:7::1')).toBe(200)
})

describe('a grant with long scopes', () => {
  const scopeOf = (length: number) => 'x'.repeat(length)

  test.each([
    [250, 8],
    [251, 4],
    [2000, 1],
  ])('of %d characters counts for each 250 of them', async (length, issued) => {
    for (const limits of [
      { grantsInNetwork: { max: 8, window: 900 } },
      { grantsInAll: { max: 16, window: 900 } },
    ])
      expect(await start(limits).fill(9, busy, scopeOf(length))).toBe(issued)
  })

  // Three time windows of half of all grants: what busy networks can store within 25 minutes.
  test.each([0, 250, 251, 2000])(
    'of %d characters, and the longest origin, leaves room for strangers in the store in memory',
    async (length) => {
      const service = start()
      await service.ask(busy())
      const before = service.memory.bytes
      const address = `fe80:2222:3333:4444:5555:6666:7777:8888%${'x'.repeat(24)}`
      const statuses = new Set<number>()
      for (let count = 0; count < 25; count += 1)
        statuses.add(await service.ask(address, scopeOf(length), 'x'.repeat(200)))
      expect([...statuses]).toEqual([200])
      const units = 25 * Math.max(1, Math.ceil(length / 250))
      expect(((service.memory.bytes - before) / units) * 75_000).toBeLessThan(0.7 * 160 * 1024 * 1024)
    },
  )
})

test('a flood of refused requests is told once in a time window for each network', async () => {
  const service = start({ grantsInNetwork: { max: 1, window: 60 } })
  const flood = async () => {
    await Promise.all(Array.from({ length: 50 }, () => service.ask(busy())))
    return service.told().filter(({ type }) => type === 'limited')
  }
  expect(await flood()).toMatchObject([{ limit: 'grantsInNetwork', retryAfter: 60 }])
  service.wait(59)
  expect(await flood()).toEqual([])
  service.wait(1)
  expect(await flood()).toHaveLength(1)
  await service.fill(9, (index) => stranger(index % 3))
  expect(service.told().filter(({ type }) => type === 'limited')).toHaveLength(3)
})
