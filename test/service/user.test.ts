import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/secret.ts'
import { startService } from '../support/start-service.ts'

describe('GET /user', () => {
  test.each([
    [
      { id: 7, login: 'octocat' },
      { id: 7, login: 'octocat' },
    ],
    ['octocat', { login: 'octocat' }],
  ])('returns for a token of %j the user %j', async (user, body) => {
    const service = startService()
    const { userCode, poll } = await service.begin({ scope: 'repo,gist' })
    await service.approve(userCode, user)
    const response = await service.whoIs((await poll()).body.access_token)
    expect(response).toMatchObject({ status: 200, body })
    expect(response.headers.get('x-oauth-scopes')).toBe('repo, gist')
  })

  test('refuses an unknown token without details', async () => {
    const response = await startService().whoIs('unknown')
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="authgraph", error="invalid_token"')
    expect(JSON.stringify(response.body)).not.toContain('unknown')
  })

  test('a token is valid for a year', async () => {
    const service = startService()
    const { access_token } = await service.login()
    service.wait(365 * 24 * 60 * 60 - 1)
    expect((await service.whoIs(access_token)).status).toBe(200)
    service.wait(1)
    expect((await service.whoIs(access_token)).status).toBe(401)
  })
})

describe('authenticate', () => {
  const request = (authorization?: string) =>
    new Request('http://api.example', authorization === undefined ? {} : { headers: { authorization } })

  test('recognises the tokens of the flow', async () => {
    const service = startService()
    const { access_token } = await service.login()
    expect(await service.authenticate(request(`Bearer ${access_token}`))).toEqual({
      form: 'oauth',
      user: { id: 7, login: 'octocat' },
      scopes: ['repo', 'gist'],
      client: { clientId: expect.any(Secret), name: 'App' },
    })
  })

  test('does not accept a device code, user code or hash as a token', async () => {
    const service = startService()
    const { deviceCode, userCode } = await service.begin()
    for (const credential of [deviceCode, userCode])
      expect((await service.whoIs(credential)).status).toBe(401)
  })
})
