import { describe, expect, test } from 'vitest'
import { selfSigned } from '../support/certificate.ts'
import { CLIENT_ID, startService, type TestOptions } from '../support/start-service.ts'

const METADATA_PATH = '/.well-known/oauth-authorization-server'
const login = { authUrl: 'https://login.example' }
const both = { authUrl: 'https://login.example/', baseUrl: 'https://api.example' }
const prefixes = { authUrl: 'https://git.example/auth/', baseUrl: 'https://git.example/api/v3' }
const insecure = { authUrl: 'http://login.example', allowHttp: true }

async function codes(options: TestOptions, address: string, headers = {}) {
  const body = new URLSearchParams({ client_id: CLIENT_ID })
  const response = await startService(options).fetch(address, { method: 'POST', body, headers })
  return response.json() as Promise<{ readonly verification_uri: string }>
}

test.each<[string, TestOptions, string, number]>([
  ['no host name', {}, 'GET https://anything.example:8443/login/device', 200],
  ['one host name', login, 'GET https://login.example/login/device', 200],
  ['one host name', login, 'GET https://login.example/user', 401],
  ['one host name', login, 'GET https://evil.example/login/device', 404],
  ['an API host alone', { baseUrl: 'https://api.example' }, 'GET http://localhost/login/device', 200],
  ['an API host alone', { baseUrl: 'https://api.example' }, 'GET http://localhost/user', 404],
  ['two hosts', both, 'GET http://login.example:443/login/device', 200],
  ['two hosts', both, 'POST https://login.example/login/device/code', 400],
  ['two hosts', both, 'GET https://login.example:8443/login/device', 404],
  ['two hosts', both, 'GET https://api.example/user', 401],
  ['two hosts', both, `GET https://login.example${METADATA_PATH}`, 200],
  ['two hosts', both, `GET https://api.example${METADATA_PATH}`, 404],
  ['prefixes', prefixes, 'GET https://git.example/api/v3/user', 401],
  ['prefixes', prefixes, 'GET https://git.example/api/v4/user', 404],
  ['prefixes', prefixes, 'GET https://git.example/login/device', 404],
  ['http allowed', insecure, 'GET https://login.example:80/login/device', 200],
])('a service with %s, %j, responds to %s with %i', async (_, options, request, status) => {
  const [method = '', address = ''] = request.split(' ')
  expect((await startService(options).fetch(address, { method })).status).toBe(status)
})

test('the codes and the form have the host and the prefix of the login, never those of a request', async () => {
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
  const { verification_uri: local } = await codes({}, 'http://evil.example/login/device/code', headers)
  expect(local).toBe('http://localhost/login/device')
  const { verification_uri } = await codes(prefixes, 'https://git.example/auth/login/device/code')
  expect(verification_uri).toBe('https://git.example/auth/login/device')
  const page = await startService(prefixes).fetch(verification_uri)
  expect(await page.text()).toContain('action="/auth/login/device"')
})

test.each([
  '/login/device',
  '/login/device/code',
  '/login/oauth/access_token',
  '/login/oauth/revoke',
  METADATA_PATH,
  '/user',
])('no response lets other sites read it: %s', async (path) => {
  const { fetch } = startService({ refreshTokens: { lifetime: 3600 } })
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    const response = await fetch(`http://localhost${path}`, { method, headers })
    const names = [...response.headers.keys()].filter((name) => name.startsWith('access-control'))
    expect([response.status === 404, names]).toEqual([false, []])
  }
})

test.each([
  ['GET', '/', 404, null],
  ['GET', '/__proto__', 404, null],
  ['GET', '/login/device/code', 405, 'POST'],
  ['PUT', '/login/device', 405, 'GET, HEAD, POST'],
  ['POST', '/user', 405, 'GET, HEAD'],
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

describe('http outside loopback', () => {
  // The last one is this machine, but not in the form of a loopback address.
  test.each(['0.0.0.0', '::', '', '::ffff:127.0.0.1'])('is refused by listen: %j', async (host) => {
    await expect(startService().listen({ host })).rejects.toThrow(/authUrl.*allowHttp/)
  })

  test('is accepted by listen with allowHttp, or with another authUrl', async () => {
    const host = '::ffff:127.0.0.1'
    for (const options of [{ allowHttp: true }, login])
      await (await startService(options).listen({ host })).close()
    await (await startService().listen({ host, tls: selfSigned() })).close()
    await (await startService().listen({ host: 'localhost' })).close()
  })
})
