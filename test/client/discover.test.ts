import { describe, expect, test } from 'vitest'
import { discover } from '../../src/index.ts'
import { type Scripted, scripted } from '../support/scripted-service.ts'

/** Discovers an issuer whose responses play a script. */
function discovering(of: string, ...script: Scripted[]) {
  const { sent, time, fetch } = scripted(...script)
  return { sent, time, provider: discover(of, { fetch, clock: time.clock() }) }
}

const TENANT = 'https://login.example/tenant'

const metadata = {
  issuer: 'https://login.example/tenant',
  device_authorization_endpoint: 'https://login.example/device',
  token_endpoint: 'https://login.example/token',
  revocation_endpoint: 'https://login.example/revoke',
  more: true,
}
const ENTRA = 'https://login.microsoftonline.com/{tenantid}/v2.0'
const missing = new Response('<html>', { status: 404 })

describe('discover', () => {
  test('reads the endpoints from the metadata of OAuth', async () => {
    const { sent, time, provider } = discovering(`${TENANT}/`, metadata)
    expect(await provider).toEqual({
      issuer: TENANT,
      deviceAuthorizationEndpoint: 'https://login.example/device',
      tokenEndpoint: 'https://login.example/token',
      revocationEndpoint: 'https://login.example/revoke',
      clientAuthenticationMethods: ['client_secret_basic'],
      scopeSeparator: ' ',
      encoding: 'form',
    })
    expect(sent.map(({ url }) => url)).toEqual([
      'https://login.example/.well-known/oauth-authorization-server/tenant',
    ])
    expect(sent[0]?.headers.get('accept')).toBe('application/json')
    expect(time.timers).toBe(0)
  })

  test('reads how clients authenticate, and where the keys and the users are', async () => {
    const more = {
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      code_challenge_methods_supported: ['plain', 'S256'],
      jwks_uri: 'https://login.example/keys',
      userinfo_endpoint: 'https://login.example/userinfo',
    }
    expect(await discovering(TENANT, { ...metadata, ...more }).provider).toMatchObject({
      clientAuthenticationMethods: ['client_secret_basic'],
      codeChallengeMethods: ['plain', 'S256'],
      jwksUri: 'https://login.example/keys',
      userinfoEndpoint: 'https://login.example/userinfo',
    })
  })

  test('ignores optional members that are not valid', async () => {
    const wrong = {
      token_endpoint_auth_methods_supported: 'client_secret_basic',
      code_challenge_methods_supported: ['S256', 5],
      jwks_uri: 5,
      userinfo_endpoint: 5,
    }
    const provider = await discovering(TENANT, { ...metadata, ...wrong }).provider
    for (const name of ['clientAuthenticationMethods', 'codeChallengeMethods', 'jwksUri', 'userinfoEndpoint'])
      expect(provider).not.toHaveProperty(name)
  })

  test.each([
    ['https://login.example', 'https://login.example/'],
    ['https://login.microsoftonline.com/common/v2.0', ENTRA],
    ['https://login.microsoftonline.com/organizations/v2.0', ENTRA],
  ])('of %s accepts the issuer %s, as its metadata spells it', async (of, issuer) => {
    expect(await discovering(of, missing, { ...metadata, issuer }).provider).toMatchObject({ issuer })
  })

  test.each([
    ['https://login.example/organizations/v2.0', 'https://login.example/{tenantid}/v2.0'],
    ['https://login.microsoftonline.com/contoso.com/v2.0', ENTRA],
    ['https://login.microsoftonline.com/common/v2.0', 'https://login.microsoftonline.com/another/v2.0'],
  ])('of %s refuses metadata of %s', async (of, issuer) => {
    const { provider } = discovering(of, { ...metadata, issuer })
    await expect(provider).rejects.toMatchObject({ code: 'wrong_host' })
  })

  test.each([
    [
      'https://evil.example',
      'names the issuer https://evil.example, not https://login.example/tenant: check',
    ],
    ['https://evil.example/?token=secret', 'belongs to another issuer: check'],
    ['https://me:secret@evil.example', 'belongs to another issuer: check'],
  ])('names another issuer if it is plain: %s', async (issuer, what) => {
    await expect(discovering(TENANT, { ...metadata, issuer }).provider).rejects.toThrow(
      `the metadata of login.example ${what}`,
    )
  })

  test('says that metadata names no device flow', async () => {
    const { device_authorization_endpoint: _, ...incomplete } = metadata
    await expect(discovering(TENANT, incomplete, incomplete, incomplete).provider).rejects.toThrow(
      'the server may not support the device flow',
    )
  })

  test('or else from those of OpenID, past a document without a device endpoint', async () => {
    const { device_authorization_endpoint: _, ...incomplete } = metadata
    const { sent, provider } = discovering(TENANT, incomplete, missing, metadata)
    expect((await provider).deviceAuthorizationEndpoint).toBe('https://login.example/device')
    expect(sent.map(({ url }) => url).slice(1)).toEqual([
      'https://login.example/.well-known/openid-configuration/tenant',
      'https://login.example/tenant/.well-known/openid-configuration',
    ])
  })

  test.each([
    ['of another issuer', { ...metadata, issuer: 'https://evil.example' }, 'wrong_host'],
    ['without a device flow', { ...metadata, device_authorization_endpoint: undefined }, 'bad_response'],
    ['that is a page', new Response('<html>'), 'bad_response'],
    ['that is not there', missing, 'bad_response'],
    ['of a server that is down', new Response('', { status: 500 }), 'refused'],
    ['of a server that limits requests', new Response('', { status: 429 }), 'refused'],
  ])('refuses metadata %s', async (_, response, code) => {
    await expect(discovering(TENANT, response).provider).rejects.toMatchObject({ code })
  })

  test.each([
    ['device_authorization_endpoint', 'https://localhost/device'],
    ['token_endpoint', 'http://[::1]/token'],
    ['token_endpoint', 'http://login.example/token'],
    ['token_endpoint', 'token'],
    ['revocation_endpoint', 'http://127.0.0.1:8080/revoke'],
    ['userinfo_endpoint', 'http://127.0.0.1:8080/userinfo'],
    ['userinfo_endpoint', 'http://login.example/userinfo'],
  ])('of a remote issuer is refused with the %s %s', async (name, address) => {
    const { provider } = discovering(TENANT, { ...metadata, [name]: address })
    await expect(provider).rejects.toMatchObject({ code: 'wrong_host' })
  })

  test('may name loopback addresses where the issuer is at one', async () => {
    const local = {
      issuer: 'http://localhost:8080',
      device_authorization_endpoint: 'http://127.0.0.1:8080/device',
      token_endpoint: 'http://[::1]:8080/token',
    }
    const provider = await discovering('http://localhost:8080', local).provider
    expect(provider.tokenEndpoint).toBe('http://[::1]:8080/token')
    expect(provider).not.toHaveProperty('revocationEndpoint')
  })

  test('asks no issuer off https', async () => {
    const { sent, provider } = discovering('http://login.example', metadata)
    await expect(provider).rejects.toMatchObject({ code: 'wrong_host' })
    expect(sent).toEqual([])
  })
})
