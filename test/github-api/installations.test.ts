import { describe, expect, test } from 'vitest'
import { signAppJwt } from '../../src/app-jwt/index.ts'
import type { AppInstallation } from '../../src/testing/index.ts'
import { rsaKeys } from '../support/rsa-keys.ts'
import { startService } from '../support/start-service.ts'

const { privateKey, publicKey } = rsaKeys()

const installation: AppInstallation = {
  id: 11,
  owner: 'Octo-Org',
  permissions: { contents: 'write' },
  repositories: [
    { id: 1, name: 'hello' },
    { id: 2, name: 'world' },
  ],
}

const apps = [
  { appId: 1, publicKeys: [publicKey], installations: [installation] },
  { appId: 'Iv1.other', publicKeys: [publicKey], installations: [{ id: 22, owner: 'octo-org' }] },
]

const TOKENS = '/app/installations/11/access_tokens'

function start(options = {}) {
  const service = startService({ apps, personalTokens: [{ token: 'ghp_1', user: 'octocat' }], ...options })
  const bearing = (token: string, init: RequestInit = {}) => ({
    ...init,
    headers: { authorization: `Bearer ${token}` },
  })
  return {
    ...service,
    bearing,
    /** Sends a request with the JWT of an app. */
    async as(appId: number | string, path: string, init: RequestInit = {}) {
      const jwt = await signAppJwt({ appId, privateKey, clock: service.clock })
      return service.send(path, bearing(jwt.reveal(), init))
    },
    async repositories(token: string) {
      const { status, body } = await service.send('/installation/repositories', bearing(token))
      return body.repositories?.map(({ name }: { readonly name: string }) => name) ?? status
    },
  }
}

const post = (body?: unknown) => ({
  method: 'POST',
  ...(body !== undefined && { body: JSON.stringify(body) }),
})

describe('the installations of an app', () => {
  test('are listed for the app, and found by id, owner and repository, whose case does not matter', async () => {
    const { as } = start()
    const described = {
      id: 11,
      app_id: 1,
      account: { login: 'Octo-Org' },
      permissions: { contents: 'write' },
    }
    expect(await as(1, '/app/installations')).toMatchObject({ status: 200, body: [described] })
    for (const path of [
      '/app/installations/11',
      '/users/octo-org/installation',
      '/orgs/Octo-Org/installation',
      '/repos/octo-ORG/hELLO/installation',
    ])
      expect(await as(1, path)).toMatchObject({ status: 200, body: described })
    expect((await as('Iv1.other', '/users/Octo-Org/installation')).body.id).toBe(22)
    expect((await as(1, '/APP/installations')).status).toBe(404)
  })

  test('are not shown to other apps, users and strangers', async () => {
    const { as, send, bearing } = start()
    for (const path of ['/app/installations/11', '/repos/octo-org/hello/installation'])
      expect((await as('Iv1.other', path)).status).toBe(404)
    expect((await as('Iv1.other', TOKENS, post())).status).toBe(404)
    for (const [path, init] of [
      ['/app/installations', {}],
      ['/app/installations/11', {}],
      [TOKENS, post()],
    ] as const) {
      expect((await send(path, init)).status).toBe(401)
      expect((await send(path, bearing('ghp_1', init))).status).toBe(403)
    }
  })

  test('exist only where apps have some', async () => {
    const { paths, send } = start({ apps: [{ appId: 1, publicKeys: [publicKey] }] })
    expect(paths).not.toContain('/app/installations')
    expect((await send('/installation/token', { method: 'DELETE' })).status).toBe(404)
  })
})

describe('an installation token', () => {
  test('may do all that the installation may, for an hour', async () => {
    const { as, send, bearing, repositories, wait, clock } = start()
    const { status, body } = await as(1, TOKENS, post())
    expect([status, body]).toEqual([
      201,
      {
        token: expect.stringMatching(/^ghs_[\da-f]{40}$/),
        expires_at: '2026-01-01T01:00:00Z',
        permissions: { contents: 'write' },
        repository_selection: 'all',
      },
    ])
    expect(Date.parse(body.expires_at) - clock.now()).toBe(3_600_000)
    const hello = { id: 1, name: 'hello', full_name: 'Octo-Org/hello', owner: { login: 'Octo-Org' } }
    const listed = await send('/installation/repositories', bearing(body.token))
    expect(listed.body).toMatchObject({ total_count: 2, repositories: [hello, { id: 2 }] })
    wait(3600)
    expect(await repositories(body.token)).toBe(401)
  })

  test.each([
    [{ repositories: ['worLD'] }, ['world']],
    [{ repository_ids: [1] }, ['hello']],
    [{ repositories: ['hello'], repository_ids: [2] }, ['hello', 'world']],
    [{ repositories: [] }, []],
  ])('is limited by %j', async (asked, names) => {
    const { as, repositories } = start()
    const { body } = await as(1, TOKENS, post({ ...asked, permissions: { contents: 'read' } }))
    expect(await repositories(body.token)).toEqual(names)
    expect(body.permissions).toEqual({ contents: 'read' })
    const isAll = names.length === 2
    expect(body.repository_selection).toBe(isAll ? 'all' : 'selected')
    expect(body.repositories?.map(({ name }: { readonly name: string }) => name)).toEqual(
      isAll ? undefined : names,
    )
  })

  test.each([
    { permissions: { contents: 'admin' } },
    { permissions: { issues: 'read' } },
    { permissions: { contents: 'all' } },
    { permissions: { contents: ['read'] } },
    { permissions: null },
    { permissions: [] },
    { repositories: ['elsewhere'] },
    { repositories: [['hello']] },
    { repository_ids: [3] },
    { repositories: 'hello' },
    [],
    'text',
  ])('is refused for %j', async (asked) => {
    expect((await start().as(1, TOKENS, post(asked))).status).toBe(422)
  })

  test('costs no more for thousands of names: each repository is read a few times only', async () => {
    let reads = 0
    const repositories = Array.from({ length: 500 }, (_, index) => ({
      id: index + 1,
      get name() {
        reads += 1
        return `r${index}`
      },
    }))
    const { as } = start({ apps: [{ ...apps[0], installations: [{ ...installation, repositories }] }] })
    reads = 0
    const { status } = await as(1, TOKENS, post({ repositories: Array(8000).fill('R499') }))
    expect(status).toBe(201)
    expect(reads).toBeLessThan(4 * repositories.length)
  })

  const ofUser = 'this credential belongs to a user, not to an app'
  const ofApp = 'this credential belongs to an app, not to a user'
  const NO_CREDENTIAL = 'requires authentication'

  test.each([
    ['/user', 'installation', 403, 'this credential belongs to an installation, not to a user'],
    ['/app', 'installation', 403, 'this credential belongs to an installation, not to an app'],
    ['/app?access_token=x', 'installation', 400, 'a credential in the URL is not accepted'],
    ['/user', 'app', 403, ofApp],
    ['/app', 'user', 403, ofUser],
    ['/installation/repositories', 'user', 403, 'this credential belongs to a user, not to an installation'],
    ['/installation/repositories', 'app', 403, 'this credential belongs to an app, not to an installation'],
    ['/user', 'nobody', 401, NO_CREDENTIAL],
    ['/installation/repositories', 'nobody', 401, NO_CREDENTIAL],
    ['/installation/repositories', 'somebody unknown', 401, 'bad credentials'],
  ])('%s refuses a credential of %s with %i and says why', async (path, owner, status, message) => {
    const { as, send, bearing } = start()
    const { body } = await as(1, TOKENS, post())
    const responses: Record<string, () => ReturnType<typeof send>> = {
      installation: () => send(path, bearing(body.token)),
      app: () => as(1, path),
      user: () => send(path, bearing('ghp_1')),
      nobody: () => send(path),
      'somebody unknown': () => send(path, bearing('ghs_unknown')),
    }
    expect(await responses[owner]?.()).toMatchObject({ status, body: { message } })
  })

  test('is revoked by its holder', async () => {
    const { as, fetch, send, bearing, repositories } = start()
    const [one, other] = [await as(1, TOKENS, post()), await as(1, TOKENS, post())]
    const path = 'http://localhost/installation/token'
    expect((await fetch(path, bearing(one.body.token, { method: 'DELETE' }))).status).toBe(204)
    expect(await repositories(one.body.token)).toBe(401)
    expect(await repositories(other.body.token)).toEqual(['hello', 'world'])
    expect((await send('/installation/token', { method: 'DELETE' })).status).toBe(401)
    expect((await send('/installation/token', bearing('ghp_1', { method: 'DELETE' }))).status).toBe(403)
  })
})

test.each([
  [[{ id: 0, owner: 'o' }], 'a positive integer'],
  [[{ id: '1', owner: 'o' }], 'a positive integer'],
  [[{ id: 1, owner: '' }], 'an owner'],
  [
    [
      { id: 1, owner: 'o' },
      { id: 1, owner: 'p' },
    ],
    'the same id twice',
  ],
])('the installations %j are refused: they must have %s', (installations, message) => {
  expect(() => start({ apps: [{ appId: 1, publicKeys: [], installations }] })).toThrow(
    expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(message) }),
  )
})
