import { describe, expect, test } from 'vitest'
import { discover } from '../../src/client/discover.ts'
import { createService } from '../../src/service/index.ts'
import { ecKey } from '../support/ec-key.ts'
import { freePort } from '../support/free-port.js'
import { CLIENT_ID, GRANT_TYPE, startService, type TestOptions } from '../support/start-service.ts'

test('the metadata lists the endpoints and the grant type', async () => {
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
    revocation_endpoint: 'http://localhost/login/oauth/revoke',
    revocation_endpoint_auth_methods_supported: ['none'],
  })
})

const app = { clientId: CLIENT_ID, name: 'App' }
const own = { clientId: 'own', name: 'Own', clientSecret: 'secret' }
const REGISTRATION = { registration_endpoint: 'http://localhost/login/oauth/register' }
const DOCUMENTS = { client_id_metadata_document_supported: true }
const SECRETLY = ['client_secret_basic', 'client_secret_post']

test.each<[string, TestOptions, string[], object?]>([
  ['no clients', { clients: [] }, ['none']],
  ['a client with a secret', { clients: [own] }, SECRETLY],
  ['a client with a secret, and one without', { clients: [own, app] }, ['none', ...SECRETLY]],
  ['a function that finds clients', { clients: () => app }, ['none', ...SECRETLY]],
  ['registration', { clients: [], registration: true }, ['none', ...SECRETLY], REGISTRATION],
  [
    'documents of clients',
    { clients: [own], clientIdMetadataDocuments: { hosts: '*' } },
    ['none', ...SECRETLY],
    DOCUMENTS,
  ],
])('with %s, the metadata says how clients authenticate', async (_, options, methods, more = {}) => {
  const service = startService({ refreshTokens: { lifetime: 3600 }, ...options })
  const { body } = await service.send('/.well-known/oauth-authorization-server')
  expect(body).toMatchObject({
    grant_types_supported: [GRANT_TYPE, 'refresh_token'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    ...more,
  })
})

test.each(['', '/tenant'])('a client discovers a service at the path %j over HTTP', async (path) => {
  const port = await freePort()
  const authUrl = `http://127.0.0.1:${port}${path}`
  const service = createService({ clients: [{ clientId: CLIENT_ID, name: 'App' }], authUrl })
  const { close } = await service.listen({ port })
  try {
    const provider = await discover(authUrl)
    expect(provider.deviceAuthorizationEndpoint).toBe(`${authUrl}/login/device/code`)
    expect(provider.tokenEndpoint).toBe(`${authUrl}/login/oauth/access_token`)
    expect(provider.revocationEndpoint).toBe(`${authUrl}/login/oauth/revoke`)
  } finally {
    await close()
  }
})

test('the metadata name an authorization endpoint only on request, and it refuses the code flow without a redirect', async () => {
  const service = startService({ authorizationEndpoint: true })
  const { body } = await service.send('/.well-known/oauth-authorization-server')
  expect(body).toMatchObject({
    authorization_endpoint: 'http://localhost/login/device',
    response_types_supported: ['code'],
  })
  const query = '?response_type=code&client_id=a&redirect_uri=https%3A%2F%2Fevil.example'
  const refused = await service.send(`/login/device${query}`)
  expect([refused.status, refused.body.error]).toEqual([400, 'unsupported_response_type'])
  expect(refused.headers.has('location')).toBe(false)
})

describe('the OpenID configuration', () => {
  const path = '/.well-known/openid-configuration'
  const clients = [
    { clientId: CLIENT_ID, name: 'App', scopes: ['openid', 'repo'] },
    { clientId: 'another', name: 'Another app', scopes: ['repo', 'gist'] },
    { clientId: 'any', name: 'Any scope' },
  ]

  test('is served only with its option: the metadata, the scopes of the clients, and an authorization endpoint', async () => {
    expect((await startService().send(path)).status).toBe(404)
    const service = startService({ clients, openidConfiguration: true })
    const { body: metadata } = await service.send('/.well-known/oauth-authorization-server')
    expect((await service.send(path)).body).toEqual({
      ...metadata,
      authorization_endpoint: 'http://localhost/login/device',
      scopes_supported: ['repo', 'gist'],
    })
  })

  test('is complete with keys, without an option', async () => {
    const service = startService({ clients, keys: [await ecKey('one')] })
    const { body: metadata } = await service.send('/.well-known/oauth-authorization-server')
    expect((await service.send(path)).body).toEqual({
      ...metadata,
      jwks_uri: 'http://localhost/.well-known/jwks.json',
      authorization_endpoint: 'http://localhost/login/device',
      response_types_supported: [],
      scopes_supported: ['openid', 'repo', 'gist'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    })
  })

  test('is below the path of the issuer, as OpenID Connect requires', async () => {
    const service = startService({ authUrl: 'https://login.example/tenant/v2.0', openidConfiguration: true })
    const response = await service.fetch(`https://login.example/tenant/v2.0${path}`)
    expect(await response.json()).toMatchObject({
      issuer: 'https://login.example/tenant/v2.0',
      device_authorization_endpoint: 'https://login.example/tenant/v2.0/login/device/code',
    })
    expect((await service.fetch(`https://other.example/tenant/v2.0${path}`)).status).toBe(404)
  })
})
