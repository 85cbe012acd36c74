import { generateKeyPairSync } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { type ProtectMcpServerOptions, protectMcpServer } from '../../../src/mcp/server/index.ts'
import { createVerifier } from '../../../src/oidc/index.ts'
import { AccessError, StoreUnavailableError } from '../../../src/service/index.ts'
import { CLIENT_ID, startService, type TestOptions } from '../../support/start-service.ts'

const ISSUER = 'https://login.example'
const RESOURCE = 'https://mcp.example/notes'
const METADATA = 'https://mcp.example/.well-known/oauth-protected-resource/notes'
const OTHER = 'https://other.example'

class InvalidToken extends Error {}

/** A server that needs the scope `repo`, in the process of our service. */
function world(options: TestOptions = {}) {
  const service = startService({
    resources: [
      { uri: RESOURCE, name: 'Notes' },
      { uri: OTHER, name: 'Other' },
    ],
    ...options,
  })
  const { requireToken } = service
  const server = protectMcpServer({ resource: RESOURCE, issuer: ISSUER, requireToken, scopes: ['repo'] })
  const tokenFor = async (fields: Readonly<Record<string, string>>) =>
    (await service.login(fields)).access_token as string
  const { verifyAccessToken } = server.verifier((message) => new InvalidToken(message))
  return { service, tokenFor, ask: asking(server), verifyAccessToken }
}

/** Asks a server about the token of a request: who sends it, or the status and the challenge of the response. */
const asking =
  ({ authenticate }: ReturnType<typeof protectMcpServer>) =>
  async (token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const answer = await authenticate(new Request(RESOURCE, { headers }))
    return answer instanceof Response ? [answer.status, answer.headers.get('www-authenticate')] : answer
  }

const refusedWith = (status: number, error: string) => [
  status,
  `Bearer realm="authgraph", error="${error}", scope="repo", resource_metadata="${METADATA}"`,
]

describe('with the service in the same process', () => {
  test('a token of the server says who sends it, in the words of the MCP packages', async () => {
    const { ask, service, verifyAccessToken, tokenFor } = world({
      issueToken: () => ({ token: 'one', expiresIn: 60 }),
    })
    const token = await tokenFor({ resource: RESOURCE })
    const authInfo = {
      token: 'one',
      clientId: CLIENT_ID,
      scopes: ['repo', 'gist'],
      expiresAt: service.clock.time / 1000 + 60,
      resource: new URL(RESOURCE),
      resourceMetadataUrl: METADATA,
      extra: { user: { id: 7, login: 'octocat' } },
    }
    expect(await ask(token)).toEqual(authInfo)
    expect(await verifyAccessToken(token)).toEqual(authInfo)
  })

  test.each<[string, (at: ReturnType<typeof world>) => Promise<string>, number, string]>([
    ['unknown', async () => 'unknown', 401, 'invalid_token'],
    ['of another server', ({ tokenFor }) => tokenFor({ resource: OTHER }), 401, 'invalid_token'],
    ['for none', ({ tokenFor }) => tokenFor({}), 401, 'invalid_token'],
    [
      'expired',
      async ({ service, tokenFor }) => {
        const token = await tokenFor({ resource: RESOURCE })
        service.wait(60)
        return token
      },
      401,
      'invalid_token',
    ],
    [
      'without the scope',
      ({ tokenFor }) => tokenFor({ resource: RESOURCE, scope: 'gist' }),
      403,
      'insufficient_scope',
    ],
  ])('a token that is %s is refused', async (_, tokenOf, status, error) => {
    let issued = 0
    const at = world({ issueToken: () => ({ token: `token-${++issued}`, expiresIn: 60 }) })
    const token = await tokenOf(at)
    expect(await at.ask(token)).toEqual(refusedWith(status, error))
    // Scopes are left to the packages, which know the 403.
    const verified = at.verifyAccessToken(token).then(({ scopes }) => scopes)
    if (status === 401) await expect(verified).rejects.toThrow(InvalidToken)
    else expect(await verified).toEqual(['gist'])
  })

  test('a request without a token gets the scope and the metadata to log in with', async () => {
    expect(await world().ask()).toEqual([
      401,
      `Bearer realm="authgraph", scope="repo", resource_metadata="${METADATA}"`,
    ])
  })

  test.each([
    ['a second one', 'one, Bearer two'],
    ['bytes that no header can hold', 'one\r\ntwo'],
  ])('a verifier refuses a token with %s', async (_, token) => {
    await expect(world().verifyAccessToken(token)).rejects.toThrow(InvalidToken)
  })

  test('nobody is told to log in again while the store is down', async () => {
    const update = () => Promise.reject(new StoreUnavailableError('down'))
    const { ask, verifyAccessToken } = world({ store: { update } })
    expect(await ask('any')).toEqual([503, null])
    const error = await verifyAccessToken('any').catch((error: unknown) => error)
    expect(error instanceof AccessError && error.status).toBe(503)
  })

  test('a token that the host verifies has the expiry that it names, or none', async () => {
    const owner = { user: 'mona', scopes: ['repo'], resource: RESOURCE }
    const { ask } = world({ verifyToken: () => owner })
    expect(await ask('signed')).toMatchObject({ clientId: '', expiresAt: Number.POSITIVE_INFINITY })
    const { ask: again } = world({ verifyToken: () => ({ ...owner, expiresAt: 5999 }) })
    expect(await again('signed')).toMatchObject({ expiresAt: 5 })
  })
})

describe('with a service elsewhere', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const sign = (claims: Readonly<Record<string, unknown>>) =>
    new SignJWT({ iss: ISSUER, sub: 'mona', client_id: 'cli', aud: RESOURCE, scope: 'repo', ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
      .setIssuedAt()
      .sign(privateKey)

  function elsewhere(resource = RESOURCE) {
    const issuer = { isDown: false }
    const fetch: typeof globalThis.fetch = async (input) => {
      if (issuer.isDown) throw new TypeError('fetch failed')
      if (String(input).endsWith('/keys')) return Response.json({ keys: [await exportJWK(publicKey)] })
      return Response.json({
        issuer: ISSUER,
        token_endpoint: `${ISSUER}/token`,
        device_authorization_endpoint: `${ISSUER}/device`,
        jwks_uri: `${ISSUER}/keys`,
      })
    }
    const { requireToken } = createVerifier({ issuer: ISSUER, resource, fetch, onError: () => {} })
    const options = { resource: RESOURCE, issuer: ISSUER, requireToken, scopes: ['repo'] }
    return { issuer, ask: asking(protectMcpServer(options)) }
  }

  test('a JWT for the server says who sends it', async () => {
    const { ask } = elsewhere()
    const exp = Math.floor(Date.now() / 1000) + 300
    const { expiresAt, clientId, extra } = Object(await ask(await sign({ exp })))
    expect([expiresAt, clientId, extra]).toEqual([exp, 'cli', { user: 'mona' }])
    expect(await ask(await sign({ exp, aud: OTHER }))).toEqual(refusedWith(401, 'invalid_token'))
    expect(await ask(await sign({ exp: exp - 600 }))).toEqual(refusedWith(401, 'invalid_token'))
    expect(await ask(await sign({ exp, scope: 'gist' }))).toEqual(refusedWith(403, 'insufficient_scope'))
  })

  test('nobody is told to log in again while the issuer is down', async () => {
    const { ask, issuer } = elsewhere()
    issuer.isDown = true
    expect(await ask(await sign({ exp: 1 }))).toEqual([503, null])
  })

  test('a verifier for another server is refused at the start', () => {
    expect(() => elsewhere(OTHER)).toThrow('resource must be that of the verifier')
  })
})

describe('the metadata', () => {
  const protect = (options: Partial<ProtectMcpServerOptions>) =>
    protectMcpServer({
      resource: RESOURCE,
      issuer: ISSUER,
      requireToken: () => () => Promise.reject(new Error('not asked')),
      ...options,
    })

  test.each([
    ['https://mcp.example', 'https://mcp.example/.well-known/oauth-protected-resource'],
    ['https://mcp.example/', 'https://mcp.example/.well-known/oauth-protected-resource'],
    ['https://mcp.example/a/mcp', 'https://mcp.example/.well-known/oauth-protected-resource/a/mcp'],
    ['https://mcp.example/mcp/', 'https://mcp.example/.well-known/oauth-protected-resource/mcp/'],
  ])('of %s is where clients look for it, and spells the URL so', async (resource, url) => {
    const server = protect({ resource })
    expect(server.metadataUrl).toBe(url)
    const response = server.metadataResponse(new Request(url))
    expect(await response?.json()).toEqual({
      resource,
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
    })
    // Clients may omit the last slash.
    expect(server.metadataResponse(new Request(url.replace(/\/$/, '')))?.status).toBe(200)
    expect(server.metadataResponse(new Request(`${url.replace(/\/$/, '')}2`))).toBeUndefined()
  })

  test('names the scopes and the server, and may be read by any page', async () => {
    const server = protect({ scopes: ['repo'], scopesSupported: ['repo', 'gist'], name: 'Notes' })
    expect(server.metadata).toMatchObject({ scopes_supported: ['repo', 'gist'], resource_name: 'Notes' })
    expect(protect({ scopes: ['repo'] }).metadata).toMatchObject({ scopes_supported: ['repo'] })
    const answers = ['HEAD', 'OPTIONS', 'POST'].map((method) =>
      server.metadataResponse(new Request(METADATA, { method })),
    )
    expect(answers.map((answer) => answer?.status)).toEqual([200, 204, 405])
    for (const answer of answers) expect(answer?.headers.get('access-control-allow-origin')).toBe('*')
  })

  test.each<[Partial<Record<keyof ProtectMcpServerOptions, unknown>>, string]>([
    [{ resource: 'https://mcp.example/mcp?a=b' }, 'resource must be a URL without a query or a fragment'],
    [{ resource: 'http://mcp.example/mcp' }, 'must use https'],
    [{ issuer: 'http://login.example' }, 'must use https'],
    [{ scopesSupported: ['read write'] }, 'scopesSupported must be a list of scopes'],
    [{ scopesSupportd: [] } as object, 'unknown option "scopesSupportd"'],
  ])('cannot be made of %o', (options, message) => {
    expect(() => protect(options as object)).toThrow(message)
  })
})
