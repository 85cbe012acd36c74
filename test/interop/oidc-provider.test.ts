import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizeDevice, discover, refresh, Secret, type ShownCodes } from '../../src/index.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'
import { fastClock } from '../support/fast-clock.ts'
import { userAt } from '../support/user.ts'

/** A standard server with a device flow on a free port. It never sends `slow_down`. */
const server = createServer()
let issuer: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'device',
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        redirect_uris: [],
        response_types: [],
        application_type: 'native',
      },
    ],
    features: {
      deviceFlow: { enabled: true },
      devInteractions: { enabled: true },
      revocation: { enabled: true },
    },
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    cookies: { keys: ['for this test alone'] },
  })
  server.on('request', provider.callback())
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function login(onCodes: (codes: ShownCodes) => unknown) {
  const provider = await discover(issuer)
  return authorizeDevice({ clientId: 'device', scopes: ['openid'], provider, onCodes, clock: fastClock(20) })
}

async function enterCode({ userCode, verificationUri }: ShownCodes) {
  const { open, send } = userAt()
  return { send, confirm: await send(await open(verificationUri), { user_code: userCode }) }
}

async function approve(codes: ShownCodes) {
  const { send, confirm } = await enterCode(codes)
  const signIn = await send(confirm)
  const consent = await send(signIn, { login: 'user', password: 'any' })
  expect((await send(consent)).html).toContain('Sign-in Success')
}

test('our client gets a token from oidc-provider', async () => {
  const token = await login(approve)
  expect(token).toMatchObject({ tokenType: 'Bearer', scopes: ['openid'] })
})

test('our client is told by oidc-provider that the user denied', async () => {
  const denied = login(async (codes) => {
    const { send, confirm } = await enterCode(codes)
    await send(confirm, { abort: 'yes' })
  })
  await expect(denied).rejects.toMatchObject({ code: 'denied' })
})

test('our session refreshes at oidc-provider, which rotates the refresh token, and logs out', async () => {
  const clock = fastClock(20)
  let jump = 0
  const asked: URLSearchParams[] = []
  const session = createSession({
    clientId: 'device',
    scopes: ['openid'],
    provider: await discover(issuer),
    store: memoryStore(),
    clock: { ...clock, now: () => clock.now() + jump },
    fetch: async (address, init) => {
      asked.push(new URLSearchParams(String(init?.body)))
      return fetch(address, init)
    },
    onCodes: approve,
  })
  await session.login()
  const tokens = new Set<string>()
  for (let days = 0; days < 3; days += 1) {
    jump = days * 86_400_000
    tokens.add((await session.token()).reveal())
  }
  const spent = asked.flatMap((fields) => fields.get('refresh_token') ?? [])
  expect([tokens.size, new Set(spent).size, spent.length]).toEqual([3, 2, 2])
  expect(await session.logout()).toEqual({ revoked: true })

  const revoked = {
    refreshToken: new Secret(asked.at(-1)?.get('token') ?? ''),
    accessToken: new Secret('any'),
  }
  const token = { ...revoked, tokenType: 'bearer', scopes: [], missingScopes: [] }
  const again = refresh(token, { clientId: 'device', provider: await discover(issuer) })
  await expect(again).rejects.toMatchObject({ code: 'login_required' })
})
