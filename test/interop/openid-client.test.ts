import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { standardService } from '../support/standard-service.ts'

type Service = Awaited<ReturnType<typeof standardService>>

async function login({ url, fetch }: Service, onCodes: (codes: { user_code: string }) => unknown) {
  const config = new client.Configuration(
    {
      issuer: url,
      device_authorization_endpoint: `${url}/login/device/code`,
      token_endpoint: `${url}/login/oauth/access_token`,
    },
    'id',
    undefined,
    client.None(),
  )
  client.allowInsecureRequests(config)
  config[client.customFetch] = fetch as client.CustomFetch
  const codes = await client.initiateDeviceAuthorization(config, { scope: 'repo gist' })
  await onCodes(codes)
  return client.pollDeviceAuthorizationGrant(config, codes)
}

test('openid-client obtains a token', async () => {
  const own = await standardService({ profile: 'rfc8628' })
  const token = await login(own, ({ user_code }) => {
    setTimeout(() => own.service.approve(user_code, 'octocat'), 7_000)
  })
  expect(token).toMatchObject({ token_type: 'bearer', scope: 'repo gist' })
  expect(own.told).toEqual(['authorization_pending'])
})

test('openid-client hears that the user denied', async () => {
  const own = await standardService({ profile: 'rfc8628' })
  const denied = login(own, ({ user_code }) => own.service.deny(user_code))
  await expect(denied).rejects.toMatchObject({ error: 'access_denied', status: 400 })
})

test('openid-client goes on after slow_down', async () => {
  // Its first poll comes after five seconds: too early for a service whose interval, ten, it was not told of.
  const own = await standardService({ profile: 'rfc8628', interval: 10, firstPoll: 'counted' })
  const { fetch } = own
  own.fetch = async (input, init) => {
    const answer = await fetch(input, init)
    const body = await answer.json()
    return Response.json({ ...body, ...(body.device_code && { interval: 5 }) }, answer)
  }
  const token = await login(own, ({ user_code }) => {
    setTimeout(() => own.service.approve(user_code, 'octocat'), 7_000)
  })
  expect(token).toMatchObject({ token_type: 'bearer' })
  expect(own.told).toEqual(['slow_down'])
})
