import { exportJWK, generateKeyPair } from 'jose'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { beforeAll, expect, test } from 'vitest'
import { createService } from '../../src/service/index.ts'
import { SECRET } from './refresh-contract.ts'

const API = 'https://api.example'
const CLI: oauth.Client = { client_id: 'cli' }
const insecure = { [oauth.allowInsecureRequests]: true } as const

let server: oauth.AuthorizationServer
let login: oauth.TokenEndpointResponse
let loginResponse: Response
let loginOfAnotherApi: oauth.TokenEndpointResponse

const request = ({ access_token }: oauth.TokenEndpointResponse) =>
  new Request(API, { headers: { authorization: `Bearer ${access_token}` } })

beforeAll(async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const service = createService({
    clients: [{ clientId: 'cli', name: 'CLI' }],
    dialect: 'rfc8628',
    keys: [await exportJWK(privateKey)],
    resources: [
      { uri: API, name: 'API', secret: SECRET },
      { uri: 'https://another.example', name: 'Another API' },
    ],
  })
  const { url, close } = await service.listen()
  const issuer = new URL(url)
  server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  const logIn = async (resource: string) => {
    const fields = { scope: 'openid profile', resource }
    const response = await oauth.deviceAuthorizationRequest(server, CLI, oauth.None(), fields, insecure)
    const codes = await oauth.processDeviceAuthorizationResponse(server, CLI, response)
    await service.approve(codes.user_code, { id: 7, login: 'mona' })
    const poll = await oauth.deviceCodeGrantRequest(server, CLI, oauth.None(), codes.device_code, insecure)
    return { response: poll, body: await oauth.processDeviceCodeResponse(server, CLI, poll) }
  }
  const first = await logIn(API)
  login = first.body
  loginResponse = first.response
  loginOfAnotherApi = (await logIn('https://another.example')).body
  return close
})

test('oauth4webapi verifies our JWTs in an API, and refuses one for another API', async () => {
  const claims = await oauth.validateJwtAccessToken(server, request(login), API, insecure)
  expect(claims).toMatchObject({ sub: '7', client_id: 'cli', scope: 'openid profile' })
  const refused = oauth.validateJwtAccessToken(server, request(loginOfAnotherApi), API, insecure)
  await expect(refused).rejects.toThrow('audience')
})

test('oauth4webapi accepts our ID tokens, and verifies their signature', async () => {
  expect(oauth.getValidatedIdTokenClaims(login)).toMatchObject({ sub: '7', preferred_username: 'mona' })
  await oauth.validateApplicationLevelSignature(server, loginResponse, insecure)
})

test.each([
  ['in a Basic header', oauth.ClientSecretBasic(SECRET)],
  ['in the body', oauth.ClientSecretPost(SECRET)],
])('oauth4webapi introspects our tokens with its secret %s', async (_, authentication) => {
  const api: oauth.Client = { client_id: API }
  const ask = async ({ access_token }: oauth.TokenEndpointResponse) =>
    oauth.processIntrospectionResponse(
      server,
      api,
      await oauth.introspectionRequest(server, api, authentication, access_token, insecure),
    )
  expect(await ask(login)).toMatchObject({ active: true, sub: '7', aud: API })
  expect(await ask(loginOfAnotherApi)).toEqual({ active: false })
})

test('openid-client introspects our tokens', async () => {
  const config = await client.discovery(new URL(server.issuer), API, SECRET, undefined, {
    execute: [client.allowInsecureRequests],
  })
  expect(await client.tokenIntrospection(config, login.access_token)).toMatchObject({
    active: true,
    sub: '7',
  })
})
