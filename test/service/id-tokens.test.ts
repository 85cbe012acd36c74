import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { verifyIdToken } from '../../src/oidc/index.ts'
import type { OAuthToken } from '../../src/protocol/oauth-token.ts'
import { systemClock } from '../../src/request/clock.ts'
import { Secret } from '../../src/secret.ts'
import { ecKey } from '../support/ec-key.ts'
import { CLIENT_ID, HOST, startService, type TestOptions } from '../support/start-service.ts'

const SCOPE = 'openid profile'
const keys = [await ecKey('one')]

const start = (options: TestOptions = {}) =>
  startService({ keys, refreshTokens: { lifetime: 3600 }, ...options })

describe('an ID token', () => {
  test('comes with a login that requests openid, and our client verifies it', async () => {
    const service = start()
    const { id_token } = await service.login({ scope: SCOPE })
    const fetch = (input: unknown, init?: RequestInit) => service.fetch(String(input), init)
    const clock = { ...systemClock, now: service.clock.now }
    const options = { issuer: HOST, clientId: CLIENT_ID, jwks: `${HOST}/.well-known/jwks.json`, fetch, clock }
    const iat = service.clock.time / 1000
    expect(await verifyIdToken({ idToken: new Secret(id_token) } as OAuthToken, options)).toEqual({
      iss: HOST,
      sub: '7',
      aud: CLIENT_ID,
      iat,
      exp: iat + 3600,
      preferred_username: 'octocat',
    })
    const signature = id_token.split('.')[2]
    expect(JSON.stringify(service.events)).not.toContain(signature)
  })

  test('is the same when its login is delivered again, and when its refresh is repeated', async () => {
    const service = start()
    const { poll } = await service.approved({ scope: SCOPE })
    const { id_token, refresh_token } = (await poll()).body
    service.wait(20)
    expect((await poll()).body.id_token).toBe(id_token)
    const refreshed = (await service.refresh(refresh_token)).body.id_token
    service.wait(5)
    expect((await service.refresh(refresh_token)).body.id_token).toBe(refreshed)
    expect(decodeJwt(refreshed).iat).toBe((decodeJwt(id_token).iat ?? 0) + 20)
  })

  test('comes with each refresh, unless the client asks for other scopes', async () => {
    const service = start()
    const { refresh_token } = await service.login({ scope: SCOPE })
    const narrow = (await service.refresh(refresh_token, { scope: 'profile' })).body
    expect(narrow).not.toHaveProperty('id_token')
    expect((await service.refresh(narrow.refresh_token)).body).toHaveProperty('id_token')
  })

  test('comes with an access token that the host makes', async () => {
    const issueToken = () => 'made-by-the-host'
    const body = await start({ accessToken: 'opaque', issueToken }).login({ scope: SCOPE })
    expect(body).toMatchObject({ access_token: 'made-by-the-host', id_token: expect.any(String) })
  })

  test('never comes without keys: openid is not granted, whatever the host returns', async () => {
    const service = startService({
      issueToken: ({ scopes }) => ({ token: 'one', scopes: ['openid', ...scopes] }),
    })
    const body = await service.login({ scope: SCOPE })
    expect(body.scope).toBe('profile')
    expect(body).not.toHaveProperty('id_token')
    expect(service.events[0]).toMatchObject({ type: 'codes.issued', scopes: ['profile'] })
  })
})
