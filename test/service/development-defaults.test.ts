import { expect, onTestFinished, test, vi } from 'vitest'
import { developmentDefaults } from '../../src/service/development-defaults.ts'
import { createService, type ServiceOptions, type ServiceRequest } from '../../src/service/index.ts'
import { CLIENT_ID, CODES_PATH, GRANT_TYPE, HOST, TOKEN_PATH } from '../support/start-service.ts'

const PUBLIC = 'https://login.example'

const IDENTIFY = expect.stringMatching(/FOR DEVELOPMENT ONLY.*"identify"/)
const ISSUE_TOKEN = expect.stringMatching(/FOR DEVELOPMENT ONLY.*"issueToken"/)
const NO_ADDRESS = expect.stringMatching(/not limited by address.*"clientAddress"/)
const PROXY = expect.stringMatching(/through a proxy.*"clientAddress"/)

const own = {
  identify: () => ({ user: 'octocat' }),
  issueToken: () => 'token',
  clientAddress: () => '192.0.2.1',
}

test.each<[string, Partial<ServiceOptions>, unknown[]]>([
  ['without identify', {}, [IDENTIFY]],
  ['that is reachable from other machines', { authUrl: PUBLIC }, [NO_ADDRESS, IDENTIFY, ISSUE_TOKEN]],
  ['that is fully configured', { authUrl: PUBLIC, ...own }, []],
])('a service %s warns once about each default', async (_, options, expected) => {
  const onWarning = vi.fn()
  const service = createService({ clients: [{ clientId: CLIENT_ID, name: 'App' }], onWarning, ...options })
  expect(onWarning).not.toHaveBeenCalled()
  const host = options.authUrl ?? HOST
  const post = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: CLIENT_ID, ...fields })
    return (await service.fetch(host + path, { method: 'POST', body })).json()
  }
  for (let time = 0; time < 2; time += 1) {
    const { device_code, user_code } = await post(CODES_PATH, {})
    await service.fetch(`${host}/login/device`)
    await service.approve(user_code, 'octocat')
    const token = await post(TOKEN_PATH, { device_code, grant_type: GRANT_TYPE })
    expect(token).toHaveProperty('access_token')
  }
  expect(onWarning.mock.calls.flat()).toEqual(expected)
})

test.each<[string, string | undefined, string | undefined, string, unknown[]]>([
  ['an undeclared proxy on the same machine', '127.0.0.1', '203.0.113.7', PUBLIC, [PROXY]],
  ['one over IPv6', '::1', '203.0.113.7', PUBLIC, [PROXY]],
  ['one whose address is mapped', '::ffff:127.0.0.1', '203.0.113.7', PUBLIC, [PROXY]],
  ['one on a Unix socket', 'unix:', '203.0.113.7', PUBLIC, [PROXY]],
  ['this machine, without a proxy', '127.0.0.1', undefined, PUBLIC, []],
  ['a proxy, if users sign in only on this machine', '127.0.0.1', '203.0.113.7', HOST, []],
  ['a stranger who sends the header of a proxy', '198.51.100.1', '203.0.113.7', PUBLIC, []],
  ['a stranger whose address looks like loopback', '1270::1', '203.0.113.7', PUBLIC, []],
  ['nobody knows where', undefined, undefined, PUBLIC, [NO_ADDRESS]],
  ['nobody knows where, if users sign in only on this machine', undefined, undefined, HOST, []],
])('requests from %s share the limit of their connection, with a warning once', (...row) => {
  const [, address, forwarded, authUrl, expected] = row
  const warn = vi.fn()
  const { clientAddress } = developmentDefaults(warn, () => authUrl)
  const request: Partial<ServiceRequest> = {
    ...(address && { address }),
    header: (name) => (name === 'x-forwarded-for' ? forwarded : undefined),
  }
  for (let time = 0; time < 2; time += 1) expect(clientAddress(request as ServiceRequest)).toBe(address)
  expect(warn.mock.calls.flat()).toEqual(expected)
})

test('warnings go to the console if there is no listener', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  onTestFinished(() => warn.mockRestore())
  const service = createService({ clients: [] })
  await service.fetch(`${HOST}/login/device`)
  expect(warn.mock.calls).toEqual([[IDENTIFY]])
})
