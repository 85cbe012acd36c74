import { expect, test } from 'vitest'
import { discover } from '../../src/client/discover.ts'
import { createService } from '../../src/service/index.ts'
import { CLIENT_ID, GRANT_TYPE, startService } from '../support/start-service.ts'

test('the metadata names the endpoints and the grant', async () => {
  const { status, headers, body } = await startService().send('/.well-known/oauth-authorization-server')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch('application/json')
  expect(body).toEqual({
    issuer: 'http://localhost',
    device_authorization_endpoint: 'http://localhost/login/device/code',
    token_endpoint: 'http://localhost/login/oauth/access_token',
    grant_types_supported: [GRANT_TYPE],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none'],
  })
})

test.each(['', '/tenant'])('a client discovers a service at the path %j over HTTP', async (path) => {
  const port = await freePort()
  const authUrl = `http://127.0.0.1:${port}${path}`
  const service = createService({ clients: [{ clientId: CLIENT_ID, name: 'App' }], authUrl })
  const { close } = await service.listen({ port })
  try {
    const profile = await discover(authUrl)
    expect(profile.deviceAuthorizationEndpoint).toBe(`${authUrl}/login/device/code`)
    expect(profile.tokenEndpoint).toBe(`${authUrl}/login/oauth/access_token`)
  } finally {
    await close()
  }
})

test('only the login host has metadata', async () => {
  const service = startService({ authUrl: 'http://login.localhost', baseUrl: 'http://api.localhost' })
  const at = (host: string) => service.fetch(`http://${host}/.well-known/oauth-authorization-server`)
  expect((await at('login.localhost')).status).toBe(200)
  expect((await at('api.localhost')).status).toBe(404)
})

async function freePort(): Promise<number> {
  const { url, close } = await createService({ clients: [] }).listen()
  await close()
  return Number(new URL(url).port)
}
