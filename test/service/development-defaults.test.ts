import { expect, onTestFinished, test, vi } from 'vitest'
import { createService, type ServiceOptions } from '../../src/service/index.ts'
import { CLIENT_ID, HOST, startService } from '../support/start-service.ts'

const PUBLIC = 'https://login.example'

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
