import { describe, expect, test } from 'vitest'
import { authorizeDevice, type ShownCodes } from '../../src/index.ts'
import { type KnownProvider, knownProvider } from '../../src/providers/index.ts'
import { PROVIDERS } from '../../src/providers/table.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { untilTrue } from '../support/hostile-flow.ts'
import { type Decision, type ScriptedProvider, scriptedProviders, serverOf } from './scripted-providers.ts'

/** A login whose user decides after the second poll. */
async function login(
  scripted: ScriptedProvider,
  decision: Decision,
  more: Partial<ScriptedProvider['options']> = {},
  change: (fields: URLSearchParams) => void = () => undefined,
) {
  const { provider, options } = scripted
  const { codes, poll } = serverOf(scripted)
  const time = new VirtualTime()
  const statuses: number[] = []
  const shown: ShownCodes[] = []
  const done = authorizeDevice({
    clientId: 'my-client',
    scopes: ['openid'],
    provider,
    clock: time.clock(),
    onCodes: (codes) => shown.push(codes),
    fetch: async (address, init) => {
      const fields = new URLSearchParams(String(init?.body))
      const isPoll = address !== provider.deviceAuthorizationEndpoint
      if (isPoll) change(fields)
      const response = isPoll ? poll(fields, statuses.length > 2 ? decision : 'does nothing') : codes(fields)
      statuses.push(response.status)
      return response
    },
    ...options,
    ...more,
  }).catch((error) => error)
  // WebCrypto hashes in real time.
  await untilTrue(() => statuses.length > 0)
  await time.advance(120_000)
  return { result: await done, statuses, shown }
}

test('every provider of the table is tested', () => {
  expect(scriptedProviders.map(({ name }) => name).sort()).toEqual(Object.keys(PROVIDERS).sort())
})

describe.each(scriptedProviders)('at a server that speaks as $name documents', (scripted) => {
  test('a login gets its token', async () => {
    const { result, statuses, shown } = await login(scripted, 'approves')
    expect(result).toMatchObject({ tokenType: 'Bearer', scopes: ['openid'] })
    expect(statuses).toHaveLength(4)
    expect(shown).toMatchObject([
      { userCode: 'WDJB-MJHT', verificationUri: expect.stringMatching(/^https:/) },
    ])
  })

  test('a login that the user denies ends as denied', async () => {
    expect((await login(scripted, 'denies')).result).toMatchObject({ code: 'denied' })
  })

  test('an unknown device code is refused at once', async () => {
    const { result, statuses } = await login(scripted, 'does nothing', {}, (fields) =>
      fields.set('device_code', 'another'),
    )
    expect(result).toMatchObject({ code: 'refused', message: expect.stringContaining('code') })
    expect(statuses).toHaveLength(2)
  })
})

test('Google responds to a poll with 428 until the user has decided', async () => {
  const google = scriptedProviders.find(({ name }) => name === 'google') as ScriptedProvider
  expect((await login(google, 'approves')).statuses).toEqual([200, 428, 428, 200])
  const { result } = await login(google, 'approves', { clientAuthentication: { method: 'none' } })
  expect(result).toMatchObject({ code: 'refused', error: 'invalid_client' })
})

test('Keycloak refuses a client that must use PKCE and does not', async () => {
  const keycloak = scriptedProviders.find(({ name }) => name === 'keycloak') as ScriptedProvider
  const { result } = await login(keycloak, 'approves', { pkce: false })
  expect(result).toMatchObject({
    error: 'invalid_request',
    description: 'Missing parameter: code_challenge_method',
  })
})

describe('a known provider', () => {
  test('has its endpoints filled in', () => {
    expect(knownProvider('keycloak', { host: 'id.example.com:8443', realm: 'my staff' })).toEqual({
      issuer: 'https://id.example.com:8443/realms/my%20staff',
      deviceAuthorizationEndpoint:
        'https://id.example.com:8443/realms/my%20staff/protocol/openid-connect/auth/device',
      tokenEndpoint: 'https://id.example.com:8443/realms/my%20staff/protocol/openid-connect/token',
      revocationEndpoint: 'https://id.example.com:8443/realms/my%20staff/protocol/openid-connect/revoke',
      userinfoEndpoint: 'https://id.example.com:8443/realms/my%20staff/protocol/openid-connect/userinfo',
      jwksUri: 'https://id.example.com:8443/realms/my%20staff/protocol/openid-connect/certs',
      scopeSeparator: ' ',
      encoding: 'form',
    })
    expect(knownProvider('gitlab', { host: 'http://localhost:3000' }).baseUrl).toBe(
      'http://localhost:3000/api/v4',
    )
  })

  test('has the issuer that its ID tokens name', () => {
    expect([
      knownProvider('entra', { tenant: '8eaef023-2b34-4da1-9baa-8bc8c9d6a490' }).issuer,
      knownProvider('entra', { tenant: 'organizations' }).issuer,
      knownProvider('okta', { host: 'example.okta.com', server: 'default' }).issuer,
      knownProvider('auth0', { host: 'example.eu.auth0.com' }).issuer,
      knownProvider('google', {}).issuer,
      knownProvider('gitlab', { host: 'gitlab.com' }).issuer,
    ]).toEqual([
      'https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0',
      'https://login.microsoftonline.com/{tenantid}/v2.0',
      'https://example.okta.com/oauth2/default',
      'https://example.eu.auth0.com/',
      'https://accounts.google.com',
      'https://gitlab.com',
    ])
  })

  test('is the org authorization server of Okta if no server is named', () => {
    expect(knownProvider('okta', { host: 'example.okta.com' })).toMatchObject({
      issuer: 'https://example.okta.com',
      tokenEndpoint: 'https://example.okta.com/oauth2/v1/token',
    })
  })

  test.each([
    ['okta', { host: 'example.okta.com/oauth2', server: 'default' }, 'host'],
    ['okta', { host: 'http://example.okta.com', server: 'default' }, 'host'],
    ['okta', { host: 'example.okta.com', server: '' }, 'server'],
    ['entra', { tenant: 5 }, 'tenant'],
    ['entra', {}, 'tenant'],
    ['entra', { tenant: '.' }, 'tenant'],
    ['entra', { tenant: '..' }, 'tenant'],
    ['gitea', { host: 'gitea.example.com' }, 'discover()'],
    ['toString', {}, 'unknown provider'],
  ])('%s with %j is refused', (name, fields, message) => {
    expect(() => knownProvider(name as KnownProvider, fields as never)).toThrow(
      expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(message) }),
    )
  })
})
