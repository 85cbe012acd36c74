import * as client from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createService, type Listening } from '../../src/service/index.ts'
import { fastTime } from '../support/fast-time.ts'
import { GRANT_TYPE } from '../support/start-service.ts'

const clock = fastTime()
const service = createService({
  clients: [{ clientId: 'openid', name: 'openid-client' }],
  profile: 'rfc8628',
  interval: 1,
  clock,
})
let listening: Listening

beforeAll(async () => {
  listening = await service.listen()
})

afterAll(() => listening.close())

/** Logs in over HTTP with this way to name the client. The user decides once there were this many answers to polls. */
async function login(
  authentication: client.ClientAuth,
  decide: (userCode: string) => Promise<unknown>,
  { decideAfter = 1, beforeFirstPoll = async (_deviceCode: string) => {} } = {},
) {
  const { url } = listening
  const heard: string[] = []
  const server = {
    issuer: url,
    device_authorization_endpoint: `${url}/login/device/code`,
    token_endpoint: `${url}/login/oauth/access_token`,
  }
  const config = new client.Configuration(server, 'openid', undefined, authentication)
  client.allowInsecureRequests(config)
  const codes = await client.initiateDeviceAuthorization(config, { scope: 'repo gist' })
  config[client.customFetch] = async (address, init) => {
    if (heard.length === 0) await beforeFirstPoll(codes.device_code)
    const answer = await fetch(address, init as RequestInit)
    heard.push((await answer.clone().json()).error ?? 'token')
    if (heard.length === decideAfter) await decide(codes.user_code)
    return answer
  }
  return { token: client.pollDeviceAuthorizationGrant(config, codes), heard }
}

/** A client whose id goes in a Basic header. */
const basicWithoutPassword: client.ClientAuth = (_server, { client_id }, _body, headers) =>
  headers.set('authorization', `Basic ${btoa(`${client_id}:`)}`)

test.each([
  ['in the body', client.None()],
  ['in a Basic header', basicWithoutPassword],
])('obtains a token of our service with its id %s', async (_, authentication) => {
  const { token, heard } = await login(authentication, (code) => service.approve(code, 'octocat'))
  const { access_token, token_type, scope } = await token
  expect({ token_type, scope }).toEqual({ token_type: 'bearer', scope: 'repo gist' })
  expect(heard).toEqual(['authorization_pending', 'token'])
  const user = await fetch(`${listening.url}/user`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(await user.json()).toEqual({ login: 'octocat' })
})

test('hears of our service that the user denied', async () => {
  const { token, heard } = await login(client.None(), service.deny)
  await expect(token).rejects.toMatchObject({ error: 'access_denied', status: 400 })
  expect(heard).toEqual(['authorization_pending', 'access_denied'])
})

test('is slowed down by our service, and obtains its token', async () => {
  const { token, heard } = await login(client.None(), (code) => service.approve(code, 'octocat'), {
    decideAfter: 2,
    // Somebody else polls a moment before, so that the first poll of the client is too early.
    beforeFirstPoll: async (device_code) => {
      const body = new URLSearchParams({ client_id: 'openid', device_code, grant_type: GRANT_TYPE })
      await service.fetch(`${listening.url}/login/oauth/access_token`, { method: 'POST', body })
    },
  })
  expect((await token).access_token).toMatch(/^gho_/)
  expect(heard).toEqual(['slow_down', 'authorization_pending', 'token'])
})
