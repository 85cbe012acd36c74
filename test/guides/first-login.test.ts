import { expect, onTestFinished, test, vi } from 'vitest'
import { page } from '../support/page.ts'

test('the first login sends requests only to GitHub, and prints the code and the user', async () => {
  const { service, pass, settle } = page('YOUR_CLIENT_ID')
  const addresses: string[] = []
  const response = globalThis.fetch
  vi.stubGlobal('fetch', async (input: string | Request, init?: RequestInit) => {
    const address = input instanceof Request ? input.url : input
    addresses.push(address)
    return address === 'https://api.github.com/user'
      ? Response.json({ login: 'octocat' })
      : response(address, init)
  })
  const printed: string[] = []
  const written = vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(line))
  onTestFinished(() => written.mockRestore())

  const done = import('./first-login/log-in.ts')
  await vi.waitUntil(() => settle().then(() => printed.length > 0), { timeout: 30_000 })
  const [, userCode = ''] = /enter (.*)$/.exec(printed[0] ?? '') ?? []
  await service.approve(userCode, 'octocat')
  await pass(6)
  await done
  expect(printed[1]).toBe('Logged in as octocat')
  expect(addresses).toEqual([
    'https://github.com/login/device/code',
    'https://github.com/login/oauth/access_token',
    'https://api.github.com/user',
  ])
})
