import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/secret.ts'
import { AccessError, type GateOptions, StoreUnavailableError } from '../../src/service/index.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

const PERSONAL = { token: 'ghp_1', user: 'hubot', scopes: ['gist'] }
const METADATA = 'https://api.example/.well-known/oauth-protected-resource'

const start = () =>
  startService({ personalTokens: [PERSONAL], users: [{ username: 'mona', password: 'right' }] })

/** A web request with this header. */
const from = (authorization?: string, url = 'https://api.example/repositories') =>
  new Request(url, authorization === undefined ? {} : { headers: { authorization } })

/** How a gate refuses a request. */
async function refusal(options: GateOptions, request: Request) {
  const error: unknown = await start()
    .requireToken(options)(request)
    .catch((error: unknown) => error)
  if (!(error instanceof AccessError)) throw new Error('the request was let in')
  return error
}

describe('a gate', () => {
  test('lets in a token of a login that has all scopes, and says whose it is', async () => {
    const service = start()
    const { access_token } = await service.login()
    const caller = await service.requireToken({ scopes: ['gist', 'repo'] })(from(`Bearer ${access_token}`))
    expect(caller).toEqual({
      form: 'oauth',
      user: { id: 7, login: 'octocat' },
      scopes: ['repo', 'gist'],
      expiresAt: service.clock.time + 365 * 24 * 60 * 60 * 1000,
      client: { clientId: expect.any(Secret), name: 'App' },
    })
    expect(caller.client?.clientId.reveal()).toBe(CLIENT_ID)
    const personal = { form: 'personalToken', user: 'hubot', scopes: ['gist'] }
    expect(await service.requireToken()(from('token ghp_1'))).toEqual(personal)
  })

  test.each<[string, string | undefined, number, string]>([
    ['no credential', undefined, 401, ', scope="repo gist"'],
    ['a password, even a right one', `Basic ${btoa('mona:right')}`, 401, ', scope="repo gist"'],
    ['an unknown token', 'Bearer ghp_2', 401, ', error="invalid_token", scope="repo gist"'],
    ['a token without a scope', 'Bearer ghp_1', 403, ', error="insufficient_scope", scope="repo gist"'],
    ['two credentials', 'Bearer ghp_1, Bearer ghp_2', 400, ', error="invalid_request"'],
  ])('refuses %s', async (_, authorization, status, challenge) => {
    const { headers, ...error } = await refusal({ scopes: ['repo', 'gist'] }, from(authorization))
    expect(error).toMatchObject({ code: 'no_access', status })
    expect(headers).toEqual({ 'www-authenticate': `Bearer realm="authgraph"${challenge}` })
  })

  test('refuses two headers with a token each', async () => {
    const rawHeaders = ['Authorization', 'Bearer ghp_1', 'authorization', 'Bearer ghp_2']
    const gate = start().requireToken()
    await expect(gate({ rawHeaders, socket: {} })).rejects.toMatchObject({ status: 400 })
  })

  test('refuses a token in the URL', async () => {
    const request = from(undefined, 'https://api.example/repositories?access_token=ghp_1')
    expect(await refusal({}, request)).toMatchObject({ status: 400 })
  })

  test('names what lacks, and the metadata of the API, in a response that nobody caches', async () => {
    const error = await refusal(
      { scopes: ['gist', 'repo'], resourceMetadata: METADATA },
      from('Bearer ghp_1'),
    )
    const response = error.getResponse()
    expect(await response.json()).toEqual({ message: 'the access token lacks the scope repo' })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="authgraph", error="insufficient_scope", scope="gist repo", resource_metadata="${METADATA}"`,
    )
  })

  test('responds with 503, and never 401, while the store is away', async () => {
    const away = new StoreUnavailableError('away')
    const service = startService({ store: { update: () => Promise.reject(away) } })
    const error = { status: 503, headers: { 'retry-after': '5' }, cause: away }
    await expect(service.requireToken()(from('Bearer x'))).rejects.toEqual(expect.objectContaining(error))
    await expect(service.authenticate(from('Bearer x'))).rejects.toEqual(expect.objectContaining(error))
    expect(service.errors).toEqual([away, away])
  })

  test.each<[string, object, string]>([
    ['a scope that is a text', { scopes: 'repo' }, 'scopes must be a list of scopes'],
    ['two scopes in one', { scopes: ['repo gist'] }, 'scopes must be a list of scopes'],
    ['metadata at a path', { resourceMetadata: '/metadata' }, 'resourceMetadata must be a URL'],
    ['a misspelt option', { scope: ['repo'] }, 'unknown option "scope": did you mean "scopes"?'],
  ])('is not created with %s', (_, options, message) => {
    expect(() => start().requireToken(options)).toThrow(
      expect.objectContaining({ code: 'bad_option', message }),
    )
  })
})
