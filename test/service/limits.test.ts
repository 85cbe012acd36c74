import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createService, memoryStore, type ServiceRequest, type Store } from '../../src/service/index.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

const from = (header: string) => (request: ServiceRequest) => request.header(header)

/** A service whose requests name the address they come from. */
const start = (options: Parameters<typeof startService>[0] = {}) =>
  startService({ clientAddress: from('x-from'), ...options })

describe('requests for codes', () => {
  const limits = { codesRequests: { most: 3, within: 60 } }
  const ask = (service: ReturnType<typeof start>, address: string) =>
    service.post('/login/device/code', { client_id: CLIENT_ID }, { 'x-from': address })

  test('are answered with 429 and the time to wait beyond the limit of an address', async () => {
    const service = start({ limits })
    for (let count = 0; count < 3; count += 1) expect((await ask(service, '192.0.2.1')).status).toBe(200)
    service.wait(20)
    const refused = await ask(service, '192.0.2.1')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('40')
    expect(refused.body.error).toBe('too_many_requests')
    expect((await ask(service, '192.0.2.2')).status).toBe(200)
    service.wait(40)
    expect((await ask(service, '192.0.2.1')).status).toBe(200)
  })

  test('are counted for a whole network of IPv6, since one subscriber has as many addresses', async () => {
    const service = start({ limits })
    for (const last of ['1', '2', 'ffff']) await ask(service, `2001:db8:0:7::${last}`)
    expect((await ask(service, '2001:db8:0:7:1:2:3:4')).status).toBe(429)
    expect((await ask(service, '2001:db8:0:8::1')).status).toBe(200)
  })

  test('are counted for an address that is none of a network, too', async () => {
    const service = start({ limits })
    for (let count = 0; count < 3; count += 1) expect((await ask(service, 'unix:1')).status).toBe(200)
    expect((await ask(service, 'unix:1')).status).toBe(429)
    expect((await ask(service, 'unix:2')).status).toBe(200)
  })

  test('are a hundred a minute where nobody says another limit', async () => {
    const service = start()
    const statuses: number[] = []
    for (let count = 0; count < 101; count += 1) statuses.push((await ask(service, '192.0.2.1')).status)
    expect(statuses.indexOf(429)).toBe(100)
  })

  test.each([
    [99_999, 200],
    [100_000, 429],
  ])('after %d grants within the lifetime of one are answered with %d', async (times, status) => {
    const memory = memoryStore()
    const until = Date.UTC(2026, 0, 1) + 900_000
    const store: Store = {
      update: async (key, change) =>
        key === 'limit:grants:all' ? change({ times, until }).result : memory.update(key, change),
    }
    expect((await ask(start({ store }), '192.0.2.1')).status).toBe(status)
  })

  test('without a limit are not counted', async () => {
    const store = memoryStore({ clock: { now: () => 0 } })
    const none = { most: Number.POSITIVE_INFINITY, within: 60 }
    await ask(start({ store, limits: { codesRequests: none, grants: none } }), '192.0.2.1')
    expect(store.size).toBe(2)
  })

  test('are limited in all, from whatever address they come', async () => {
    const service = start({ limits: { grants: { most: 5, within: 900 } } })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => ask(service, `192.0.2.${index}`)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('900')
  })

  test('a flood from a thousand addresses takes no more memory than the store has room for', async () => {
    const clock = { time: 0, now: () => clock.time }
    const store = memoryStore({ capacity: 200, clock })
    const service = start({ store, clock })
    const { userCode, poll } = await service.begin()
    await service.approve(userCode, 'mona')
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => ask(service, `198.51.${index >> 8}.${index & 255}`)),
    )
    expect(store.size).toBeLessThanOrEqual(200)
    const full = answers.filter(({ status }) => status === 503)
    expect(full.length).toBeGreaterThan(800)
    expect(full[0]?.headers.get('retry-after')).toBe('5')
    expect(full[0]?.body.error).toBe('temporarily_unavailable')

    // The approval waits until there is room for the token.
    expect((await poll()).status).toBe(503)
    const heard: boolean[] = []
    for (let count = 0; count < 40; count += 1) {
      clock.time += 6000
      heard.push('access_token' in (await poll()).body)
    }
    expect(heard.filter(Boolean)).toHaveLength(1)
  })
})

describe('guesses of device codes', () => {
  test('are answered with 429 beyond the limit of an address, and a right code still with the truth', async () => {
    const service = start({ limits: { wrongDeviceCodes: { most: 3, within: 60 } } })
    const { deviceCode } = await service.begin()
    const guess = (device_code: string) =>
      service.post(
        '/login/oauth/access_token',
        {
          client_id: CLIENT_ID,
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          device_code,
        },
        { 'x-from': '192.0.2.1' },
      )
    const heard: number[] = []
    for (let count = 0; count < 1000; count += 1) heard.push((await guess(`wrong-${count}`)).status)
    expect(heard.filter((status) => status === 200)).toHaveLength(3)
    expect(heard.filter((status) => status === 429)).toHaveLength(997)
    expect((await guess(deviceCode)).body.error).toBe('authorization_pending')
    service.wait(60)
    expect((await guess('wrong')).body.error).toBe('incorrect_device_code')
  })
})

test('nothing is limited by an address that is not known', async () => {
  const service = startService({ limits: { codesRequests: { most: 1, within: 60 } } })
  expect([(await service.askForCodes()).status, (await service.askForCodes()).status]).toEqual([200, 200])
})

test('over HTTP the address is that of the connection', async () => {
  const service = createService({
    clients: [{ clientId: CLIENT_ID, name: 'App' }],
    limits: { codesRequests: { most: 1, within: 60 } },
  })
  const { url, close } = await service.listen()
  try {
    const ask = () =>
      fetch(`${url}/login/device/code`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: CLIENT_ID }),
        headers: { 'x-forwarded-for': crypto.randomUUID() },
      })
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429])
  } finally {
    await close()
  }
})

test('guesses of user codes from one address leave no more records than it has tries, whatever sessions they claim', async () => {
  const store = memoryStore()
  const service = createService({
    clients: [{ clientId: CLIENT_ID, name: 'App' }],
    store,
    onWarning: () => {},
  })
  const { url, close } = await service.listen()
  try {
    const statuses: number[] = []
    for (let count = 0; count < 60; count += 1) {
      const session = count.toString(16).padStart(32, '0')
      const csrf = createHash('sha256')
        .update(JSON.stringify(['csrf', session, 1]))
        .digest('hex')
      const answer = await fetch(`${url}/login/device`, {
        method: 'POST',
        headers: { cookie: `authgraph=${session}` },
        body: new URLSearchParams({ csrf, user_code: 'BCDF-GHJK' }),
      })
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([...Array(5).fill(404), ...Array(55).fill(429)])
    expect(store.size).toBe(6)
  } finally {
    await close()
  }
})

test.each([
  { wrongUserCodes: { most: 0, within: 60 } },
  { wrongUserCodes: { most: Number.NaN, within: 60 } },
  { codesRequests: { most: 1, within: 0 } },
  { grants: { most: 1, within: Number.POSITIVE_INFINITY } },
])('the limits %j are refused', (limits) => {
  expect(() => startService({ limits })).toThrow(`limits.${Object.keys(limits)[0]} must have`)
})
