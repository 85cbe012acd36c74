import { describe, expect, test } from 'vitest'
import { GRANT_TYPE, HOST, startService, type TestOptions } from '../support/start-service.ts'
import { userAt } from '../support/user.ts'

const PATH = '/login/oauth/register'
const DAY = 24 * 3600
const ASKED = {
  client_name: 'My agent',
  grant_types: [GRANT_TYPE, 'refresh_token'],
  token_endpoint_auth_method: 'none',
}

function start(options: TestOptions = {}) {
  const service = startService({
    clients: [],
    dialect: 'rfc8628',
    registration: true,
    refreshTokens: { lifetime: 10 * DAY },
    identify: () => ({ user: 'mona' }),
    ...options,
  })
  const register = (asked: object | string = ASKED, headers: Readonly<Record<string, string>> = {}) =>
    service.send(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof asked === 'string' ? asked : JSON.stringify(asked),
    })
  return { ...service, register }
}

describe('a registration', () => {
  test('brings a client ID for the device flow, whose login is refreshed and revoked', async () => {
    const service = start()
    const { status, body } = await service.register({ ...ASKED, redirect_uris: ['http://127.0.0.1/cb'] })
    expect([status, body]).toEqual([
      201,
      {
        client_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        client_id_issued_at: service.clock.time / 1000,
        client_name: 'My agent',
        grant_types: [GRANT_TYPE, 'refresh_token'],
        response_types: [],
        redirect_uris: [],
        token_endpoint_auth_method: 'none',
      },
    ])
    const { client_id } = body
    expect(service.events).toMatchObject([
      { type: 'client.registered', client: { name: 'My agent' }, origin: {} },
    ])
    expect(service.events[0]?.client?.clientId.reveal()).toBe(client_id)
    const { refresh_token } = await service.login({ client_id, scope: 'repo' })
    const refreshed = await service.refresh(refresh_token, { client_id })
    expect(refreshed.status).toBe(200)
    const token = refreshed.body.refresh_token
    expect((await service.post('/login/oauth/revoke', { client_id, token })).status).toBe(200)
    expect((await service.refresh(token, { client_id })).body.error).toBe('invalid_grant')
  })

  test.each(['client_secret_basic', 'client_secret_post'])('with %s brings a secret', async (method) => {
    const service = start()
    const { body } = await service.register({ ...ASKED, token_endpoint_auth_method: method })
    expect(body).toMatchObject({ token_endpoint_auth_method: method, client_secret_expires_at: 0 })
    const { client_id, client_secret } = body
    expect((await service.askForCodes({ client_id })).status).toBe(401)
    expect((await service.askForCodes({ client_id, client_secret })).status).toBe(200)
  })

  test.each<[string, object | string, error?: string]>([
    ['no JSON', 'client_name=a'],
    ['no object', '[]'],
    ['no name', { client_name: undefined }],
    ['a name that hides its end', { client_name: 'a\u202eb' }],
    ['a name that is too long', { client_name: 'a'.repeat(101) }],
    ['only the code flow', { grant_types: ['authorization_code'] }],
    ['the default grant, the code flow', { grant_types: undefined }],
    ['a key to sign with', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['a redirect URI that is not a URL', { redirect_uris: ['here'] }, 'invalid_redirect_uri'],
    ['redirect URIs that are no list', { redirect_uris: 'https://a.example' }, 'invalid_redirect_uri'],
  ])('with %s is refused', async (_, given, error = 'invalid_client_metadata') => {
    const asked = typeof given === 'string' ? given : { ...ASKED, ...given }
    expect(await start().register(asked)).toMatchObject({ status: 400, body: { error } })
  })

  test('is refused by a service without the option, also for a client from before', async () => {
    const before = start()
    const { client_id } = (await before.register()).body
    const { access_token } = await before.login({ client_id, scope: 'repo' })
    const headers = new Headers({ authorization: `Bearer ${access_token}` })
    expect(await before.authenticate({ headers })).toHaveProperty('client')
    const after = start({ registration: false, store: before.memory })
    expect(await after.authenticate({ headers })).not.toHaveProperty('client')
    expect((await after.register()).status).toBe(404)
    expect((await after.askForCodes({ client_id })).body.error).toBe('invalid_client')
    const { body } = await after.send('/.well-known/oauth-authorization-server')
    expect(body).not.toHaveProperty('registration_endpoint')
  })

  test('is limited per network, and in all', async () => {
    const limits = { registrations: { max: 2, window: 60 }, registrationsInAll: { max: 3, window: 60 } }
    const { register } = start({ limits })
    const from = async (address: string) => (await register(ASKED, { 'x-from': address })).status
    const statuses = []
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '198.51.100.1', '203.0.113.1'])
      statuses.push(await from(address))
    expect(statuses).toEqual([201, 201, 429, 201, 429])
  })

  test('expires a day after it began, and with a login a day after this has ended', async () => {
    const service = start()
    const unused = (await service.register()).body
    const used = (await service.register()).body
    await service.login({ client_id: used.client_id, scope: 'repo' })
    const knows = async ({ client_id }: { client_id: string }) =>
      (await service.askForCodes({ client_id })).status === 200
    service.wait(DAY - 1)
    expect([await knows(unused), await knows(used)]).toEqual([true, true])
    service.wait(1)
    expect([await knows(unused), await knows(used)]).toEqual([false, true])
    service.wait(10 * DAY - 1)
    expect(await knows(used)).toBe(true)
    service.wait(1)
    expect(await knows(used)).toBe(false)
  })

  test('is not shortened by a login that ends earlier than the last one', async () => {
    const before = start()
    const { client_id } = (await before.register()).body
    await before.login({ client_id, scope: 'repo' })
    const after = start({ store: before.memory, clock: before.clock, refreshTokens: { lifetime: 3600 } })
    await after.login({ client_id, scope: 'repo' })
    before.wait(11 * DAY - 60)
    expect((await after.askForCodes({ client_id })).status).toBe(200)
  })

  test('gives its scopes and its policy to each client', async () => {
    const service = start({ registration: { scopes: ['repo'], policy: { codeLifetime: 60 } } })
    const { client_id } = (await service.register()).body
    expect((await service.askForCodes({ client_id, scope: 'gist' })).body.error).toBe('invalid_scope')
    expect((await service.askForCodes({ client_id, scope: 'repo' })).body.expires_in).toBe(60)
  })
})

test('the page shows the name of a client that registered itself as a claim, and only of this one', async () => {
  const service = start({ clients: [{ clientId: 'listed', name: 'Listed' }] })
  const { client_id } = (await service.register({ ...ASKED, client_name: 'Your <bank>' })).body
  const pageOf = async (client: string) => {
    const { userCode } = await service.begin({ client_id: client })
    const { open, send } = userAt((url, init) => service.fetch(String(url), init))
    return (await send(await open(`${HOST}/login/device`), { user_code: userCode })).html
  }
  expect(await pageOf(client_id)).toContain(
    '<dt>App</dt><dd>Calls itself <q><bdi>Your &lt;bank&gt;</bdi></q>. Nobody has checked this name.</dd>',
  )
  expect(await pageOf('listed')).not.toContain('Nobody has checked')
})
