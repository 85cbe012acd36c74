import { describe, expect, test, vi } from 'vitest'
import { AccessError, type Policy, type Resource, type TokenRequest } from '../../src/service/index.ts'
import {
  CLIENT_ID,
  CODES_PATH,
  GRANT_TYPE,
  HOST,
  startService,
  type TestOptions,
  TOKEN_PATH,
} from '../support/start-service.ts'
import { userAt } from '../support/user.ts'

const PAGE = `${HOST}/login/device`
const API = 'https://api.example.com'
const OTHER = 'https://other.example.com/v1'
const RESOURCES = [
  { uri: API, name: 'Deploy <API>' },
  { uri: OTHER, name: 'Other API', scopes: ['repo', 'gist'] },
]
const OCTOCAT = { id: 7, login: 'octocat' }

/** A service with two resources, what it asked the host to issue, and the requests that name a resource. */
function start(options: TestOptions = {}) {
  const orders: TokenRequest[] = []
  const service = startService({
    resources: RESOURCES,
    refreshTokens: { lifetime: 3600 },
    identify: () => ({ user: OCTOCAT }),
    issueToken(order) {
      orders.push(order)
      return `token-${orders.length}`
    },
    ...options,
  })
  const from = (token: string) =>
    new Request('https://api.example', { headers: { authorization: `Bearer ${token}` } })
  return {
    ...service,
    orders,
    /** Whether a gate for this resource lets a token in. */
    lets: (token: string, resource?: string) =>
      service
        .requireToken(resource === undefined ? {} : { resource })(from(token))
        .catch((error: unknown) => error instanceof AccessError && [error.status, error.message]),
    knows: (token: string, resource?: string) =>
      service.authenticate(from(token), resource === undefined ? {} : { resource }),
  }
}

const INVALID = [401, 'the access token is not valid']

describe('the field resource of a code request', () => {
  test.each([
    ['an API that is not listed', 'https://api.example.com/v2'],
    ['no URI', 'api'],
  ])('is refused for %s', async (_, resource) => {
    const service = start()
    const { status, body } = await service.askForCodes({ resource })
    expect([status, body.error]).toEqual([400, 'invalid_target'])
    expect(service.events).toEqual([])
  })

  test.each([
    ['may be repeated with one value', API, [200, undefined]],
    ['is refused if it names two APIs: a token is for one', OTHER, [400, 'invalid_target']],
  ])('%s, at the request for codes, a poll and a refresh', async (_, second, expected) => {
    const service = start({ dialect: 'rfc8628' })
    const post = async (path: string, more: Record<string, string>) => {
      const fields = [
        ...Object.entries({ client_id: CLIENT_ID, ...more }),
        ['resource', API],
        ['resource', second],
      ]
      const { status, body } = await service.send(path, { method: 'POST', body: new URLSearchParams(fields) })
      return [status, body.error]
    }
    const { device_code, user_code } = (await service.askForCodes({ resource: API })).body
    await service.approve(user_code, OCTOCAT)
    const poll = { grant_type: GRANT_TYPE, device_code }
    const found = [await post(CODES_PATH, {}), await post(TOKEN_PATH, poll)]
    const { refresh_token } = (await service.poll(device_code, { resource: API })).body
    found.push(await post(TOKEN_PATH, { grant_type: 'refresh_token', refresh_token }))
    expect(found).toEqual([expected, expected, expected])
  })

  test('allows only the scopes of the API', async () => {
    const fields = { scope: 'repo user', resource: OTHER }
    expect((await start().askForCodes(fields)).body.error).toBe('invalid_scope')
    // A client has its own: both must allow a scope.
    const service = start({ clients: [{ clientId: CLIENT_ID, name: 'App', scopes: ['user', 'gist'] }] })
    const errors = []
    for (const scope of ['repo', 'user', 'gist'])
      errors.push((await service.askForCodes({ ...fields, scope })).body.error)
    expect(errors).toEqual(['invalid_scope', 'invalid_scope', undefined])
  })

  test('is ignored by a service without resources', async () => {
    const service = start({ resources: [] })
    const { access_token } = await service.login({ resource: 'api' })
    expect(service.orders).toEqual([expect.not.objectContaining({ resource: expect.anything() })])
    expect(await service.lets(access_token)).toMatchObject({ user: OCTOCAT })
  })
})

describe('a login for an API', () => {
  test('asks the host for a token for this API, and says so in all its events', async () => {
    const service = start()
    const { deviceCode } = await service.approved({ resource: `${API}/` })
    const { refresh_token } = (await service.poll(deviceCode)).body
    await service.refresh(refresh_token)
    expect(service.orders.map(({ resource }) => resource)).toEqual([API, API])
    expect(service.events.map(({ type, ...facts }) => [type, 'resource' in facts && facts.resource])).toEqual(
      [
        ['codes.issued', API],
        ['decision', API],
        ['token.issued', API],
        ['token.refreshed', API],
      ],
    )
  })

  test('is shown on the page, with the name and the URI of the API, and assessed with it', async () => {
    const assess = vi.fn<NonNullable<Policy['assess']>>(() => 'allow')
    const service = start({ policy: { assess } })
    const { body } = await service.askForCodes({ resource: API })
    const browser = userAt((url, init) => service.fetch(String(url), init))
    const page = await browser.send(await browser.open(PAGE), { user_code: body.user_code })
    expect(page.html).toContain('Deploy &lt;API&gt;')
    expect(page.html).toContain(API)
    await browser.send(page, { decision: 'approve' })
    expect(assess.mock.calls).toMatchObject([[{ resource: API }, expect.any(String)]])
  })

  test('cannot be approved on the page of an instance that does not have the API', async () => {
    const service = start()
    const { body } = await service.askForCodes({ resource: API })
    const other = start({ store: service.memory, resources: [] })
    const browser = userAt((url, init) => other.fetch(String(url), init))
    await browser.send(await browser.open(PAGE), { user_code: body.user_code })
    expect([other.events, other.errors]).toEqual([[], []])
  })
})

describe('a poll', () => {
  test.each<[string, { readonly resource?: string }, string]>([
    ['another API', { resource: API }, OTHER],
    ['an unknown API', { resource: API }, 'https://unknown.example'],
    ['an API after a login for none', {}, API],
  ])('that names %s is refused, and changes nothing', async (_, login, resource) => {
    const service = start()
    const { deviceCode, userCode } = await service.begin({ ...login })
    const refused = [200, 'invalid_target']
    const poll = async () => {
      const { status, body } = await service.poll(deviceCode, { resource })
      return [status, body.error]
    }
    expect(await poll()).toEqual(refused)
    // It did not count: the right one comes in time.
    expect((await service.poll(deviceCode)).body.error).toBe('authorization_pending')
    await service.approve(userCode, OCTOCAT)
    expect(await poll()).toEqual(refused)
    expect(service.orders).toEqual([])
    service.wait(5)
    // The API of the login, in another spelling, or none.
    const right = login.resource ? { resource: 'HTTPS://api.example.com:443/' } : {}
    for (const fields of [right, {}])
      expect((await service.poll(deviceCode, fields)).body).toMatchObject({ access_token: 'token-1' })
    expect(await poll()).toEqual(refused)
  })

  test('that was refused too often is limited', async () => {
    const service = start({ limits: { earlyPolls: { max: 1, window: 60 } } })
    const { deviceCode } = await service.begin()
    await service.poll(deviceCode, { resource: API })
    await service.poll(deviceCode, { resource: API })
    expect((await service.poll(deviceCode, { resource: API })).status).toBe(429)
  })
})

describe('a refresh', () => {
  test('may name the API of the login, and no other', async () => {
    const service = start()
    const { refresh_token } = await service.login({ resource: API })
    for (const resource of [OTHER, 'https://unknown.example'])
      expect((await service.refresh(refresh_token, { resource })).body.error).toBe('invalid_target')
    const { body } = await service.refresh(refresh_token, { resource: `${API}/` })
    expect(await service.lets(body.access_token, API)).toMatchObject({ resource: API })
    const { refresh_token: forNone } = await service.login()
    expect((await service.refresh(forNone, { resource: API })).body.error).toBe('invalid_target')
  })

  test('is refused while the API is not listed, without ending the login, and loses a scope that the API loses', async () => {
    const service = start()
    const { refresh_token } = await service.login({ resource: OTHER })
    const at = (resources: readonly Resource[]) => start({ store: service.memory, resources })
    expect((await at([]).refresh(refresh_token)).body.error).toBe('invalid_target')
    const fewer = at([{ uri: OTHER, name: 'Other', scopes: ['gist'] }])
    expect((await fewer.refresh(refresh_token)).body.scope).toBe('gist')
  })
})

describe('a token for an API', () => {
  test('opens the routes of this API, and no others', async () => {
    const service = start()
    const { access_token } = await service.login({ resource: API })
    expect(await service.lets(access_token, `${API}/`)).toMatchObject({ user: OCTOCAT, resource: API })
    expect(await service.knows(access_token, API)).toMatchObject({ user: OCTOCAT, resource: API })
    expect(await service.lets(access_token)).toEqual(INVALID)
    expect(await service.lets(access_token, OTHER)).toEqual(INVALID)
    await expect(service.knows(access_token)).rejects.toThrow(AccessError)
    expect((await service.whoIs(access_token)).status).toBe(401)
  })

  test('is needed on its routes: neither a token for none nor a personal access token opens them', async () => {
    const service = start({ personalTokens: [{ token: 'ghp_1', user: 'hubot' }] })
    const { access_token } = await service.login()
    expect(await service.lets(access_token, API)).toEqual(INVALID)
    expect(await service.lets('ghp_1', API)).toEqual(INVALID)
    expect(await service.lets('ghp_1')).toMatchObject({ user: 'hubot' })
  })

  test('may be one that the host verifies', async () => {
    const service = start({ verifyToken: () => ({ user: 'mona', scopes: [], resource: API }) })
    expect(await service.lets('signed', API)).toMatchObject({ user: 'mona', resource: API })
    expect(await service.lets('signed')).toEqual(INVALID)
  })
})

test('a route cannot require an API that is not listed', async () => {
  const message = 'resource must be the uri of one of the resources'
  expect(() => start().requireToken({ resource: 'https://unknown.example' })).toThrow(message)
  await expect(start().knows('any', 'https://unknown.example')).rejects.toThrow(message)
})
