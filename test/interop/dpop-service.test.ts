import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { oauth as authorized, createApi } from '../../src/auth/index.ts'
import { dpop } from '../../src/dpop/index.ts'
import { discover, refresh, type ShownCodes } from '../../src/index.ts'
import { type AccessError, createService } from '../../src/service/index.ts'
import { logInBySteps, tokenOf } from './support/log-in-by-steps.ts'

const clientId = 'device'
const insecure = { [oauth.allowInsecureRequests]: true } as const

/** Our service, with an API of its host, and what was sent to it. */
async function start() {
  const service = createService({
    clients: [{ clientId, name: 'Device', dpop: 'required' }],
    dialect: 'rfc8628',
    interval: 1,
    dpop: { nonce: true, singleUse: true },
    refreshTokens: { lifetime: 3600 },
    onWarning: () => undefined,
  })
  const { url, close } = await service.listen()
  onTestFinished(close)
  const gate = service.requireToken({ scopes: ['profile'], baseUrl: url })
  const seen: { url: string; error: string | undefined; headers: Headers }[] = []
  /** The network: the API is in the process of the service. */
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const isApi = new URL(request.url).pathname === '/me'
    const response = isApi
      ? await gate(request).then(
          ({ user }) => Response.json({ user }),
          (error: AccessError) => error.getResponse(),
        )
      : await globalThis.fetch(request.clone())
    const challenge = /error="(\w+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1]
    const error = isApi ? challenge : (await response.clone().json()).error
    seen.push({ url: request.url, error, headers: new Headers(request.headers) })
    return response
  }
  const approve = (userCode: string) => service.approve(userCode, 'mona')
  /** Sends an API call again, byte for byte, and without its proof as a bearer token. */
  async function steal() {
    const { url, headers } = seen.at(-1) ?? { url: '', headers: new Headers() }
    const copy = await fetch(url, { headers })
    const bearer = headers.get('authorization')?.replace(/^DPoP/i, 'Bearer') ?? ''
    const asBearer = await fetch(url, { headers: { authorization: bearer } })
    return [copy.status, asBearer.status, ...seen.slice(-2).map(({ error }) => error)]
  }
  const errorsAt = (path: string) => seen.filter(({ url }) => url.endsWith(path)).map(({ error }) => error)
  return { url, fetch, approve, steal, errorsAt }
}

const STOLEN = [401, 401, 'invalid_dpop_proof', 'invalid_token']

describe('at our service with nonces', () => {
  test('our client logs in, refreshes and calls an API: a copy of its call is refused', async () => {
    const { url, fetch, approve, steal, errorsAt } = await start()
    const provider = { ...(await discover(url)), baseUrl: url }
    const options = { provider, fetch, dpop: dpop({ required: true }) }
    const first = { clientId, scopes: ['profile'] }
    const decide = ({ userCode }: ShownCodes) => approve(userCode)
    const { begun, pending, step } = await logInBySteps(first, options, decide)
    expect(pending).toMatchObject({ status: 'pending', record: { interval: begun.record.interval } })
    const token = await refresh(tokenOf(step), { clientId, ...options })
    expect(token.tokenType).toBe('DPoP')
    expect(errorsAt('/device/code')).toEqual(['use_dpop_nonce', undefined])
    expect(errorsAt('/access_token')).toEqual(['authorization_pending', undefined, undefined])
    const api = createApi({ auth: authorized(token, { dpop: dpop() }), provider, fetch })
    expect(await api('/me')).toEqual({ user: 'mona' })
    expect(await steal()).toEqual(STOLEN)
    expect(await api('/me')).toEqual({ user: 'mona' })
  })

  test('oauth4webapi logs in, refreshes and calls an API: a copy of its call is refused', async () => {
    const { url, fetch, approve, steal, errorsAt } = await start()
    const issuer = new URL(url)
    const server = await oauth
      .discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
      .then((response) => oauth.processDiscoveryResponse(issuer, response))
    const client: oauth.Client = { client_id: clientId }
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
    const via = { ...insecure, [oauth.customFetch]: fetch as never }
    const options = { ...via, DPoP }
    /** Sends a request, and once more if it lacked a nonce: the library leaves that to its caller. */
    async function withNonce<Result>(send: () => Promise<Result>): Promise<Result> {
      return send().catch((error: unknown) => {
        if (oauth.isDPoPNonceError(error)) return send()
        throw error
      })
    }
    // The library sends no proof here: the first poll binds the device code.
    const none = oauth.None()
    const codes = await oauth
      .deviceAuthorizationRequest(server, client, none, { scope: 'profile' }, via)
      .then((response) => oauth.processDeviceAuthorizationResponse(server, client, response))
    const poll = () =>
      oauth
        .deviceCodeGrantRequest(server, client, none, codes.device_code, options)
        .then((response) => oauth.processDeviceCodeResponse(server, client, response))
    await expect(withNonce(poll)).rejects.toMatchObject({ error: 'authorization_pending' })
    await approve(codes.user_code)
    const first = await poll()
    const token = await oauth
      .refreshTokenGrantRequest(server, client, none, first.refresh_token ?? '', options)
      .then((response) => oauth.processRefreshTokenResponse(server, client, response))
    expect([first.token_type, token.token_type]).toEqual(['dpop', 'dpop'])
    expect(errorsAt('/access_token')).toEqual([
      'use_dpop_nonce',
      'authorization_pending',
      undefined,
      undefined,
    ])
    const call = () =>
      oauth.protectedResourceRequest(token.access_token, 'GET', new URL('/me', url), undefined, null, options)
    expect(await (await withNonce(call)).json()).toEqual({ user: 'mona' })
    expect(await steal()).toEqual(STOLEN)
  })

  test('openid-client logs in, refreshes and calls an API: a copy of its call is refused', async () => {
    const { url, fetch, approve, steal, errorsAt } = await start()
    const config = await openid.discovery(new URL(url), clientId, undefined, openid.None(), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
      [openid.customFetch]: fetch as never,
    })
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair())
    const codes = await openid.initiateDeviceAuthorization(config, { scope: 'profile' })
    await approve(codes.user_code)
    const first = await openid.pollDeviceAuthorizationGrant(config, codes, undefined, { DPoP })
    const token = await openid.refreshTokenGrant(config, first.refresh_token ?? '', undefined, { DPoP })
    expect([first.token_type, token.token_type]).toEqual(['dpop', 'dpop'])
    expect(errorsAt('/access_token')).toEqual(['use_dpop_nonce', undefined, undefined])
    const response = await openid.fetchProtectedResource(
      config,
      token.access_token,
      new URL('/me', url),
      'GET',
      undefined,
      undefined,
      { DPoP },
    )
    expect(await response.json()).toEqual({ user: 'mona' })
    expect(await steal()).toEqual(STOLEN)
  })
})
