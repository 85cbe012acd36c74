import { describe, expect, test } from 'vitest'
import { memoryStore, type ServiceEvent, type ServiceOptions, type Store } from '../../src/service/index.ts'
import { startService } from '../support/start-service.ts'

const DAY = 24 * 60 * 60
const refreshTokens = { lifetime: 90 * DAY }

function start(options: Partial<ServiceOptions> = {}) {
  const events: ServiceEvent[] = []
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
  const store = memoryStore({ clock })
  const service = startService({ clock, store, onEvent: (event) => events.push(event), ...options })
  const login = async (user: string) => {
    const { userCode, poll } = await service.begin()
    await service.approve(userCode, user)
    return (await poll()).body as { readonly access_token: string; readonly refresh_token: string }
  }
  const isValid = async ({ access_token }: { readonly access_token: string }) =>
    (await service.whoIs(access_token)).status === 200
  return {
    ...service,
    store,
    login,
    isValid,
    wait: (seconds: number) => {
      clock.time += seconds * 1000
    },
    revoked: () => events.splice(0).filter(({ type }) => type === 'token.revoked'),
  }
}

describe.each<[string, Partial<ServiceOptions>]>([
  ['with refresh tokens', { refreshTokens }],
  ['without refresh tokens', {}],
])('the logins of one user, %s,', (_, options) => {
  test('are limited: a new one ends the oldest, which is told', async () => {
    const service = start({ ...options, limits: { loginsOfUser: 2 } })
    const [first, second, other] = [
      await service.login('mona'),
      await service.login('mona'),
      await service.login('hubot'),
    ]
    expect(service.revoked()).toEqual([])
    const third = await service.login('mona')
    expect(await Promise.all([first, second, third, other].map(service.isValid))).toEqual([
      false,
      true,
      true,
      true,
    ])
    expect(service.revoked()).toMatchObject([{ by: 'limit', user: 'mona', client: { name: 'App' } }])
  })

  test('leave room when one has ended: by a logout, or when its lifetime is over', async () => {
    const service = start({ ...options, limits: { loginsOfUser: 2 } })
    const first = await service.login('mona')
    await service.revoke({ token: (await service.login('mona')).access_token })
    await service.login('mona')
    expect(await service.isValid(first)).toBe(true)
    service.wait(365 * DAY)
    const later = [await service.login('mona'), await service.login('mona')]
    expect(await Promise.all(later.map(service.isValid))).toEqual([true, true])
    expect(service.revoked()).toMatchObject([{ by: 'host' }])
  })

  test('are a hundred by default', async () => {
    const service = start(options)
    const all = []
    for (let count = 0; count < 101; count += 1) all.push(await service.login('mona'))
    const [first, second] = all
    expect(first && (await service.isValid(first))).toBe(false)
    expect(second && (await service.isValid(second))).toBe(true)
  })

  test('are not limited if the host says so', async () => {
    const service = start({ ...options, limits: { loginsOfUser: Number.POSITIVE_INFINITY } })
    const first = await service.login('mona')
    for (let count = 0; count < 120; count += 1) await service.login('mona')
    expect(await service.isValid(first)).toBe(true)
  })
})

test('a login that the limit ended cannot be refreshed', async () => {
  const service = start({ refreshTokens, limits: { loginsOfUser: 1 } })
  const first = await service.login('mona')
  await service.login('mona')
  expect((await service.refresh(first.refresh_token)).body.error).toBe('bad_refresh_token')
})

test('a login whose count fails gets its token', async () => {
  const memory = memoryStore({ clock: { now: () => 0 } })
  const failure = new Error('the store is away')
  const update: Store['update'] = async (key, change) => {
    if (key.startsWith('logins:')) throw failure
    return memory.update(key, change)
  }
  const service = start({ refreshTokens, store: { update } })
  expect(await service.isValid(await service.login('mona'))).toBe(true)
  expect(service.errors).toEqual([failure])
})

test('a login has its ten newest access tokens', async () => {
  const service = start({ refreshTokens, limits: { refreshes: { max: 100, window: 60 } } })
  const pairs = [await service.login('mona')]
  for (let count = 0; count < 12; count += 1)
    pairs.push((await service.refresh(pairs.at(-1)?.refresh_token ?? '')).body)
  expect(await Promise.all(pairs.map(service.isValid))).toEqual([
    ...Array(3).fill(false),
    ...Array(10).fill(true),
  ])
})

test('an access token that the host issues again for another login stays valid there', async () => {
  let issued = 0
  const issueToken = () => {
    issued += 1
    return issued === 1 || issued === 11 ? 'the-same' : `token-${issued}`
  }
  const limits = { refreshes: { max: 100, window: 60 } }
  const service = start({ refreshTokens, issueToken, limits })
  let pair = await service.login('mona')
  for (let count = 0; count < 9; count += 1) pair = (await service.refresh(pair.refresh_token)).body
  const other = await service.login('mona')
  await service.refresh(pair.refresh_token)
  expect(await service.isValid(other)).toBe(true)
})

test('a login that has ended leaves the store within minutes, and its tokens stay invalid', async () => {
  const service = start({ refreshTokens })
  const { access_token, refresh_token } = await service.login('mona')
  await service.revoke({ token: refresh_token })
  service.wait(15 * 60 + 1)
  for (const key of ['swept', 'swept', 'swept'])
    await service.store.update(key, () => ({ result: undefined, value: true, expiresAt: 0 }))
  expect(await service.isValid({ access_token })).toBe(false)
  expect((await service.refresh(refresh_token)).body.error).toBe('bad_refresh_token')
})

test('an account that logs in and refreshes for hours, within all limits, is a limited number of records', async () => {
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
  const memory = memoryStore({ clock })
  const ends = new Map<string, number>()
  const update: Store['update'] = (key, change) =>
    memory.update(key, (value) => {
      const made = change(value)
      if (made.value === null) ends.delete(key)
      else if (made.value !== undefined)
        ends.set(
          key,
          'expiresAt' in made ? (made.expiresAt ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
        )
      return made
    })
  const service = start({ clock, store: { update }, refreshTokens, limits: { loginsOfUser: 3 } })
  for (let logins = 0; logins < 20; logins += 1) {
    let pair = await service.login('mona')
    for (let refreshes = 0; refreshes < 15; refreshes += 1)
      pair = (await service.refresh(pair.refresh_token)).body
    clock.time += 60_000
  }
  clock.time += 3_600_000
  const left = [...ends].filter(([, expiresAt]) => expiresAt > clock.time).map(([key]) => key.split(':')[0])
  const countOf = (name: string) => left.filter((one) => one === name).length
  expect({ family: countOf('family'), token: countOf('token'), access: countOf('access') }).toEqual({
    family: 3,
    token: 30,
    access: 3,
  })
})

describe('refreshes of all logins in one network', () => {
  const limits = { refreshesInNetwork: { max: 3, window: 60 } }

  test('are limited, and each login still has one', async () => {
    const service = start({ refreshTokens, limits, clientAddress: () => '192.0.2.1' })
    const [busy, idle] = [await service.login('mona'), await service.login('hubot')]
    let pair = busy
    for (let count = 0; count < 3; count += 1) pair = (await service.refresh(pair.refresh_token)).body
    const refused = await service.refresh(pair.refresh_token)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    const { body: next } = await service.refresh(idle.refresh_token)
    expect(next).toHaveProperty('access_token')
    expect((await service.refresh(next.refresh_token)).status).toBe(429)
    service.wait(60)
    expect((await service.refresh(pair.refresh_token)).body).toHaveProperty('access_token')
  })

  test('are not limited without an address, nor together with those of another network', async () => {
    let address: string | undefined
    const service = start({ refreshTokens, limits, clientAddress: () => address })
    let pair = await service.login('mona')
    for (address of [undefined, '192.0.2.1', '192.0.2.2'])
      for (let count = 0; count < 3; count += 1) {
        const refreshed = await service.refresh(pair.refresh_token)
        expect(refreshed.status).toBe(200)
        pair = refreshed.body
      }
  })
})
