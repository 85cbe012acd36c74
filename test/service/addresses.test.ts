import { describe, expect, test } from 'vitest'
import { createService, type ServiceOptions } from '../../src/service/index.ts'
import { selfSigned } from '../support/certificate.ts'
import { CLIENT_ID } from '../support/start-service.ts'

function startService(options: Partial<ServiceOptions> = {}) {
  const { fetch, listen } = createService({ clients: [{ clientId: CLIENT_ID, name: 'App' }], ...options })
  return {
    listen,
    status: async (method: string, address: string) => (await fetch(address, { method })).status,
    codes: async (address: string, headers: Record<string, string> = {}) => {
      const body = new URLSearchParams({ client_id: CLIENT_ID })
      const response = await fetch(address, { method: 'POST', body, headers })
      return response.json() as Promise<{ verification_uri: string; verification_uri_complete: string }>
    },
    fetch,
  }
}

describe('one host', () => {
  test('serves the login paths and the API under any host name', async () => {
    const { status } = startService()
    for (const host of ['http://localhost', 'https://anything.example:8443']) {
      expect(await status('GET', `${host}/login/device`)).toBe(200)
      expect(await status('GET', `${host}/user`)).toBe(401)
    }
  })

  test('never derives its URL from a request', async () => {
    const { codes } = startService()
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const { verification_uri } = await codes('http://evil.example/login/device/code', headers)
    expect(verification_uri).toBe('http://localhost/login/device')
  })

  test('serves only the host name it was given', async () => {
    const { status } = startService({ authUrl: 'https://login.example' })
    expect(await status('GET', 'https://login.example/login/device')).toBe(200)
    expect(await status('GET', 'https://login.example/user')).toBe(401)
    expect(await status('GET', 'https://evil.example/login/device')).toBe(404)
    expect(await status('GET', 'https://evil.example/user')).toBe(404)
  })

  test('for the API alone leaves the login paths to any host name', async () => {
    const { status } = startService({ baseUrl: 'https://api.example' })
    expect(await status('GET', 'http://localhost/login/device')).toBe(200)
    expect(await status('GET', 'http://localhost/user')).toBe(404)
  })
})

test.each([
  '/login/device',
  '/login/device/code',
  '/login/oauth/access_token',
  '/login/oauth/revoke',
  '/.well-known/oauth-authorization-server',
  '/user',
])('no response at %s lets other sites read it', async (path) => {
  const { fetch } = startService({ refreshTokens: { lifetime: 3600 } })
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    const response = await fetch(`http://localhost${path}`, { method, headers })
    const names = [...response.headers.keys()].filter((name) => name.startsWith('access-control'))
    expect([response.status === 404, names]).toEqual([false, []])
  }
})

describe('two hosts', () => {
  const options = { authUrl: 'https://login.example/', baseUrl: 'https://api.example' }

  test.each([
    ['GET', 'https://login.example/login/device', 200],
    ['GET', 'https://LOGIN.example:443/login/device', 200],
    ['POST', 'https://login.example/login/device/code', 400],
    ['POST', 'https://login.example/login/oauth/access_token', 400],
    ['GET', 'https://login.example/user', 404],
    ['GET', 'https://login.example:8443/login/device', 404],
    ['GET', 'https://api.example/user', 401],
    ['GET', 'https://api.example/login/device', 404],
    ['POST', 'https://api.example/login/device/code', 404],
    ['POST', 'https://api.example/login/oauth/access_token', 404],
    ['GET', 'https://other.example/user', 404],
  ])('%s %s returns %i', async (method, address, status) => {
    expect(await startService(options).status(method, address)).toBe(status)
  })

  test('return codes with the login host', async () => {
    const { verification_uri } = await startService(options).codes('https://login.example/login/device/code')
    expect(verification_uri).toBe('https://login.example/login/device')
  })
})

describe('prefixes', () => {
  const options = { authUrl: 'https://git.example/auth/', baseUrl: 'https://git.example/api/v3' }

  test.each([
    ['GET', 'https://git.example/api/v3/user', 401],
    ['GET', 'https://git.example/user', 404],
    ['GET', 'https://git.example/auth/login/device', 200],
    ['GET', 'https://git.example/login/device', 404],
    ['GET', 'https://other.example/api/v3/user', 404],
  ])('%s %s returns %i', async (method, address, status) => {
    expect(await startService(options).status(method, address)).toBe(status)
  })

  test('appear in the codes and in the form', async () => {
    const { codes, fetch } = startService(options)
    const { verification_uri } = await codes('https://git.example/auth/login/device/code')
    expect(verification_uri).toBe('https://git.example/auth/login/device')
    expect(await (await fetch(verification_uri)).text()).toContain('action="/auth/login/device"')
  })
})

describe('other paths and methods', () => {
  test.each([
    ['GET', '/', 404, null],
    ['GET', '/login', 404, null],
    ['GET', '/__proto__', 404, null],
    ['GET', '/login/device/code', 405, 'POST'],
    ['GET', '/login/oauth/access_token', 405, 'POST'],
    ['HEAD', '/login/oauth/access_token', 405, 'POST'],
    ['PUT', '/login/device', 405, 'GET, HEAD, POST'],
    ['DELETE', '/login/device', 405, 'GET, HEAD, POST'],
    ['POST', '/user', 405, 'GET, HEAD'],
    ['OPTIONS', '/login/device/code', 405, 'POST'],
    ['constructor', '/user', 405, 'GET, HEAD'],
  ])('%s %s returns %i', async (method, path, status, allow) => {
    const response = await startService().fetch(`http://localhost${path}`, { method })
    expect(response.status).toBe(status)
    expect(response.headers.get('allow')).toBe(allow)
  })

  test('HEAD works like GET without the body', async () => {
    const response = await startService().fetch('http://localhost/login/device', { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(1000)
  })
})

describe('http outside loopback', () => {
  test('is served with the option allowHttp', async () => {
    const { status } = startService({
      authUrl: 'http://login.example',
      baseUrl: 'http://api.example',
      allowHttp: true,
    })
    expect(await status('GET', 'http://login.example/login/device')).toBe(200)
  })

  test.each(['https://login.example', 'http://localhost:8628', 'http://127.0.0.2', 'http://[::1]:1'])(
    'does not include %s',
    (authUrl) => {
      expect(() => startService({ authUrl })).not.toThrow()
    },
  )

  // The last one is this machine, but not in the form of a loopback address.
  test.each(['0.0.0.0', '::', '', '::ffff:127.0.0.1'])('is refused by listen: %j', async (host) => {
    await expect(startService().listen({ host })).rejects.toThrow(/authUrl.*allowHttp/)
  })

  test('is accepted by listen with allowHttp, or with another authUrl', async () => {
    const host = '::ffff:127.0.0.1'
    for (const options of [{ allowHttp: true }, { authUrl: 'https://login.example' }])
      await (await startService(options).listen({ host })).close()
    await (await startService().listen({ host, tls: selfSigned() })).close()
    await (await startService().listen({ host: 'localhost' })).close()
  })
})

test.each([
  [{ authUrl: 'login.example' }, 'authUrl'],
  [{ authUrl: 'ftp://login.example' }, 'authUrl'],
  [{ authUrl: 'http://login.example' }, 'authUrl'],
  [{ authUrl: 'https://login.example', baseUrl: 'http://api.example' }, 'baseUrl'],
  [{ authUrl: 'http://127.0.0.1.example' }, 'authUrl'],
  [{ authUrl: 'https://user@login.example' }, 'authUrl'],
  [{ baseUrl: 'https://api.example?v=3' }, 'baseUrl'],
  [{ interval: 0 }, 'interval'],
  [{ interval: 1.5 }, 'interval'],
  [{ expiresIn: Number.NaN }, 'expiresIn'],
  [{ leeway: -1 }, 'leeway'],
  [{ leeway: Number.NaN }, 'leeway'],
  [{ clients: [{ clientId: '', name: 'App' }] }, 'clients'],
  [{ users: [{ username: 'mo:na', password: 'secret' }] }, 'users'],
  [{ users: [{ username: '', password: 'secret' }] }, 'users'],
  [{ users: [{ username: 'mona', password: '' }] }, 'users'],
  [{ users: [{ username: 'mona' }] }, 'users'],
  [{ users: [{ username: undefined, password: 'secret' }] }, 'users'],
  [{ users: [{}] }, 'users'],
  [{ users: [null] }, 'users'],
  [{ users: 'mona' }, 'users'],
  [{ personalTokens: [{ token: '', user: 'mona' }] }, 'personalTokens'],
  [{ personalTokens: [{ user: 'mona' }] }, 'personalTokens'],
  [{ personalTokens: [null] }, 'personalTokens'],
  [{ apps: [null] }, 'apps'],
  [{ apps: [{ publicKeys: [] }] }, 'apps'],
  [{ apps: [{ appId: 1 }] }, 'apps'],
  [{ limits: { wrongUserCodes: null } }, 'limits.wrongUserCodes'],
  [{ limits: { loginsOfUser: null } }, 'limits.loginsOfUser'],
  [
    {
      apps: [
        { appId: 1, publicKeys: [] },
        { appId: '1', publicKeys: [] },
      ],
    },
    'apps',
  ],
  [{ secret: 'x'.repeat(31) }, 'secret'],
  [{ clients: Array(2).fill({ clientId: CLIENT_ID, name: 'App' }) }, 'clients'],
])('the options %j are refused by name', (given, name) => {
  const options = given as Partial<ServiceOptions>
  expect(() => startService(options)).toThrow(expect.objectContaining({ code: 'bad_option' }))
  expect(() => startService(options)).toThrow(name)
  expect(() => startService(options)).not.toThrow(CLIENT_ID)
})

test.each([null, undefined, 5, 'options'])('%j instead of options is refused', (options) => {
  expect(() => createService(options as never)).toThrow(
    expect.objectContaining({ code: 'bad_option', message: expect.stringContaining('clients') }),
  )
})
