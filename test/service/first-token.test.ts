import { describe, expect, test, vi } from 'vitest'
import { Secret } from '../../src/secret.ts'
import { memoryStore } from '../../src/service/index.ts'
import { beforeUpdates } from '../support/before-updates.ts'
import { eventually } from '../support/eventually.ts'
import { CLIENT_ID, startService, type TestOptions } from '../support/start-service.ts'

const refreshTokens = { lifetime: 86_400, reuseWindow: 30 }
const USER = { id: 7, login: 'octocat' }

/** A service with a device that was approved. */
async function approved(options: TestOptions = {}) {
  const service = startService(options)
  const { deviceCode, poll } = await service.approved()
  return { ...service, deviceCode, again: async () => (await poll()).body }
}

/** A login whose device polled too early, so that its first token is delivered for longer. */
async function slowedLogin(service: ReturnType<typeof startService>, earlyPolls = 6) {
  const slowed = await service.begin()
  for (let polls = 0; polls <= earlyPolls; polls += 1) {
    if (polls % 30 === 29) service.wait(10)
    await slowed.poll()
  }
  await service.approve(slowed.userCode, USER)
  return { ...slowed, received: (await slowed.poll()).body }
}

describe('the first token is delivered again', () => {
  test('for ten minutes at most, early or not, and the events say so', async () => {
    const { again, wait, events } = await approved({ interval: 3600 })
    const first = await again()
    expect(first.access_token).toEqual(expect.any(String))
    expect(await again()).toEqual(first)
    const issued = events.filter(({ type }) => type === 'token.issued')
    expect(issued).toMatchObject([{ replayed: false }, { replayed: true }])
    expect({ ...issued[1], replayed: false }).toEqual(issued[0])
    wait(600 - 0.001)
    expect(await again()).toEqual(first)
    wait(0.001)
    for (const { error } of [await again(), await again()]) expect(error).toBe('incorrect_device_code')
  })

  test('with what is left of its lifetimes, and for no longer than the token lives', async () => {
    const { again, wait } = await approved({
      refreshTokens,
      issueToken: () => ({ token: 'short', expiresIn: 40 }),
    })
    const first = await again()
    expect(first).toMatchObject({ expires_in: 40, refresh_token_expires_in: 86_400 })
    wait(39.5)
    expect(await again()).toEqual({ ...first, expires_in: 0, refresh_token_expires_in: 86_360 })
    wait(0.5)
    expect((await again()).error).toBe('incorrect_device_code')
  })

  test('as often as early polls are allowed', async () => {
    const { deviceCode, poll, wait, events } = await approved()
    const statuses: number[] = []
    for (let polls = 0; polls < 33; polls += 1) statuses.push((await poll(deviceCode)).status)
    // The first delivery, and thirty more.
    expect(statuses).toEqual([...Array(31).fill(200), 429, 429])
    expect(events.filter(({ type }) => type === 'limited')).toMatchObject([{ limit: 'earlyPolls' }])
    wait(10)
    expect((await poll(deviceCode)).body.access_token).toEqual(expect.any(String))
  })

  test('to a client that sent its secret only with its secret', async () => {
    const clientSecret = 'a-secret-of-the-client'
    const clients = [{ clientId: CLIENT_ID, clientSecret, name: 'App' }]
    const { again, poll, deviceCode } = await approved({ clients })
    const first = (await poll(deviceCode, { client_secret: clientSecret })).body
    expect(first.access_token).toEqual(expect.any(String))
    expect((await again()).error).toBe('incorrect_device_code')
    expect((await poll(deviceCode, { client_secret: clientSecret })).body).toEqual(first)
  })
})

describe('the first token is not delivered again', () => {
  const verifyToken = () => ({ user: USER, scopes: [] })
  type Approved = Awaited<ReturnType<typeof approved>>
  interface Received {
    readonly access_token: string
    readonly refresh_token: string
  }
  test.each<[string, TestOptions, (service: Approved, received: Received) => unknown, status: number]>([
    ['once it was used', {}, ({ whoIs }, { access_token }) => whoIs(access_token), 200],
    [
      'once it was refreshed',
      { refreshTokens, verifyToken },
      (at, { refresh_token }) => at.refresh(refresh_token),
      200,
    ],
    ['once the host revoked it', {}, ({ revoke }, { access_token }) => revoke({ token: access_token }), 401],
    [
      'once its login was revoked',
      { refreshTokens },
      ({ revoke }, pair) => revoke({ token: pair.refresh_token }),
      401,
    ],
    [
      'once all tokens of its user were revoked',
      { verifyToken },
      ({ revoke }) => revoke({ user: USER }),
      200,
    ],
  ])('%s', async (_, options, close, status) => {
    for (const dialect of ['github', 'rfc8628'] as const) {
      const service = await approved({ ...options, dialect })
      const received = await service.again()
      await close(service, received)
      const unknown = dialect === 'github' ? 'incorrect_device_code' : 'invalid_grant'
      expect((await service.again()).error).toBe(unknown)
      expect((await service.whoIs(received.access_token)).status).toBe(status)
    }
  })

  test('once its login was revoked, however much its device was slowed down', async () => {
    const service = startService({ refreshTokens })
    const { poll, received } = await slowedLogin(service, 60)
    await service.revoke({ token: received.refresh_token })
    // Until nothing is known of the login any more.
    service.wait(901)
    expect((await poll()).body.error).toBe('incorrect_device_code')
  })

  test.each(['family:', 'token:'])(
    'by an instance that stood still before it wrote the %s',
    async (prefix) => {
      let stands = false
      let goOn = () => {}
      const store = beforeUpdates((key) => {
        if (!stands || !key.startsWith(prefix)) return undefined
        stands = false
        return new Promise<void>((resolve) => {
          goOn = resolve
        })
      })
      const hasFamily = prefix === 'family:' && { refreshTokens }
      const { again, revoke, whoIs, wait } = await approved({ store, ...hasFamily })
      const { access_token } = await again()
      stands = true
      const late = again()
      await vi.waitFor(() => expect(stands).toBe(false), { interval: 1 })
      await revoke({ token: access_token })
      wait(901)
      goOn()
      expect((await late).error).toBe('incorrect_device_code')
      expect((await whoIs(access_token)).status).toBe(401)
    },
  )

  test('and a removed one is not valid, even if the clock of the store is behind', async () => {
    const service = await approved({ store: memoryStore({ clock: { now: () => 0 } }) })
    const { access_token } = await service.again()
    await service.revoke({ token: access_token })
    service.wait(700)
    expect((await service.whoIs(access_token)).status).toBe(401)
  })
})

describe('a host with one token for all logins of a user', () => {
  const issueToken = () => new Secret('the-one')

  test('loses none of them to a login that is not settled', async () => {
    let updates = 0
    // Writes of each grant: issued, approved, polled, and then settled, which never happens for the second.
    const store = beforeUpdates((key) => {
      if (key.startsWith('grant:')) updates += 1
      return updates === 8 && new Promise(() => undefined)
    })
    const service = await approved({ store, issueToken, refreshTokens })
    await service.again()
    const { poll } = await service.approved()
    void poll()
    await eventually(() => expect(updates).toBe(8))
    const next = startService({ store: service.memory, clock: service.clock })
    expect((await next.whoIs('the-one')).status).toBe(200)
  })

  test('delivers it again to each of them, until a later login has it', async () => {
    const service = await approved({ issueToken })
    expect((await service.again()).access_token).toBe('the-one')
    service.wait(1)
    const { poll } = await service.approved()
    expect((await poll()).body.access_token).toBe('the-one')
    expect((await poll()).body.access_token).toBe('the-one')
    expect((await service.again()).error).toBe('incorrect_device_code')
  })

  test('delivers it to a later login, although an earlier one is delivered for longer', async () => {
    const service = startService({ issueToken })
    await slowedLogin(service)
    expect((await service.login()).access_token).toBe('the-one')
  })

  test.each([5, 65])('brings it back to none of them once it was removed, after %i s', async (seconds) => {
    const service = startService({ issueToken })
    const { poll } = await slowedLogin(service)
    service.wait(1)
    await service.login()
    service.wait(seconds)
    await service.revoke({ token: 'the-one' })
    service.wait(1)
    expect((await poll()).body.error).toBe('incorrect_device_code')
    expect((await service.whoIs('the-one')).status).toBe(401)
  })
})

test('an approval is withdrawn when all tokens of the user are revoked before the device polls', async () => {
  for (const options of [{}, { refreshTokens }]) {
    const issueToken = vi.fn(() => 'the-token')
    const { again, revoke } = await approved({ issueToken, ...options })
    await revoke({ user: USER })
    for (const response of [await again(), await again()]) expect(response.error).toBe('access_denied')
    expect(issueToken).not.toHaveBeenCalled()
  }
})
