import { createHash, createPublicKey } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { decodeJwt } from 'jose'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { beforeAll, expect, test } from 'vitest'
import {
  type DeviceLoginStep,
  discover,
  type OAuthToken,
  refresh,
  Secret,
  type ShownCodes,
  type StartDeviceLoginOptions,
  startDeviceLogin,
  stepDeviceLogin,
} from '../../src/index.ts'
import { createVerifier, privateKeyJwt, verifyIdToken } from '../../src/oidc/index.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'
import { rsaKeys } from '../support/rsa-keys.ts'
import { logInBySteps, tokenOf } from './support/log-in-by-steps.ts'
import { DEVICE_CLIENT, startOidcProvider } from './support/oidc-provider.ts'

const API = 'https://api.example/'
const OPAQUE_API = 'https://opaque.example/'
const { privateKey, publicKey } = rsaKeys()
const jwk = createPublicKey(publicKey).export({ format: 'jwk' })

let server: Awaited<ReturnType<typeof startOidcProvider>>

// It never sends `slow_down`.
beforeAll(async () => {
  server = await startOidcProvider(
    {
      clients: [
        { ...DEVICE_CLIENT, client_id: 'device' },
        { ...DEVICE_CLIENT, client_id: 'pkce' },
        {
          ...DEVICE_CLIENT,
          client_id: 'signing',
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: { keys: [{ ...jwk, kid: 'key 1', alg: 'RS256' }] },
        },
        ...(['client_secret_basic', 'client_secret_post'] as const).map((method) => ({
          ...DEVICE_CLIENT,
          client_id: method,
          client_secret: 'a secret: 100% + more',
          token_endpoint_auth_method: method,
        })),
      ],
      features: {
        introspection: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, audience) => ({
            scope: 'read',
            audience,
            accessTokenFormat: audience === OPAQUE_API ? 'opaque' : 'jwt',
          }),
        },
      },
    },
    requirePkce,
  )
  return server.close
})

/** The code challenges of the client `pkce`, by device code. */
const challenges = new Map<string, string>()

/**
 * Requires PKCE with S256 of the client `pkce`, in the device flow. oidc-provider itself checks PKCE only in the
 * authorization code flow, and drops `code_challenge` at its device authorization endpoint.
 */
async function requirePkce(ctx: KoaContextWithOIDC, next: () => Promise<void>) {
  const fields = ctx.method === 'POST' ? new URLSearchParams(await text(ctx.req)) : undefined
  if (fields) Object.assign(ctx.req, { body: Object.fromEntries(fields) })
  if (fields?.get('client_id') !== 'pkce') return next()
  const verifier = fields.get('code_verifier') ?? ''
  const challenge = fields.get('code_challenge')
  const deviceCode = fields.get('device_code')
  const isRight =
    deviceCode === null
      ? challenge !== null && fields.get('code_challenge_method') === 'S256'
      : challenges.get(deviceCode) === createHash('sha256').update(verifier).digest('base64url')
  if (!isRight) {
    ctx.status = 400
    ctx.body = { error: deviceCode === null ? 'invalid_request' : 'invalid_grant' }
    return
  }
  await next()
  if (challenge !== null) challenges.set((ctx.body as { device_code: string }).device_code, challenge)
}

async function login(
  decide: (codes: ShownCodes) => Promise<void>,
  { clientAuthentication, ...first }: Partial<StartDeviceLoginOptions> = {},
): Promise<DeviceLoginStep> {
  const provider = await discover(server.issuer)
  const options = { provider, ...(clientAuthentication && { clientAuthentication }) }
  const login = { clientId: 'device', scopes: ['openid'], ...first }
  return (await logInBySteps(login, options, decide)).step
}

/** The token of a login that the user approves. */
async function approvedToken(options?: Partial<StartDeviceLoginOptions>): Promise<OAuthToken> {
  return tokenOf(await login(server.approve, options))
}

test('our client is told by oidc-provider that the user denied', async () => {
  expect(await login(server.deny)).toMatchObject({ status: 'denied' })
})

test('our client authenticates at oidc-provider with a private key, with both requests and at a refresh', async () => {
  const clientAuthentication = privateKeyJwt({ privateKey, keyId: 'key 1' })
  const options = { clientId: 'signing', clientAuthentication }
  const token = await approvedToken(options)
  const provider = await discover(server.issuer)
  const refreshed = await refresh(token, { ...options, provider })
  expect(refreshed.accessToken.reveal()).not.toBe(token.accessToken.reveal())
  const anotherKey = privateKeyJwt({ privateKey: rsaKeys().privateKey, keyId: 'key 1' })
  const refused = login(server.approve, { ...options, clientAuthentication: anotherKey })
  await expect(refused).rejects.toMatchObject({ code: 'refused', error: 'invalid_client' })
})

test.each(['client_secret_basic', 'client_secret_post'] as const)(
  'our client authenticates at oidc-provider by %s',
  async (method) => {
    const clientSecret = 'a secret: 100% + more'
    const token = await approvedToken({
      clientId: method,
      clientAuthentication: { method, clientSecret },
    })
    expect(token.scopes).toEqual(['openid'])
  },
)

test('our client logs in with PKCE at oidc-provider where S256 is required, and not without', async () => {
  const token = await approvedToken({ clientId: 'pkce', pkce: true })
  expect(token.scopes).toEqual(['openid'])
  const without = login(server.approve, { clientId: 'pkce' })
  await expect(without).rejects.toMatchObject({ code: 'refused', error: 'invalid_request' })
})

test('oidc-provider gives a token only to the device with the code verifier', async () => {
  const provider = await discover(server.issuer)
  const { codes, record } = await startDeviceLogin({
    clientId: 'pkce',
    scopes: ['openid'],
    provider,
    pkce: true,
  })
  await server.approve(codes)
  const due = { ...record, nextPollAt: 0 }
  const stolen = { ...due, codeVerifier: 'another-verifier-of-forty-three-characters-' }
  expect(await stepDeviceLogin(stolen, { provider })).toMatchObject({
    status: 'failed',
    error: { error: 'invalid_grant' },
  })
  expect(await stepDeviceLogin(due, { provider })).toMatchObject({ status: 'authorized' })
})

test('our client gets an ID token from oidc-provider, and verifies it with the keys that it publishes', async () => {
  const token = await approvedToken()
  expect(token).toMatchObject({ tokenType: 'Bearer', scopes: ['openid'] })
  const { issuer: iss, jwksUri: jwks } = await discover(server.issuer)
  expect(await verifyIdToken(token, { issuer: iss, clientId: 'device', jwks })).toMatchObject({ sub: 'user' })
  const another = verifyIdToken(token, { issuer: iss, clientId: 'another', jwks })
  await expect(another).rejects.toMatchObject({ code: 'bad_id_token', claim: 'aud' })
})

test('our client gets a token for a resource from oidc-provider, and another one for it at a refresh', async () => {
  const token = await approvedToken({ scopes: ['openid', 'read'], resource: API })
  const provider = await discover(server.issuer)
  const refreshed = await refresh(token, { clientId: 'device', provider, resource: API })
  for (const { accessToken } of [token, refreshed])
    expect(decodeJwt(accessToken.reveal())).toMatchObject({ aud: API, scope: 'read', client_id: 'device' })
})

test.each([
  ['a JWT', API],
  ['an opaque token', OPAQUE_API],
])('our verifier lets in %s of oidc-provider at the API that it is for', async (_, resource) => {
  const { accessToken } = await approvedToken({ scopes: ['openid', 'read'], resource })
  const headers = new Headers({ authorization: `Bearer ${accessToken.reveal()}` })
  const gateOf = (resource: string) =>
    createVerifier({
      issuer: server.issuer,
      resource,
      clientId: 'client_secret_basic',
      clientAuthentication: { clientSecret: 'a secret: 100% + more' },
    }).requireToken({ scopes: ['read'] })
  const { user, client, scopes } = await gateOf(resource)({ headers })
  expect([user, client.clientId.reveal(), scopes]).toEqual(['user', 'device', ['read']])
  const elsewhere = gateOf('https://other.example/')({ headers })
  await expect(elsewhere).rejects.toMatchObject({ status: 401 })
})

test('our session refreshes at oidc-provider, which rotates the refresh token, and logs out', async () => {
  let jump = 0
  const asked: URLSearchParams[] = []
  const session = createSession({
    clientId: 'device',
    scopes: ['openid'],
    provider: await discover(server.issuer),
    store: memoryStore(),
    clock: { now: () => Date.now() + jump, setTimeout, clearTimeout },
    fetch: async (address, init) => {
      asked.push(new URLSearchParams(String(init?.body)))
      return fetch(address, init)
    },
  })
  await session.keep(await approvedToken())
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
  const again = refresh(token, { clientId: 'device', provider: await discover(server.issuer) })
  await expect(again).rejects.toMatchObject({ code: 'login_required' })
})
