import { describe, expect, test } from 'vitest'
import { beforeUpdates } from '../support/before-updates.ts'
import { startService, type TestOptions } from '../support/start-service.ts'

const DAY = 24 * 60 * 60
const refreshTokens = { lifetime: 90 * DAY }

interface Pair {
  readonly access_token: string
  readonly refresh_token: string
}

function start(options: TestOptions = {}) {
  const service = startService(options)
  return {
    ...service,
    login: async (user: string): Promise<Pair> => {
      const { poll } = await service.approved({}, user)
      return (await poll()).body
    },
    /** The pairs of this many refreshes, one after another. */
    refreshes: async (pair: Pair, times: number) => {
      const pairs = [pair]
      for (let count = 0; count < times; count += 1) {
        const { refresh_token } = pairs.at(-1) ?? pair
        pairs.push((await service.refresh(refresh_token)).body)
      }
      return pairs
    },
    areValid: (...pairs: readonly Pick<Pair, 'access_token'>[]) =>
      Promise.all(pairs.map(async ({ access_token }) => (await service.whoIs(access_token)).status === 200)),
    revoked: () => service.told().filter(({ type }) => type === 'token.revoked'),
  }
}

describe.each<[string, TestOptions]>([
  ['with refresh tokens', { refreshTokens }],
  ['without refresh tokens', {}],
])('the logins of one user, %s,', (_, options) => {
  test('are limited: a new login ends the oldest, and emits an event', async () => {
    const service = start({ ...options, limits: { loginsOfUser: 2 } })
    const first = await service.login('mona')
    const others = [await service.login('mona'), await service.login('hubot')]
    expect(service.revoked()).toEqual([])
    const third = await service.login('mona')
    expect(await service.areValid(first, ...others, third)).toEqual([false, true, true, true])
    if (first.refresh_token)
      expect((await service.refresh(first.refresh_token)).body.error).toBe('bad_refresh_token')
    expect(service.revoked()).toMatchObject([{ by: 'limit', user: 'mona', client: { name: 'App' } }])
  })

  test('leave room when one has ended: by a logout, or when its lifetime is over', async () => {
    const service = start({ ...options, limits: { loginsOfUser: 2 } })
    const first = await service.login('mona')
    await service.revoke({ token: (await service.login('mona')).access_token })
    await service.login('mona')
    expect(await service.areValid(first)).toEqual([true])
    service.wait(365 * DAY)
    expect(await service.areValid(await service.login('mona'), await service.login('mona'))).toEqual([
      true,
      true,
    ])
    expect(service.revoked()).toMatchObject([{ by: 'host' }])
  })

  test.each([
    [undefined, false],
    [Number.POSITIVE_INFINITY, true],
  ])(
    'are a hundred by default, but not limited if the host says so: %j',
    async (loginsOfUser, isUnlimited) => {
      const service = start({ ...options, ...(loginsOfUser && { limits: { loginsOfUser } }) })
      const [first, second] = [await service.login('mona'), await service.login('mona')]
      for (let count = 2; count < 101; count += 1) await service.login('mona')
      expect(await service.areValid(first, second)).toEqual([isUnlimited, true])
    },
  )
})

test('a login whose count fails gets its token', async () => {
  const failure = new Error('the store is away')
  const store = beforeUpdates((key) => {
    if (key.startsWith('logins:')) throw failure
  })
  const service = start({ refreshTokens, store })
  expect(await service.areValid(await service.login('mona'))).toEqual([true])
  expect(service.errors).toEqual([failure])
})

test('a login has its ten newest access tokens', async () => {
  const service = start({ refreshTokens, limits: { refreshes: { max: 100, window: 60 } } })
  const pairs = await service.refreshes(await service.login('mona'), 12)
  expect(await service.areValid(...pairs)).toEqual([...Array(3).fill(false), ...Array(10).fill(true)])
})

test('an access token that the host issues again for another login stays valid there', async () => {
  let issued = 0
  const issueToken = () => {
    issued += 1
    return issued === 1 || issued === 11 ? 'the-same' : `token-${issued}`
  }
  const limits = { refreshes: { max: 100, window: 60 } }
  const service = start({ refreshTokens, issueToken, limits })
  const pairs = await service.refreshes(await service.login('mona'), 9)
  const other = await service.login('mona')
  await service.refresh(pairs.at(-1)?.refresh_token ?? '')
  expect(await service.areValid(other)).toEqual([true])
})

test('a login that has ended leaves the store within minutes, and its tokens stay invalid', async () => {
  const service = start({ refreshTokens })
  const { access_token, refresh_token } = await service.login('mona')
  await service.revoke({ token: refresh_token })
  service.wait(15 * 60 + 1)
  for (const key of ['swept', 'swept', 'swept'])
    await service.memory.update(key, () => ({ result: undefined, value: true, expiresAt: 0 }))
  expect(await service.areValid({ access_token })).toEqual([false])
  expect((await service.refresh(refresh_token)).body.error).toBe('bad_refresh_token')
})

test('an account that logs in and refreshes for hours, within all limits, is a limited number of records', async () => {
  const ends = new Map<string, number>()
  const store: TestOptions['store'] = (memory) => ({
    update: (key, change) =>
      memory.update(key, (value) => {
        const made = change(value)
        if (made.value === null) ends.delete(key)
        else if (made.value !== undefined) ends.set(key, made.expiresAt ?? Number.POSITIVE_INFINITY)
        return made
      }),
  })
  const service = start({ store, refreshTokens, limits: { loginsOfUser: 3 } })
  for (let logins = 0; logins < 20; logins += 1) {
    await service.refreshes(await service.login('mona'), 15)
    service.wait(60)
  }
  service.wait(3600)
  const now = service.clock.now()
  const left = [...ends].filter(([, expiresAt]) => expiresAt > now).map(([key]) => key.split(':')[0])
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
    const { refresh_token } = (await service.refreshes(busy, 3)).at(-1) ?? busy
    const refused = await service.refresh(refresh_token)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    const { body: next } = await service.refresh(idle.refresh_token)
    expect(next).toHaveProperty('access_token')
    expect((await service.refresh(next.refresh_token)).status).toBe(429)
    service.wait(60)
    expect((await service.refresh(refresh_token)).body).toHaveProperty('access_token')
  })

  test('are not limited without an address, nor together with those of another network', async () => {
    let address: string | undefined
    const service = start({ refreshTokens, limits, clientAddress: () => address })
    let pair = await service.login('mona')
    for (address of [undefined, '192.0.2.1', '192.0.2.2'])
      pair = (await service.refreshes(pair, 3)).at(-1) ?? pair
    expect(pair).toHaveProperty('access_token')
  })
})
