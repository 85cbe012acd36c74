import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizeDevice, discover, type ShownCodes } from '../../src/index.ts'
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
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
        redirect_uris: [],
        response_types: [],
        application_type: 'native',
      },
    ],
    features: { deviceFlow: { enabled: true }, devInteractions: { enabled: true } },
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

test('our client gets a token from oidc-provider', async () => {
  const token = await login(async (codes) => {
    const { send, confirm } = await enterCode(codes)
    const signIn = await send(confirm)
    const consent = await send(signIn, { login: 'user', password: 'any' })
    expect((await send(consent)).html).toContain('Sign-in Success')
  })
  expect(token).toMatchObject({ tokenType: 'Bearer', scopes: ['openid'] })
})

test('our client is told by oidc-provider that the user denied', async () => {
  const denied = login(async (codes) => {
    const { send, confirm } = await enterCode(codes)
    await send(confirm, { abort: 'yes' })
  })
  await expect(denied).rejects.toMatchObject({ code: 'denied' })
})
