import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/secret.ts'
import type { Dialect, RequestLogEntry, ServiceOptions } from '../../src/service/index.ts'
import { hash } from '../../src/service/stores/hash.ts'
import { CLIENT_ID, HOST, startService } from '../support/start-service.ts'

const PATH = '/login/oauth/revoke'
const SECRET = 's3cret, with: all/kinds of + characters'
const refreshTokens = { lifetime: 30 * 24 * 3600 }

type Service = ReturnType<typeof startService>

const revoke = ({ post }: Service, token: string, fields: Record<string, string> = {}) =>
  post(PATH, { client_id: CLIENT_ID, token, ...fields })

const statusOf = async ({ whoIs }: Service, { access_token }: { readonly access_token: string }) =>
  (await whoIs(access_token)).status

describe.each<[Dialect, { readonly unknown: number; readonly badToken: string }]>([
  ['github', { unknown: 404, badToken: 'bad_refresh_token' }],
  ['rfc8628', { unknown: 401, badToken: 'invalid_grant' }],
])('in the dialect %s', (dialect, { unknown, badToken }) => {
  const start = (options: Partial<ServiceOptions> = {}) =>
    startService({ dialect, refreshTokens, ...options })

  test.each([
    ['newest refresh token', 'second', 'refresh_token'],
    ['newest access token', 'second', 'access_token'],
    ['spent refresh token', 'first', 'refresh_token'],
  ] as const)('a login ends with its %s, and no other does', async (_, of, name) => {
    const service = start()
    const first = await service.login()
    const { body: second } = await service.refresh(first.refresh_token)
    const other = await service.login()
    service.wait(3600)
    expect(await revoke(service, { first, second }[of][name])).toMatchObject({ status: 200, body: {} })
    expect([await statusOf(service, first), await statusOf(service, second)]).toEqual([401, 401])
    expect((await service.refresh(second.refresh_token)).body.error).toBe(badToken)
    expect(await statusOf(service, other)).toBe(200)
    expect((await service.refresh(other.refresh_token)).body).toHaveProperty('access_token')
  })

  test('an access token without a refresh token is revoked alone; another time, and an unknown one, get 200', async () => {
    const service = startService({ dialect })
    const [one, two] = [await service.login(), await service.login()]
    for (const token of [one.access_token, one.access_token, 'ghr_unknown', 'gho_unknown'])
      expect((await revoke(service, token)).status).toBe(200)
    expect([await statusOf(service, one), await statusOf(service, two)]).toEqual([401, 200])
  })

  test.each(['refresh_token', 'access_token'])(
    'a %s of another client is refused, and stays valid',
    async (name) => {
      const service = start()
      const first = await service.login()
      const refused = await revoke(service, first[name], { client_id: 'another' })
      expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
      expect(await statusOf(service, first)).toBe(200)
    },
  )

  test('an unknown client, and a request without a token, are refused', async () => {
    const service = start()
    expect((await revoke(service, 'any', { client_id: 'nobody' })).status).toBe(unknown)
    expect(await revoke(service, '')).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    const response = await service.fetch(HOST + PATH, {
      method: 'POST',
      body: '[]',
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(400)
  })
})

describe('a service whose host verifies tokens', () => {
  const signed = {
    issueToken: () => 'signed',
    verifyToken: () => ({ user: 'octocat', scopes: [] }),
  }

  test('has no revocation endpoint without refresh tokens', async () => {
    const service = startService(signed)
    expect((await revoke(service, 'signed')).status).toBe(404)
    expect(service.paths).not.toContain(PATH)
    const { body } = await service.send('/.well-known/oauth-authorization-server')
    expect(body).not.toHaveProperty('revocation_endpoint')
    expect(await service.revoke({ token: 'signed' })).toBe(false)
  })

  test('revokes refresh tokens, and says that the others end later', async () => {
    // Only the owner is taken from the host, not what would look like a record of the service.
    const owner = { user: 'octocat', scopes: [], client: await hash(CLIENT_ID), family: 'any' }
    const service = startService({ ...signed, verifyToken: () => owner, refreshTokens })
    const first = await service.login()
    const refused = await revoke(service, 'signed')
    expect(refused).toMatchObject({ status: 400, body: { error: 'unsupported_token_type' } })
    expect((await revoke(service, first.refresh_token)).status).toBe(200)
    expect((await service.refresh(first.refresh_token)).body.error).toBe('bad_refresh_token')
    expect(await statusOf(service, first)).toBe(200)
  })
})

describe('a client with a secret', () => {
  const clients = [
    { clientId: CLIENT_ID, clientSecret: new Secret(SECRET), name: 'App' },
    { clientId: 'another', clientSecret: 'another secret', name: 'Another app' },
    { clientId: 'public', name: 'Public app' },
  ]
  const start = (options: Partial<ServiceOptions> = {}) =>
    startService({ clients, refreshTokens, ...options })
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
  })
  const login = (service: Service) => service.login({ client_secret: SECRET })
  /** The status of a request for codes with credentials in a header. */
  const ask = async ({ post }: Service, id: string, secret: string) =>
    (await post('/login/device/code', {}, { authorization: `Basic ${btoa(`${id}:${secret}`)}` })).status

  test('gets codes and tokens only with it, in the dialect rfc8628', async () => {
    const service = start({ dialect: 'rfc8628' })
    for (const sent of [{}, { client_secret: '' }, { client_secret: 'guess' }])
      expect((await service.askForCodes(sent)).status).toBe(401)
    const { body: codes } = await service.askForCodes({ client_secret: SECRET })
    await service.approve(codes.user_code, 'octocat')
    expect((await service.poll(codes.device_code)).body.error).toBe('invalid_client')
    expect((await service.poll(codes.device_code, { client_secret: SECRET })).status).toBe(200)
  })

  test('logs in without it, as at GitHub, but not with a wrong one; refreshes and revokes only with it', async () => {
    const service = start()
    expect((await service.askForCodes({ client_secret: 'guess' })).status).toBe(404)
    const { body: codes } = await service.askForCodes()
    await service.approve(codes.user_code, 'octocat')
    const guess = await service.poll(codes.device_code, { client_secret: 'guess' })
    expect(guess.body.error).toBe('incorrect_client_credentials')
    const { body: first } = await service.poll(codes.device_code)
    expect((await service.refresh(first.refresh_token)).body.error).toBe('incorrect_client_credentials')
    const { body: second } = await service.refresh(first.refresh_token, { client_secret: SECRET })
    expect(second).toHaveProperty('access_token')
    expect((await revoke(service, second.refresh_token)).status).toBe(404)
    expect(await statusOf(service, second)).toBe(200)
    expect((await revoke(service, second.refresh_token, { client_secret: SECRET })).status).toBe(200)
    expect(await statusOf(service, second)).toBe(401)
  })

  test.each(['a+b%41', '100%', 'a%2Bb'])(
    'may send the secret %j as it is, or form-encoded',
    async (secret) => {
      const clientId = `id+%3A ${secret}`
      const client = { clientId, clientSecret: secret, name: 'App' }
      const clients = [client, { ...client, clientId: 'plain' }]
      const service = start({ clients, limits: { wrongSecrets: { max: 2, window: 60 } } })
      const [id = '', encoded = ''] = new URLSearchParams([[clientId, secret]]).toString().split('=')
      for (let times = 0; times < 3; times += 1) {
        expect(await ask(service, clientId, secret)).toBe(200)
        expect(await ask(service, id, encoded)).toBe(200)
        expect(await ask(service, 'plain', secret)).toBe(200)
      }
      for (const id of [clientId, 'plain']) expect(await ask(service, id, 'guess')).toBe(404)
      const { access_token } = await service.login({ client_id: clientId, client_secret: secret })
      const headers = { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` }
      const init = { method: 'DELETE', headers, body: JSON.stringify({ access_token }) }
      const path = `/applications/${encodeURIComponent(clientId)}/token`
      expect((await service.fetch(HOST + path, init)).status).toBe(204)
    },
  )

  test('is limited by the number of secrets that its guesses stand for', async () => {
    const service = start({ limits: { wrongSecrets: { max: 4, window: 60 } } })
    const statuses: number[] = []
    // The second is also the guess "gu+ss".
    for (const guess of ['guess', 'gu%2Bss', 'guess', 'guess'])
      statuses.push(await ask(service, CLIENT_ID, guess))
    expect(statuses).toEqual([404, 404, 404, 429])
  })

  test('is accepted after any number of wrong ones, of which a hundred in five minutes are checked', async () => {
    const service = start()
    const statuses: number[] = []
    for (let index = 0; index < 101; index += 1) {
      const from = { 'x-from': `2001:db8:${index.toString(16)}::1` }
      statuses.push((await service.askForCodes({ client_secret: `guess-${index}` }, from)).status)
    }
    expect(statuses).toEqual([...Array(100).fill(404), 429])
    service.wait(20)
    const refused = await service.askForCodes({ client_secret: 'guess' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '280'])
    const encoded = encodeURIComponent(SECRET)
    for (const [id, secret] of [
      [CLIENT_ID, encoded],
      ['public', ''],
      ['another', 'another secret'],
    ] as const)
      expect(await ask(service, id, secret)).toBe(200)
    expect(await ask(service, 'another', 'guess')).toBe(404)
    service.wait(280)
    expect(await ask(service, CLIENT_ID, 'guess')).toBe(404)
  })

  const remove = (
    service: Service,
    body: object | string,
    { id = CLIENT_ID, as = CLIENT_ID, secret = SECRET } = {},
  ) =>
    service.fetch(`${HOST}/applications/${id}/token`, {
      method: 'DELETE',
      headers: basic(as, secret),
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  test.each(['in process', 'over HTTP'])('deletes a token as at GitHub, %s', async (way) => {
    const service = start()
    const { access_token } = await login(service)
    const { url, close } = way === 'over HTTP' ? await service.listen() : { url: HOST, close: () => {} }
    onTestFinished(close)
    const send = way === 'over HTTP' ? fetch : service.fetch
    for (const expected of [204, 404]) {
      const response = await send(`${url}/applications/${CLIENT_ID}/token`, {
        method: 'DELETE',
        headers: basic(CLIENT_ID, SECRET),
        body: JSON.stringify({ access_token }),
      })
      expect(response.status).toBe(expected)
      if (expected !== 204) continue
      expect(await response.text()).toBe('')
      expect(response.headers.get('content-length')).toBeNull()
    }
    const headers = new Headers({ authorization: `Bearer ${access_token}` })
    await expect(service.authenticate({ headers })).rejects.toMatchObject({ status: 401 })
  })

  test.each<[number, string, Parameters<typeof remove>[2] | undefined]>([
    [404, 'a wrong secret', { secret: 'guess' }],
    [404, 'no secret', { secret: '' }],
    [404, 'the path of another client', { as: 'another', secret: 'another secret' }],
    [422, 'a token of another client', { id: 'another', as: 'another', secret: 'another secret' }],
    [404, 'a client without a secret', { id: 'public', as: 'public', secret: '' }],
  ])('is refused with %i for %s', async (status, _, who) => {
    const service = start()
    const first = await login(service)
    expect((await remove(service, first, who)).status).toBe(status)
    expect(await statusOf(service, first)).toBe(200)
  })

  test('is told that an expired access token ends nothing', async () => {
    const service = start()
    const first = await login(service)
    service.wait(8 * 3600)
    expect((await remove(service, first)).status).toBe(404)
    const { body } = await service.refresh(first.refresh_token, { client_secret: SECRET })
    expect(body).toHaveProperty('access_token')
  })

  test.each<[string, RequestInit]>([
    ['no credentials', { method: 'DELETE' }],
    ['an unknown client', { method: 'DELETE', headers: basic('nobody', 'guess') }],
    ['a wrong secret', { method: 'DELETE', headers: basic('another', 'guess') }],
    ['the secret of another client', { method: 'DELETE', headers: basic('another', 'another secret') }],
    ['a client without a secret', { method: 'DELETE', headers: basic('public', '') }],
    ['another method', {}],
  ])('does not tell client IDs apart with %s, and the log does not name them', async (_, init) => {
    const received: RequestLogEntry[] = []
    const limits = { unknownClients: { max: 3, window: 60 }, wrongPasswords: { max: 3, window: 60 } }
    const clientAddress = () => '192.0.2.1'
    const options = { authUrl: HOST, baseUrl: `${HOST}/v3`, limits, clientAddress }
    const ask = async (id: string) => {
      const service = start({ ...options, onResponse: (entry) => received.push(entry) })
      const said: unknown[] = []
      for (let times = 0; times < 5; times += 1) {
        const { status, body, headers } = await service.send(`/v3/applications/${id}/token`, init)
        said.push([status, body, headers.get('allow'), headers.get('retry-after')])
      }
      return said
    }
    const unknown = await ask('nothing-like-it')
    for (const id of [CLIENT_ID, 'public', 'nobody']) expect(await ask(id)).toEqual(unknown)
    for (const { status, path } of received) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(path).toBe('/v3/applications/{client_id}/token')
    }
  })

  test.each([['nobody'], ['another']])('limits guesses of %s at the path of any client', async (as) => {
    const limits = { unknownClients: { max: 1, window: 60 }, wrongPasswords: { max: 1, window: 60 } }
    const service = start({ limits, clientAddress: () => '192.0.2.1' })
    const statuses = [
      await remove(service, {}, { as, secret: 'guess' }),
      await remove(service, {}, { id: 'x', as, secret: 'guess' }),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([404, 429])
  })

  test.each(['', '{}', '[]'])('must name the token to delete: %j', async (body) => {
    expect((await remove(start(), body)).status).toBe(422)
  })

  test('deletes tokens on the API host only, and not in the dialect rfc8628', async () => {
    const service = start({ authUrl: 'https://login.example', baseUrl: 'https://api.example/v3' })
    expect(service.paths).toContain(`/v3/applications/${CLIENT_ID}/token`)
    expect(service.paths).not.toContain('/v3/applications/public/token')
    expect(start({ dialect: 'rfc8628' }).paths).not.toContain(`/applications/${CLIENT_ID}/token`)
  })
})

describe('the host', () => {
  test('ends a login by its family or any of its tokens, once, whichever client holds it', async () => {
    const families: string[] = []
    const service = startService({
      refreshTokens,
      issueToken: ({ family = '' }) => `token-${families.push(family)}`,
    })
    const logins = [
      await service.login(),
      await service.login(),
      await service.login(),
      await service.login(),
    ]
    const [{ access_token }, { refresh_token }] = logins
    for (const what of [
      { token: new Secret(access_token) },
      { token: refresh_token },
      { family: families[2] ?? '' },
    ])
      expect([await service.revoke(what), await service.revoke(what)]).toEqual([true, false])
    expect(await service.revoke({ family: 'unknown' })).toBe(false)
    expect(await service.revoke({ token: 'unknown' })).toBe(false)
    const statuses = await Promise.all(logins.map((pair) => statusOf(service, pair)))
    expect(statuses).toEqual([401, 401, 401, 200])
  })

  test.each([{ refreshTokens }, {}])(
    'ends all logins of a user, before the next one: %j',
    async (options) => {
      const service = startService(options)
      const login = async (user: string) => {
        const { userCode, poll } = await service.begin()
        await service.approve(userCode, user)
        return (await poll()).body
      }
      const [one, two, other] = [await login('mona'), await login('mona'), await login('hubot')]
      expect(await service.revoke({ user: 'mona' })).toBe(true)
      const next = await login('mona')
      const all = await Promise.all([one, two, other, next].map((pair) => statusOf(service, pair)))
      expect(all).toEqual([401, 401, 200, 200])
      if (!one.refresh_token) return
      expect((await service.refresh(one.refresh_token)).body.error).toBe('bad_refresh_token')
      const { body } = await service.refresh(next.refresh_token)
      expect(await statusOf(service, body)).toBe(200)
      await service.revoke({ user: 'mona' })
      expect(await statusOf(service, body)).toBe(401)
    },
  )

  test.each([7, '7'])('knows a user by the id %j, whatever the login', async (id) => {
    const service = startService({ refreshTokens })
    const first = await service.login()
    await service.revoke({ user: { id: 8, login: 'octocat' } })
    expect(await statusOf(service, first)).toBe(200)
    await service.revoke({ user: { id, login: 'renamed' } })
    expect(await statusOf(service, first)).toBe(401)
  })

  test.each([undefined, '', 7, {}, { id: '' }, { login: 'octocat' }, { id: Number.NaN }])(
    'refuses the user %s',
    async (user) => {
      const service = startService()
      const refusal = expect.objectContaining({
        code: 'bad_option',
        message: expect.stringContaining('the user must be'),
      })
      await expect(service.revoke({ user } as never)).rejects.toThrow(refusal)
      await expect(service.approve('BCDF-GHJK', user as never)).rejects.toThrow(refusal)
    },
  )
})
