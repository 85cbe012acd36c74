import { expect, onTestFinished, test, vi } from 'vitest'
import { githubEnterprise } from '../../src/index.ts'
import { page } from '../support/page.ts'
import { logIn } from './first-login/log-in.ts'

test.each([
  [undefined, 'https://github.com', 'https://api.github.com'],
  [githubEnterprise('git.example.com'), 'https://git.example.com', 'https://git.example.com/api/v3'],
  [githubEnterprise('octo.ghe.com'), 'https://octo.ghe.com', 'https://api.octo.ghe.com'],
])(
  'the first login sends requests only to its host and returns the user (%#)',
  async (provider, authUrl, baseUrl) => {
    const { service, pass, settle } = page()
    const addresses: string[] = []
    const response = globalThis.fetch
    vi.stubGlobal('fetch', async (input: string | Request, init?: RequestInit) => {
      const address = input instanceof Request ? input.url : input
      addresses.push(address)
      return address === `${baseUrl}/user` ? Response.json({ login: 'octocat' }) : response(address, init)
    })
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    onTestFinished(() => written.mockRestore())

    const login = logIn('id', provider)
    await settle()
    const [, userCode = ''] = /enter (.*)\n/.exec(String(written.mock.calls[0]?.[0])) ?? []
    await service.approve(userCode, 'octocat')
    await pass(6)
    expect(await login).toBe('octocat')
    expect(addresses).toEqual([
      `${authUrl}/login/device/code`,
      `${authUrl}/login/oauth/access_token`,
      `${baseUrl}/user`,
    ])
  },
)
