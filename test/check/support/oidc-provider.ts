import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import type { ShownCodes } from '../../../src/index.ts'
import { userAt } from '../../support/user.ts'

/** oidc-provider with its device flow on a free port, and a user who signs in and decides. */
export async function startOidcProvider() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: ['device', 'another'].map((client_id) => ({
      client_id,
      token_endpoint_auth_method: 'none',
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      redirect_uris: [],
      response_types: [],
      application_type: 'native',
    })),
    scopes: ['openid', 'offline_access', 'profile'],
    features: {
      deviceFlow: { enabled: true },
      devInteractions: { enabled: true },
      revocation: { enabled: true },
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    cookies: { keys: ['for this test alone'] },
    ttl: { DeviceCode: 14 },
  })
  server.on('request', provider.callback())

  return {
    issuer,
    deviceAuthorizationEndpoint: `${issuer}/device/auth`,
    tokenEndpoint: `${issuer}/token`,
    resource: `${issuer}/me`,
    async approve({ userCode, verificationUri }: ShownCodes) {
      const { open, send } = userAt()
      const signIn = await send(await send(await open(verificationUri), { user_code: userCode }))
      const { html } = await send(await send(signIn, { login: 'user', password: 'any' }))
      if (!html.includes('Sign-in Success')) throw new Error('the user could not sign in')
    },
    async deny({ userCode, verificationUri }: ShownCodes) {
      const { open, send } = userAt()
      await send(await send(await open(verificationUri), { user_code: userCode }), { abort: 'yes' })
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
