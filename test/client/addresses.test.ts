import { describe, expect, test } from 'vitest'
import { github, githubEnterprise, rfc8628 } from '../../src/index.ts'
import { errorWith } from '../support/error-with.ts'
import { startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

const { codes, token } = responses

describe('addresses', () => {
  test.each(['http://login.example', 'login.example', ''])('at %j get nothing', async (authUrl) => {
    const flow = startFlow([codes, token], { provider: github({ authUrl }) })
    expect(await flow.result()).toMatchObject({ error: { code: 'wrong_host' } })
    expect(flow.sent).toHaveLength(0)
  })

  test('of a poll are checked as well', async () => {
    const provider = rfc8628({
      deviceAuthorizationEndpoint: 'https://login.example/codes',
      tokenEndpoint: 'http://login.example/token',
    })
    const flow = startFlow([codes, token], { provider })
    expect(await flow.result()).toMatchObject({ status: 'failed', error: { code: 'wrong_host' } })
    expect(flow.sent).toHaveLength(1)
  })

  test.each([
    ['https://Git.Example.com/', 'https://git.example.com', 'https://git.example.com/api/v3'],
    ['git.example.com:8443', 'https://git.example.com:8443', 'https://git.example.com:8443/api/v3'],
    ['https://OCTO.ghe.com', 'https://octo.ghe.com', 'https://api.octo.ghe.com'],
    ['localhost:8080', 'http://localhost:8080', 'http://localhost:8080/api/v3'],
    ['http://localhost:8080', 'http://localhost:8080', 'http://localhost:8080/api/v3'],
    ['[::1]:8080', 'http://[::1]:8080', 'http://[::1]:8080/api/v3'],
    ['https://127.0.0.1:8443', 'https://127.0.0.1:8443', 'https://127.0.0.1:8443/api/v3'],
    ['github.com', 'https://github.com', 'https://api.github.com'],
  ])('of an Enterprise installation are found for %j', (host, authUrl, baseUrl) => {
    expect(githubEnterprise(host)).toEqual(github({ authUrl, baseUrl }))
  })

  test.each([
    ...['', ' ', 'http://git.example.com', 'http://app.localhost', 'https://git.example.com/login'],
    ...['https://git.example.com/?a', 'git.example.com/api/v3', 'user@git.example.com', 'https://'],
    ...['ftp://git.example.com', 'git example.com', ' https://git.example.com'],
    undefined,
    5,
  ])('of an Enterprise installation cannot be found for %j', (host) => {
    expect(() => githubEnterprise(host as string)).toThrow(errorWith('bad_option', 'git.example.com'))
  })
})
