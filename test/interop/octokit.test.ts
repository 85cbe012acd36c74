import { createOAuthDeviceAuth } from '@octokit/auth-oauth-device'
import { createDeviceCode, deleteToken, exchangeDeviceCode } from '@octokit/oauth-methods'
import { request } from '@octokit/request'
import { expect, test } from 'vitest'
import { CLIENT_ID, HOST, startService } from '../support/start-service.ts'
import { clientContract, type ForeignClient, wait } from './client-contract.ts'

/** The rejections of Octokit. */
interface RequestError {
  readonly response?: { readonly data: unknown }
}

/** Octokit reads the error from the body with either status. */
const octokit = {
  dialects: ['github', 'rfc8628'],
  errorOf: (failure) => responseIn(failure as RequestError).error,
} satisfies Partial<ForeignClient>

clientContract('@octokit/auth-oauth-device', {
  ...octokit,
  async login({ url, clientId, scopes, fetch, onUserCode }) {
    const auth = createOAuthDeviceAuth({
      clientType: 'oauth-app',
      clientId,
      scopes: [...scopes],
      onVerification: ({ user_code }) => onUserCode(user_code),
      request: request.defaults({ baseUrl: url, request: { fetch } }),
    })
    const { token, scopes: granted } = await auth({ type: 'oauth' })
    return { token, scope: granted.join(' ') }
  },
})

/** Only the two requests; the caller waits. */
clientContract('@octokit/oauth-methods', {
  ...octokit,
  async login({ url, clientId, scopes, fetch, onUserCode }) {
    const call = {
      clientType: 'oauth-app',
      clientId,
      request: request.defaults({ baseUrl: url, request: { fetch } }),
    } as const
    const { data: codes } = await createDeviceCode({ ...call, scopes: [...scopes] })
    onUserCode(codes.user_code)
    for (let { interval } = codes; ; ) {
      await wait(interval)
      try {
        const { data } = await exchangeDeviceCode({ ...call, code: codes.device_code })
        return { token: data.access_token, scope: data.scope }
      } catch (error) {
        const { error: code, interval: longer } = responseIn(error as RequestError)
        if (code === 'slow_down') interval = longer ?? interval + 5
        else if (code !== 'authorization_pending') throw error
      }
    }
  },
})

test('Octokit logs in without the secret that its app has, and ends that login with it', async () => {
  const client = { clientId: CLIENT_ID, clientSecret: 'the-secret', name: 'App' }
  const service = startService({ clients: [client] })
  const call = {
    clientType: 'oauth-app',
    clientId: CLIENT_ID,
    request: request.defaults({ baseUrl: HOST, request: { fetch: service.fetch } }),
  } as const
  const { data: codes } = await createDeviceCode({ ...call, scopes: ['repo'] })
  await service.approve(codes.user_code, 'octocat')
  const { authentication } = await exchangeDeviceCode({ ...call, code: codes.device_code, scopes: ['repo'] })
  expect((await service.whoIs(authentication.token)).status).toBe(200)
  await deleteToken({ ...call, clientSecret: client.clientSecret, token: authentication.token })
  expect((await service.whoIs(authentication.token)).status).toBe(401)
})

test('Octokit shows a complete error message', async () => {
  const { fetch } = startService()
  const failure = exchangeDeviceCode({
    clientType: 'oauth-app',
    clientId: CLIENT_ID,
    code: 'unknown',
    request: request.defaults({ baseUrl: HOST, request: { fetch } }),
  })
  await expect(failure).rejects.toThrow(
    /the device code is unknown or was used .*https:\/\/www\.rfc-editor\.org\//,
  )
  await expect(failure).rejects.not.toThrow('undefined')
})

function responseIn({ response }: RequestError): { readonly error?: string; readonly interval?: number } {
  return (response?.data ?? {}) as { error?: string; interval?: number }
}
