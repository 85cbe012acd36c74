import { describe, expect, test, vi } from 'vitest'
import { memoryStore } from '../../src/service/index.ts'
import { createEarlyPolls } from '../../src/service/limits/early-polls.ts'
import { keepUntilSettled } from '../../src/service/limits/keep-until-settled.ts'
import { beforeUpdates } from '../support/before-updates.ts'
import { CLIENT_ID, type Said, startService } from '../support/start-service.ts'

type Service = ReturnType<typeof startService>

const NEAR = '192.0.2.1'
const FAR = '192.0.2.2'

/** A store like one in another process, which responds later. */
const slowStore = beforeUpdates(() => new Promise((resolve) => setImmediate(resolve)))

const ask = async ({ askForCodes }: Service, address: string) =>
  (await askForCodes({}, { 'x-from': address })).status

/** The statuses of requests that are sent one after another. */
async function statusesOf(times: number, send: (index: number) => Promise<number | Pick<Said, 'status'>>) {
  const statuses: number[] = []
  for (let index = 0; index < times; index += 1) {
    const sent = await send(index)
    statuses.push(typeof sent === 'number' ? sent : sent.status)
  }
  return statuses
}

describe('requests for codes', () => {
  const limits = { codesRequests: { max: 3, window: 60 } }

  test('above the limit of an address get 429 with Retry-After', async () => {
    const service = startService({ limits })
    expect(await statusesOf(3, () => ask(service, NEAR))).toEqual([200, 200, 200])
    service.wait(20)
    const refused = await service.askForCodes({}, { 'x-from': NEAR })
    expect(refused).toMatchObject({ status: 429, body: { error: 'too_many_requests' } })
    expect(refused.headers.get('retry-after')).toBe('40')
    expect(await ask(service, FAR)).toBe(200)
    service.wait(40)
    expect(await ask(service, NEAR)).toBe(200)
  })

  test.each([
    ['2001:db8:7::1', ['2001:db8:7:0:1:2:3:4', '2001:db8:7:ffff::1'], '2001:db8:8::1'],
    ['192.0.2.1', ['::ffff:192.0.2.1', '64:ff9b::c000:201', '64:FF9B::192.0.2.1'], '192.0.2.2'],
    ['64:ff9b::c000:201', ['64:ff9b::192.0.2.1', '192.0.2.1'], '64:ff9b::c000:202'],
    ['unix:1', [], 'unix:2'],
  ])(
    'from %s are counted together with those from %j, but not with those from %s',
    async (first, same, other) => {
      const service = startService({ limits: { codesRequests: { max: 1 + same.length, window: 60 } } })
      for (const address of [first, ...same]) expect(await ask(service, address)).toBe(200)
      for (const address of [first, ...same]) expect(await ask(service, address)).toBe(429)
      expect(await ask(service, other)).toBe(200)
    },
  )

  test('without a client address are not limited', async () => {
    const { askForCodes } = startService({ limits: { codesRequests: { max: 1, window: 60 } } })
    expect(await statusesOf(2, () => askForCodes())).toEqual([200, 200])
  })

  test('are not counted without a limit', async () => {
    const none = { max: Number.POSITIVE_INFINITY, window: 60 }
    const service = startService({
      limits: { codesRequests: none, grantsInAll: none, grantsInNetwork: none },
    })
    const { body } = await service.askForCodes({}, { 'x-from': NEAR })
    expect(await service.deny(body.user_code)).toBe('done')
    expect(service.memory.size).toBe(2)
  })

  test('a flood from a thousand addresses stays within the store’s memory limit and delays no token', async () => {
    const clock = { now: () => 0 }
    const store = memoryStore({ maxBytes: 120_000, clock })
    const service = startService({ store, clock })
    const { poll } = await service.approved()
    const headers = (index: number) => ({ 'x-from': `198.51.${index >> 8}.${index & 255}` })
    const responses = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => service.askForCodes({}, headers(index))),
    )
    expect(store.bytes).toBeLessThanOrEqual(120_000)
    const full = responses.filter(({ status }) => status === 503)
    expect(full.length).toBeGreaterThan(800)
    expect(full[0]?.headers.get('retry-after')).toBe('5')
    expect(full[0]?.body.error).toBe('temporarily_unavailable')

    const { access_token } = (await poll()).body
    expect((await service.whoIs(access_token)).body.login).toBe('octocat')
  })
})

test.each<[string, (service: Service) => Promise<Said>]>([
  ['requests for codes', ({ askForCodes }) => askForCodes({}, { 'x-from': NEAR })],
  ['guesses of device codes', ({ poll }) => poll('wrong', {}, { 'x-from': NEAR })],
])('%s are limited to a hundred a minute by default', async (_, send) => {
  const service = startService()
  expect((await statusesOf(101, () => send(service))).indexOf(429)).toBe(100)
  expect((await send(service)).headers.get('retry-after')).toBe('60')
})

test('guesses of device codes above the limit of an address get 429, while a right code still gets its result', async () => {
  const service = startService({ limits: { wrongDeviceCodes: { max: 3, window: 60 } } })
  const { deviceCode } = await service.begin()
  const guess = (code: string) => service.poll(code, {}, { 'x-from': NEAR })
  expect(await statusesOf(6, (index) => guess(`wrong-${index}`))).toEqual([200, 200, 200, 429, 429, 429])
  expect((await guess(deviceCode)).body.error).toBe('authorization_pending')
  service.wait(60)
  expect((await guess('wrong')).body.error).toBe('incorrect_device_code')
})

describe('polls of one device code', () => {
  test('that are too early get 429 above the limit, without access to the store', async () => {
    const update = vi.fn()
    const limits = { earlyPolls: { max: 3, window: 10 } }
    const service = startService({ store: beforeUpdates(update), limits })
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
    service.wait(10)
    expect((await poll()).body.access_token).toBeDefined()
  })

  test('that are early only now and then are not limited', async () => {
    const service = startService({ limits: { earlyPolls: { max: 2, window: 10 } } })
    const { poll } = await service.begin()
    await poll()
    for (let time = 0; time < 6; time += 1) {
      expect((await poll()).body.error).toBe('slow_down')
      service.wait(5)
    }
    service.wait(5)
    expect((await poll()).status).toBe(200)
    expect(await statusesOf(3, poll)).toEqual([200, 200, 429])
  })

  test('are forgotten, oldest first, when there are too many codes', async () => {
    const polls = createEarlyPolls({ max: 1, window: 10 }, { now: () => 0 })
    for (let code = 0; code < 10_000; code += 1) await polls.count(`code ${code}`)
    await polls.count('code 0')
    await polls.count('code 10000')
    const refused: string[] = []
    for (const code of ['code 0', 'code 1', 'code 2', 'code 10000'])
      if (!(await polls.allow(code)).ok) refused.push(code)
    expect(refused).toEqual(['code 0', 'code 2', 'code 10000'])
  })
})

test('unknown clients get 429 above the limit of a network, while a known one does not', async () => {
  const service = startService({ limits: { unknownClients: { max: 2, window: 60 } } })
  const ask = async (client_id: string, address: string) =>
    (await service.askForCodes({ client_id }, { 'x-from': address })).status
  expect(await statusesOf(3, () => ask('guess', NEAR))).toEqual([404, 404, 429])
  expect(await ask(CLIENT_ID, NEAR)).toBe(200)
  expect(await ask('guess', FAR)).toBe(404)
})

describe('passwords', () => {
  const users = [
    { username: 'mona', password: 'right' },
    { username: 'eve', password: 'other' },
  ]
  const limits = { wrongPasswords: { max: 3, window: 60 } }
  const basic = (password: string, username = 'mona') => `Basic ${btoa(`${username}:${password}`)}`
  const send = ({ send }: Service, password: string, address: string, username?: string) =>
    send('/user', { headers: { authorization: basic(password, username), 'x-from': address } })
  const authenticate = (service: Service, password: string, address?: string, username?: string) =>
    service.authenticate({ headers: new Headers({ authorization: basic(password, username) }), address })

  test('that are wrong get 429 above the limit of a user in a network, and so does the right one', async () => {
    const service = startService({ users, limits })
    expect(await statusesOf(3, () => send(service, 'wrong', NEAR))).toEqual([401, 401, 401])
    service.wait(20)
    for (const password of ['wrong', 'right']) {
      const refused = await send(service, password, NEAR)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '40'])
      expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /)
    }
    expect((await send(service, 'right', FAR)).status).toBe(200)
    service.wait(40)
    expect((await send(service, 'right', NEAR)).status).toBe(200)
  })

  test('of a neighbor lock nobody else out: neither another user nor a client with a secret', async () => {
    const clients = [{ clientId: CLIENT_ID, clientSecret: 'secret', name: 'App' }]
    const service = startService({ clients, users })
    const statuses = await statusesOf(31, () => send(service, 'wrong', NEAR, 'eve'))
    expect(statuses).toEqual([...Array(30).fill(401), 429])
    expect((await send(service, 'right', NEAR)).status).toBe(200)
    expect((await service.askForCodes({ client_secret: 'secret' }, { 'x-from': NEAR })).status).toBe(200)
  })

  test('of one user from many networks leave each other network one try', async () => {
    const service = startService({ users, limits: { wrongPasswordsInAll: { max: 20, window: 60 } } })
    const many = await statusesOf(30, (index) => send(service, 'wrong', `198.51.100.${index}`))
    expect(many).toEqual(Array(30).fill(401))
    expect((await send(service, 'wrong', '198.51.100.1')).status).toBe(429)
    const tries = ['right', 'right', 'wrong', 'right']
    const statuses = await statusesOf(4, (index) => send(service, tries[index] ?? '', NEAR))
    expect(statuses).toEqual([200, 200, 401, 429])
  })

  test('of any number of user names have a limited number of counts', async () => {
    const counts = new Set<string>()
    const service = startService({ users, store: beforeUpdates((key) => counts.add(key)) })
    for (let index = 0; index < 20_000; index += 1)
      await authenticate(service, 'wrong', NEAR, `name-${index}`).catch(() => undefined)
    expect(counts.size).toBeLessThanOrEqual(2 * 4096)
  })

  test('are counted by user name if the address is unknown', async () => {
    const service = startService({ users, limits })
    for (let time = 0; time < 3; time += 1)
      await expect(authenticate(service, 'wrong')).rejects.toMatchObject({ status: 401 })
    await expect(authenticate(service, 'right')).rejects.toMatchObject({
      status: 429,
      headers: { 'retry-after': '60' },
    })
    expect(await authenticate(service, 'other', undefined, 'eve')).toEqual({ form: 'basic', user: 'eve' })
    expect(await authenticate(service, 'right', NEAR)).toEqual({ form: 'basic', user: 'mona' })
  })

  test('a right one is refused during many simultaneous guesses', async () => {
    const service = startService({ users, limits, store: slowStore })
    const guesses = Array.from({ length: 50 }, (_, index) => send(service, `${index}`, NEAR))
    expect((await send(service, 'right', NEAR)).status).toBe(429)
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(3)
  })

  test('that are right are not counted, and accepted many at a time', async () => {
    const service = startService({ users, limits, store: slowStore })
    const sent = Array.from({ length: 50 }, () => send(service, 'right', NEAR))
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(50).fill(200))
  })
})

test('a result that is shared while it is not there is forgotten, even if it is an error', async () => {
  const kept = new Map<string, Promise<unknown>>()
  const failed = keepUntilSettled(kept, 'key', Promise.reject(new Error('down')))
  expect(kept.get('key')).toBe(failed)
  await expect(failed).rejects.toThrow('down')
  expect(kept.size).toBe(0)
})
