import { request } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { developmentDefaults } from '../../src/service/development-defaults.ts'
import { createService, type ServiceOptions, type ServiceRequest } from '../../src/service/index.ts'
import { CLIENT_ID, HOST, startService } from '../support/start-service.ts'

const PUBLIC = 'https://login.example'

/** Asks for codes under another host than that of the connection. */
function sendTo(url: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/login/device/code`, { method: 'POST', headers }, (response) => {
      response.resume().once('end', resolve)
    })
    sent.once('error', reject).end(`client_id=${CLIENT_ID}`)
  })
}

/** Signs two devices in at a service, and tells what it warned of. */
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

test('a service that does not say who its users are warns once that it is for development', async () => {
  const warnings = await signInTwice({})
  expect(warnings).toEqual([expect.stringMatching(/FOR DEVELOPMENT ONLY.*"identify"/)])
})

test('where people sign in at more than this machine, tokens of the default are warned of, too', async () => {
  const warnings = await signInTwice({ authUrl: PUBLIC })
  expect(warnings).toEqual([
    expect.stringMatching(/not limited by address.*"clientAddress"/),
    expect.stringMatching(/FOR DEVELOPMENT ONLY.*"identify"/),
    expect.stringMatching(/FOR DEVELOPMENT ONLY.*"issueToken"/),
  ])
})

describe('behind a proxy that nobody named, on the same machine', () => {
  const codesFrom = async (headers: Record<string, string>, options: Partial<ServiceOptions> = {}) => {
    const onWarning = vi.fn()
    const service = startService({ authUrl: PUBLIC, onWarning, ...options })
    const { url, close } = await service.listen()
    onTestFinished(close)
    const { host } = new URL(options.authUrl ?? PUBLIC)
    for (let time = 0; time < 2; time += 1) await sendTo(url, { host, ...headers })
    return onWarning.mock.calls.map(([message]) => message as string)
  }

  test('requests are limited as if they came from one client: that is warned of once', async () => {
    expect(await codesFrom({ 'x-forwarded-for': '203.0.113.7' })).toEqual([
      expect.stringMatching(/through a proxy.*"clientAddress"/),
    ])
  })

  test.each<[string, Record<string, string>, Partial<ServiceOptions>]>([
    ['no proxy says where they came from', {}, {}],
    ['the option says', { 'x-forwarded-for': '203.0.113.7' }, { clientAddress: () => '203.0.113.7' }],
    ['users sign in on this machine alone', { 'x-forwarded-for': '203.0.113.7' }, { authUrl: HOST }],
  ])('nothing is warned of where %s', async (_, headers, options) => {
    expect(await codesFrom(headers, options)).toEqual([])
  })
})

test('whoever writes the header of a proxy, but connects from elsewhere, causes no warning', () => {
  const warn = vi.fn()
  const { clientAddress } = developmentDefaults(warn, () => PUBLIC)
  const from = (address: string) =>
    clientAddress({ address, header: () => '203.0.113.7' } as Partial<ServiceRequest> as ServiceRequest)
  expect([from('198.51.100.1'), from('1270::1')]).toEqual(['198.51.100.1', '1270::1'])
  expect(warn).not.toHaveBeenCalled()
  expect(from('::ffff:127.0.0.1')).toBe('::ffff:127.0.0.1')
  expect(warn).toHaveBeenCalledOnce()
})

test('a service that has them all is silent', async () => {
  const own = {
    identify: () => ({ user: 'octocat' }),
    issueToken: () => 'token',
    clientAddress: () => '192.0.2.1',
  }
  expect(await signInTwice({ authUrl: PUBLIC, ...own })).toEqual([])
})

test('each service warns for itself, and only when it is used', async () => {
  const onWarning = vi.fn()
  const [one, other] = [startService({ onWarning }), startService({ onWarning })]
  expect(onWarning).not.toHaveBeenCalled()
  await one.fetch(`${HOST}/login/device`)
  await other.fetch(`${HOST}/login/device`)
  expect(onWarning).toHaveBeenCalledTimes(2)
})

test('the console hears it where nobody else does', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  onTestFinished(() => warn.mockRestore())
  const service = createService({ clients: [] })
  await service.fetch(`${HOST}/login/device`)
  await service.fetch(`${HOST}/login/device`)
  expect(warn.mock.calls).toEqual([[expect.stringContaining('FOR DEVELOPMENT ONLY')]])
})
