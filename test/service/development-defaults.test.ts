import { request } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { developmentDefaults } from '../../src/service/development-defaults.ts'
import { createService, type ServiceOptions, type ServiceRequest } from '../../src/service/index.ts'
import { CLIENT_ID, HOST, startService } from '../support/start-service.ts'

const PUBLIC = 'https://login.example'

/** Requests codes with a Host header that differs from the connection. */
function sendTo(url: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/login/device/code`, { method: 'POST', headers }, (response) => {
      response.resume().once('end', resolve)
    })
    sent.once('error', reject).end(`client_id=${CLIENT_ID}`)
  })
}

/** Logs two devices in and returns the warnings of the service. */
async function signInTwice(options: Partial<ServiceOptions>) {
  const onWarning = vi.fn()
  const host = options.authUrl ?? HOST
  const service = createService({ clients: [{ clientId: CLIENT_ID, name: 'App' }], onWarning, ...options })
  const post = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: CLIENT_ID, ...fields })
    return (await service.fetch(host + path, { method: 'POST', body })).json()
  }
  for (let time = 0; time < 2; time += 1) {
    const { device_code, user_code } = await post('/login/device/code', {})
    await service.fetch(`${host}/login/device`)
    await service.approve(user_code, 'octocat')
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    expect(await post('/login/oauth/access_token', { device_code, grant_type })).toHaveProperty(
      'access_token',
    )
  }
  return onWarning.mock.calls.map(([message]) => message as string)
}

test('a service without identify warns once that it is for development', async () => {
  const warnings = await signInTwice({})
  expect(warnings).toEqual([expect.stringMatching(/FOR DEVELOPMENT ONLY.*"identify"/)])
})

test('a service that is reachable from other machines also warns about the default tokens', async () => {
  const warnings = await signInTwice({ authUrl: PUBLIC })
  expect(warnings).toEqual([
    expect.stringMatching(/not limited by address.*"clientAddress"/),
    expect.stringMatching(/FOR DEVELOPMENT ONLY.*"identify"/),
    expect.stringMatching(/FOR DEVELOPMENT ONLY.*"issueToken"/),
  ])
})

describe('behind an undeclared proxy on the same machine', () => {
  const codesFrom = async (headers: Record<string, string>, options: Partial<ServiceOptions> = {}) => {
    const onWarning = vi.fn()
    const clients = [{ clientId: CLIENT_ID, name: 'App' }]
    const service = createService({ clients, authUrl: PUBLIC, onWarning, ...options })
    const { url, close } = await service.listen()
    onTestFinished(close)
    const { host } = new URL(options.authUrl ?? PUBLIC)
    for (let time = 0; time < 2; time += 1) await sendTo(url, { host, ...headers })
    return onWarning.mock.calls.map(([message]) => message as string)
  }

  test('requests share one rate limit, which is warned about once', async () => {
    expect(await codesFrom({ 'x-forwarded-for': '203.0.113.7' })).toEqual([
      expect.stringMatching(/through a proxy.*"clientAddress"/),
    ])
  })

  test.each<[string, Record<string, string>, Partial<ServiceOptions>]>([
    ['no proxy sends a client address', {}, {}],
    [
      'the option clientAddress is set',
      { 'x-forwarded-for': '203.0.113.7' },
      { clientAddress: () => '203.0.113.7' },
    ],
    ['users sign in only on this machine', { 'x-forwarded-for': '203.0.113.7' }, { authUrl: HOST }],
  ])('there is no warning if %s', async (_, headers, options) => {
    expect(await codesFrom(headers, options)).toEqual([])
  })
})

test('a proxy header from a remote connection causes no warning', () => {
  const warn = vi.fn()
  const { clientAddress } = developmentDefaults(warn, () => PUBLIC)
  const from = (address: string) =>
    clientAddress({ address, header: () => '203.0.113.7' } as Partial<ServiceRequest> as ServiceRequest)
  expect([from('198.51.100.1'), from('1270::1')]).toEqual(['198.51.100.1', '1270::1'])
  expect(warn).not.toHaveBeenCalled()
  expect(from('::ffff:127.0.0.1')).toBe('::ffff:127.0.0.1')
  expect(warn).toHaveBeenCalledOnce()
})

test('a fully configured service does not warn', async () => {
  const own = {
    identify: () => ({ user: 'octocat' }),
    issueToken: () => 'token',
    clientAddress: () => '192.0.2.1',
  }
  expect(await signInTwice({ authUrl: PUBLIC, ...own })).toEqual([])
})

test('each service warns separately, and only when it is used', async () => {
  const onWarning = vi.fn()
  const [one, other] = [startService({ onWarning }), startService({ onWarning })]
  expect(onWarning).not.toHaveBeenCalled()
  await one.fetch(`${HOST}/login/device`)
  await other.fetch(`${HOST}/login/device`)
  expect(onWarning).toHaveBeenCalledTimes(2)
})

test('warnings go to the console if there is no listener', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  onTestFinished(() => warn.mockRestore())
  const service = createService({ clients: [] })
  await service.fetch(`${HOST}/login/device`)
  await service.fetch(`${HOST}/login/device`)
  expect(warn.mock.calls).toEqual([[expect.stringContaining('FOR DEVELOPMENT ONLY')]])
})
