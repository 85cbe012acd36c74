import { describe, expect, test, vi } from 'vitest'
import { createEarlyPolls } from '../../src/service/early-polls.ts'
import { createService, memoryStore, type ServiceRequest, type Store } from '../../src/service/index.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

const from = (header: string) => (request: ServiceRequest) => request.header(header)

/** A store like one in another process, which responds later. */
function slowStore(): Store {
  const memory = memoryStore({ clock: { now: () => 0 } })
  return {
    async update(key, change) {
      await new Promise((resolve) => setImmediate(resolve))
      return memory.update(key, change)
    },
  }
}

/** A service whose requests have a client address. */
const start = (options: Parameters<typeof startService>[0] = {}) =>
  startService({ clientAddress: from('x-from'), ...options })

describe('requests for codes', () => {
  const limits = { codesRequests: { max: 3, window: 60 } }
  const ask = (service: ReturnType<typeof start>, address: string) =>
    service.post('/login/device/code', { client_id: CLIENT_ID }, { 'x-from': address })

  test('above the limit of an address get 429 with Retry-After', async () => {
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

  test.each([
    ['2001:db8:7::1', ['2001:db8:7:0:1:2:3:4', '2001:db8:7:ffff::1'], '2001:db8:8::1'],
    ['192.0.2.1', ['::ffff:192.0.2.1', '64:ff9b::c000:201', '64:FF9B::192.0.2.1'], '192.0.2.2'],
    ['64:ff9b::c000:201', ['64:ff9b::192.0.2.1', '192.0.2.1'], '64:ff9b::c000:202'],
  ])(
    'from %s are counted together with those from %j, but not with those from %s',
    async (first, same, other) => {
      const service = start({ limits: { codesRequests: { max: 1 + same.length, window: 60 } } })
      for (const address of [first, ...same]) expect((await ask(service, address)).status).toBe(200)
      for (const address of [first, ...same]) expect((await ask(service, address)).status).toBe(429)
      expect((await ask(service, other)).status).toBe(200)
    },
  )

  test('are also counted for an address that belongs to no network', async () => {
    const service = start({ limits })
    for (let count = 0; count < 3; count += 1) expect((await ask(service, 'unix:1')).status).toBe(200)
    expect((await ask(service, 'unix:1')).status).toBe(429)
    expect((await ask(service, 'unix:2')).status).toBe(200)
  })

  test('are limited to a hundred a minute by default', async () => {
    const service = start()
    const statuses: number[] = []
    for (let count = 0; count < 101; count += 1) statuses.push((await ask(service, '192.0.2.1')).status)
    expect(statuses.indexOf(429)).toBe(100)
  })

  test('are not counted without a limit', async () => {
    const store = memoryStore({ clock: { now: () => 0 } })
    const none = { max: Number.POSITIVE_INFINITY, window: 60 }
    const limits = { codesRequests: none, grantsInAll: none, grantsInNetwork: none }
    const service = start({ store, limits })
    const { body } = await ask(service, '192.0.2.1')
    expect(await service.deny(body.user_code)).toBe('done')
    expect(store.size).toBe(2)
  })

  test('a flood from a thousand addresses stays within the store’s memory limit and delays no token', async () => {
    const clock = { time: 0, now: () => clock.time }
    const store = memoryStore({ maxBytes: 120_000, clock })
    const service = start({ store, clock })
    const { userCode, poll } = await service.begin()
    await service.approve(userCode, 'mona')
    const responses = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => ask(service, `198.51.${index >> 8}.${index & 255}`)),
    )
    expect(store.bytes).toBeLessThanOrEqual(120_000)
    const full = responses.filter(({ status }) => status === 503)
    expect(full.length).toBeGreaterThan(800)
    expect(full[0]?.headers.get('retry-after')).toBe('5')
    expect(full[0]?.body.error).toBe('temporarily_unavailable')

    const { access_token } = (await poll()).body
    expect((await service.whoIs(access_token)).body.login).toBe('mona')
  })
})

describe('guesses of device codes', () => {
  test('above the limit of an address get 429, while a right code still gets its result', async () => {
    const service = start({ limits: { wrongDeviceCodes: { max: 3, window: 60 } } })
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
    const received: number[] = []
    for (let count = 0; count < 1000; count += 1) received.push((await guess(`wrong-${count}`)).status)
    expect(received.filter((status) => status === 200)).toHaveLength(3)
    expect(received.filter((status) => status === 429)).toHaveLength(997)
    expect((await guess(deviceCode)).body.error).toBe('authorization_pending')
    service.wait(60)
    expect((await guess('wrong')).body.error).toBe('incorrect_device_code')
  })
})

test('requests without a client address are not limited', async () => {
  const service = startService({ limits: { codesRequests: { max: 1, window: 60 } } })
  expect([(await service.askForCodes()).status, (await service.askForCodes()).status]).toEqual([200, 200])
})

test('over HTTP, the address is that of the connection', async () => {
  const service = createService({
    clients: [{ clientId: CLIENT_ID, name: 'App' }],
    limits: { codesRequests: { max: 1, window: 60 } },
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

describe('polls of one device code', () => {
  test('that are too early get 429 above the limit, without access to the store', async () => {
    const clock = { time: 0, now: () => clock.time }
    const update = vi.fn(memoryStore({ clock }).update)
    const service = start({
      clock,
      store: { update: update as Store['update'] },
      limits: { earlyPolls: { max: 3, window: 10 } },
    })
    const { poll, userCode } = await service.begin()
    const received: string[] = []
    for (let time = 0; time < 5; time += 1) received.push((await poll()).body.error)
    expect(received).toEqual(['authorization_pending', ...Array(3).fill('slow_down'), 'too_many_requests'])
    update.mockClear()
    const refused = await poll()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect(update).not.toHaveBeenCalled()
    expect((await (await service.begin()).poll()).body.error).toBe('authorization_pending')
    await service.approve(userCode, 'mona')
    clock.time += 10_000
    expect((await poll()).body.access_token).toBeDefined()
  })

  test('that are early only now and then are not limited', async () => {
    const service = start({ limits: { earlyPolls: { max: 2, window: 10 } } })
    const { poll } = await service.begin()
    await poll()
    for (let time = 0; time < 6; time += 1) {
      expect((await poll()).body.error).toBe('slow_down')
      service.wait(5)
    }
    service.wait(5)
    const received = [await poll(), await poll(), await poll(), await poll()]
    expect(received.map(({ body }) => body.error).slice(1)).toEqual([
      'slow_down',
      'slow_down',
      'too_many_requests',
    ])
  })

  test('are forgotten, oldest first, when there are too many codes', async () => {
    const clock = { now: () => 0 }
    const polls = createEarlyPolls({ max: 1, window: 10 }, clock)
    for (let code = 0; code < 10_000; code += 1) await polls.count(`code ${code}`)
    await polls.count('code 0')
    await polls.count('code 10000')
    const refused: string[] = []
    for (const code of ['code 0', 'code 1', 'code 2', 'code 10000'])
      if (!(await polls.allow(code)).ok) refused.push(code)
    expect(refused).toEqual(['code 0', 'code 2', 'code 10000'])
  })
})

describe('unknown clients', () => {
  test.each([
    ['/login/device/code', 404],
    ['/login/oauth/access_token', 200],
  ])('get 429 at %s above the limit of a network, while a known client does not', async (path, status) => {
    const service = start({ limits: { unknownClients: { max: 2, window: 60 } } })
    const ask = async (client_id: string, address: string) =>
      (await service.post(path, { client_id }, { 'x-from': address })).status
    const statuses: number[] = []
    for (let time = 0; time < 3; time += 1) statuses.push(await ask('guess', '192.0.2.1'))
    expect(statuses).toEqual([status, status, 429])
    expect(await ask(CLIENT_ID, '192.0.2.1')).not.toBe(429)
    expect(await ask('guess', '192.0.2.2')).toBe(status)
  })
})

describe('passwords', () => {
  const users = [{ username: 'mona', password: 'right' }]
  const limits = { wrongPasswords: { max: 3, window: 60 } }
  const send = (service: ReturnType<typeof start>, password: string, address: string) =>
    service.send('/user', {
      headers: { authorization: `Basic ${btoa(`mona:${password}`)}`, 'x-from': address },
    })

  test('that are wrong get 429 above the limit of a user in a network, and so does the right one', async () => {
    const service = start({ users, limits })
    for (let time = 0; time < 3; time += 1)
      expect((await send(service, 'wrong', '192.0.2.1')).status).toBe(401)
    service.wait(20)
    for (const password of ['wrong', 'right']) {
      const refused = await send(service, password, '192.0.2.1')
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '40'])
      expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /)
    }
    expect((await send(service, 'right', '192.0.2.2')).status).toBe(200)
    service.wait(40)
    expect((await send(service, 'right', '192.0.2.1')).status).toBe(200)
  })

  test('of a neighbor lock nobody else out: neither another user nor a client with a secret', async () => {
    const clients = [{ clientId: CLIENT_ID, clientSecret: 'secret', name: 'App' }]
    const service = start({ clients, users: [...users, { username: 'eve', password: 'other' }] })
    const eve = { authorization: `Basic ${btoa('eve:wrong')}`, 'x-from': '192.0.2.1' }
    const statuses: number[] = []
    for (let time = 0; time < 31; time += 1)
      statuses.push((await service.send('/user', { headers: eve })).status)
    expect(statuses).toEqual([...Array(30).fill(401), 429])
    expect((await send(service, 'right', '192.0.2.1')).status).toBe(200)
    const fields = { client_id: CLIENT_ID, client_secret: 'secret' }
    expect((await service.post('/login/device/code', fields, { 'x-from': '192.0.2.1' })).status).toBe(200)
  })

  test('of one user from many networks leave each other network one try', async () => {
    const service = start({ users, limits: { wrongPasswordsInAll: { max: 20, window: 60 } } })
    for (let index = 0; index < 30; index += 1)
      expect((await send(service, 'wrong', `198.51.100.${index}`)).status).toBe(401)
    expect((await send(service, 'wrong', '198.51.100.1')).status).toBe(429)
    for (const password of ['right', 'right', 'wrong']) {
      const { status } = await send(service, password, '192.0.2.1')
      expect(status).toBe(password === 'right' ? 200 : 401)
    }
    expect((await send(service, 'right', '192.0.2.1')).status).toBe(429)
  })

  test('of any number of user names have a limited number of counts', async () => {
    const memory = memoryStore({ clock: { now: () => 0 } })
    const counts = new Set<string>()
    const update: Store['update'] = (key, change) => {
      counts.add(key)
      return memory.update(key, change)
    }
    const service = start({ users, store: { update } })
    for (let index = 0; index < 20_000; index += 1)
      await service.authenticate({
        headers: new Headers({ authorization: `Basic ${btoa(`name-${index}:wrong`)}` }),
        address: '192.0.2.1',
      })
    expect(counts.size).toBeLessThanOrEqual(2 * 4096)
  })

  test('that are right are not counted', async () => {
    const service = start({ users, limits })
    for (let time = 0; time < 5; time += 1)
      expect((await send(service, 'right', '192.0.2.1')).status).toBe(200)
  })

  test('are counted by user name if the address is unknown', async () => {
    const more = [...users, { username: 'hubot', password: 'right' }]
    const service = startService({ users: more, limits, clientAddress: () => undefined })
    for (let time = 0; time < 3; time += 1)
      expect((await send(service, 'wrong', '192.0.2.1')).status).toBe(401)
    const authenticate = (username: string, address?: string) => {
      const headers = new Headers({ authorization: `Basic ${btoa(`${username}:right`)}` })
      return service.authenticate({ headers, address })
    }
    expect(await authenticate('mona')).toMatchObject({ form: 'refused', status: 429, retryAfter: 60 })
    expect(await authenticate('hubot')).toEqual({ form: 'basic', user: 'hubot' })
    expect(await authenticate('mona', '192.0.2.1')).toEqual({ form: 'basic', user: 'mona' })
  })

  test('are counted by the address that the host passes to authenticate', async () => {
    const service = startService({ users, limits })
    const authenticate = (password: string, address: string) => {
      const headers = new Headers({ authorization: `Basic ${btoa(`mona:${password}`)}` })
      return service.authenticate({ headers, address })
    }
    for (let time = 0; time < 3; time += 1)
      expect(await authenticate('wrong', '192.0.2.1')).toMatchObject({ status: 401 })
    expect(await authenticate('right', '192.0.2.1')).toMatchObject({ form: 'refused', status: 429 })
    expect(await authenticate('right', '192.0.2.2')).toEqual({ form: 'basic', user: 'mona' })
  })

  test('a right one is refused during many simultaneous guesses', async () => {
    const service = start({ users, limits, store: slowStore() })
    const guesses = Array.from({ length: 50 }, (_, index) => send(service, `${index}`, '192.0.2.1'))
    expect((await send(service, 'right', '192.0.2.1')).status).toBe(429)
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(3)
  })

  test('that are right are accepted many at a time', async () => {
    const service = start({ users, limits, store: slowStore() })
    const sent = Array.from({ length: 50 }, () => send(service, 'right', '192.0.2.1'))
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(50).fill(200))
  })
})
