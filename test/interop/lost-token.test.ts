import { createOAuthDeviceAuth } from '@octokit/auth-oauth-device'
import { request } from '@octokit/request'
import { Octokit } from 'octokit'
import * as openid from 'openid-client'
import { expect, onTestFinished, test } from 'vitest'
import { instantTimers } from '../support/instant-timers.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

interface Login {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly approve: (userCode: string) => unknown
}

async function withOctokit({ url, fetch, approve }: Login, ask: typeof request): Promise<string> {
  const auth = createOAuthDeviceAuth({
    clientType: 'oauth-app',
    clientId: CLIENT_ID,
    onVerification: ({ user_code }) => void approve(user_code),
    request: ask.defaults({ baseUrl: url, request: { fetch } }),
  })
  return (await auth({ type: 'oauth' })).token
}

async function withOpenidClient({ url, fetch, approve }: Login, isPatient: boolean): Promise<string> {
  const config = await openid.discovery(new URL(url), CLIENT_ID, undefined, openid.None(), {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
    [openid.customFetch]: (address, init) => fetch(address, init as RequestInit),
  })
  const codes = await openid.initiateDeviceAuthorization(config, {})
  await approve(codes.user_code)
  for (;;) {
    try {
      return (await openid.pollDeviceAuthorizationGrant(config, codes)).access_token
    } catch (error) {
      if (!isPatient || !(error instanceof TypeError)) throw error
    }
  }
}

/** Our own client is in `test/flow`. */
test.each<[name: string, does: string, login: (at: Login) => Promise<string>]>([
  ['Octokit with its retry plugin', 'asks again', (at) => withOctokit(at, new Octokit().request)],
  ['Octokit without it', 'ends', (at) => withOctokit(at, request)],
  ['openid-client in a loop', 'asks again', (at) => withOpenidClient(at, true)],
  ['openid-client', 'ends', (at) => withOpenidClient(at, false)],
])('%s loses the response with its token, and %s', async (_, does, login) => {
  const service = startService({ dialect: 'rfc8628' })
  const { url, close } = await service.listen()
  onTestFinished(close)
  const withInstantTimers = instantTimers(service.clock)
  const sent: string[] = []
  const lossy: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init)
    const { access_token } = await response.clone().json()
    if (access_token === undefined) return response
    sent.push(access_token)
    if (sent.length === 1) throw new TypeError('fetch failed')
    return response
  }
  const approve = (userCode: string) => service.approve(userCode, 'octocat')
  const token = await withInstantTimers(() => login({ url, fetch: lossy, approve })).catch(() => 'none')
  const asksAgain = does === 'asks again'
  expect(sent).toHaveLength(asksAgain ? 2 : 1)
  expect(new Set(sent).size).toBe(1)
  expect(token).toBe(asksAgain ? sent[0] : 'none')
})
