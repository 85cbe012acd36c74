import { createServer } from 'node:http'
import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { ShownCodes } from '../../../src/index.ts'
import { listenOnLoopback } from '../../support/listen-on-loopback.ts'
import { userAt } from '../../support/user.ts'

/** A public client of the device flow, apart from its id. */
export const DEVICE_CLIENT = {
  token_endpoint_auth_method: 'none' as const,
  grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  redirect_uris: [],
  response_types: [],
  application_type: 'native' as const,
}

/** What the user enters, and where. */
type EnteredCodes = Pick<ShownCodes, 'userCode' | 'verificationUri'>

/** Starts oidc-provider with its device flow, rotating refresh tokens, and a user who signs in and decides. */
export async function startOidcProvider(
  { features, ...configuration }: Configuration = {},
  middleware?: (context: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>,
) {
  const server = createServer()
  const { url: issuer, close } = await listenOnLoopback(server)
  const provider = new Provider(issuer, {
    clients: ['device', 'another'].map((client_id) => ({ ...DEVICE_CLIENT, client_id })),
    scopes: ['openid', 'offline_access', 'profile'],
    features: {
      deviceFlow: { enabled: true },
      devInteractions: { enabled: true },
      revocation: { enabled: true },
      ...features,
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    cookies: { keys: ['for this test alone'] },
    ...configuration,
  })
  if (middleware) provider.use(middleware)
  server.on('request', provider.callback())

  async function enterCode({ userCode, verificationUri }: EnteredCodes) {
    const { open, send } = userAt()
    return { send, confirm: await send(await open(verificationUri), { user_code: userCode }) }
  }

  return {
    issuer,
    provider,
    close,
    async approve(codes: EnteredCodes) {
      const { send, confirm } = await enterCode(codes)
      const { html } = await send(await send(await send(confirm), { login: 'user', password: 'any' }))
      if (!html.includes('Sign-in Success')) throw new Error('the user could not sign in')
    },
    async deny(codes: EnteredCodes) {
      const { send, confirm } = await enterCode(codes)
      await send(confirm, { abort: 'yes' })
    },
  }
}
