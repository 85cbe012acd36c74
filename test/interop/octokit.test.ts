import { createOAuthDeviceAuth } from '@octokit/auth-oauth-device'
import { request } from '@octokit/request'
import { expect, test } from 'vitest'
import { standardService } from '../support/standard-service.ts'

type Service = Awaited<ReturnType<typeof standardService>>

/** This client polls at once, waits seven seconds more than it was told after a `slow_down`, and then forgets it. */
function login({ url, fetch }: Service, onVerification: (codes: { user_code: string }) => unknown) {
  const auth = createOAuthDeviceAuth({
    clientType: 'oauth-app',
    clientId: 'id',
    scopes: ['repo'],
    onVerification: (codes) => void onVerification(codes),
    request: request.defaults({ baseUrl: url, request: { fetch } }),
  })
  return auth({ type: 'oauth' })
}

test('@octokit/auth-oauth-device obtains a token', async () => {
  const own = await standardService()
  const authentication = await login(own, ({ user_code }) => {
    setTimeout(() => own.service.approve(user_code, 'octocat'), 7_000)
  })
  expect(authentication).toMatchObject({ tokenType: 'oauth', scopes: ['repo'] })
  expect(own.told).toEqual(['authorization_pending', 'authorization_pending'])
})

test('@octokit/auth-oauth-device hears that the user denied', async () => {
  const own = await standardService()
  const denied = login(own, ({ user_code }) => own.service.deny(user_code))
  await expect(denied).rejects.toMatchObject({ response: { data: { error: 'access_denied' } } })
})

test('@octokit/auth-oauth-device goes on after slow_down', async () => {
  const own = await standardService({ firstPoll: 'counted' })
  const authentication = await login(own, ({ user_code }) => {
    setTimeout(() => own.service.approve(user_code, 'octocat'), 2_000)
  })
  expect(authentication).toMatchObject({ tokenType: 'oauth' })
  expect(own.told).toEqual(['slow_down'])
})
