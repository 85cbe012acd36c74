import { describe, expect, test } from 'vitest'
import { github, githubEnterprise, rfc8628 } from '../../src/index.ts'
import { answers } from '../support/answers.ts'
import { startFlow } from '../support/flow.ts'

const { codes, token } = answers

describe('addresses', () => {
  test.each([
    'http://login.example',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://10.0.0.1',
    'ftp://login.example',
    'https://user:password@login.example',
    'login.example',
    '',
  ])('at %j get nothing', async (authUrl) => {
    const flow = startFlow([codes, token], { profile: github({ authUrl }) })
    expect(await flow.result()).toMatchObject({ error: { code: 'wrong_host' } })
    expect(flow.sent).toHaveLength(0)
  })

  test.each([
    'https://login.example',
    'http://localhost:8080',
    'http://app.localhost',
    'http://127.0.0.1:1',
    'http://127.1.2.3',
    'http://[::1]:80',
  ])('at %j may be asked', async (authUrl) => {
    const flow = startFlow([codes, token], { profile: github({ authUrl: `${authUrl}/` }) })
    expect(await flow.result()).toMatchObject({ status: 'authorized' })
    expect(flow.sent[0]?.url).toBe(`${authUrl}/login/device/code`)
  })

  test('of a poll are checked as well', async () => {
    const profile = rfc8628({
      deviceAuthorizationEndpoint: 'https://login.example/codes',
      tokenEndpoint: 'http://login.example/token',
    })
    const flow = startFlow([codes, token], { profile })
    expect(await flow.result()).toMatchObject({ status: 'failed', error: { code: 'wrong_host' } })
    expect(flow.sent).toHaveLength(1)
  })

  test('of an Enterprise installation lie on its own host, or on a subdomain', () => {
    expect(githubEnterprise('git.example.com')).toMatchObject({
      tokenEndpoint: 'https://git.example.com/login/oauth/access_token',
      baseUrl: 'https://git.example.com/api/v3',
    })
    expect(githubEnterprise('octo.ghe.com')).toMatchObject({
      deviceAuthorizationEndpoint: 'https://octo.ghe.com/login/device/code',
      baseUrl: 'https://api.octo.ghe.com',
    })
  })
})
