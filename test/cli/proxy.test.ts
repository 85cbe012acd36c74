import { createServer } from 'node:net'
import { describe, expect } from 'vitest'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { listenOnLoopback } from '../support/listen-on-loopback.ts'
import { granted } from './support/scripted-http.ts'
import { CERTIFICATE } from './support/serve.ts'
import { loginTo, test, type World } from './support/world.ts'

const LOGIN = 'login --client-id id --store file'

async function proxyOf(world: World, refusal?: Parameters<typeof startConnectProxy>[0]) {
  const proxy = await startConnectProxy(refusal)
  world.onEnd(proxy.close)
  return proxy
}

describe('a proxy', { concurrent: true }, () => {
  test('is used for every request over https, except to the hosts in NO_PROXY', async ({ world }) => {
    const proxy = await proxyOf(world)
    const service = await world.scripted({ isSecure: true, polls: [granted('gho_tokenInTheClear')] })
    const { url } = await world.scripted()
    // Proxies are often written without a scheme.
    const env = { NODE_EXTRA_CA_CERTS: CERTIFICATE, HTTPS_PROXY: proxy.url.replace('http://', '') }
    await world.expect(loginTo(service.url), { stderr: '' }, { env })
    await world.expect('api /user --field a=b', { stderr: '' }, { env })
    const paths = ['/login/device/code', '/login/oauth/access_token', '/user', '/user']
    expect(service.requests.map(({ path }) => path)).toEqual(paths)
    expect(new Set(proxy.hosts)).toEqual(new Set([new URL(service.url).host]))
    const asked = proxy.hosts.length
    await world.expect('status', {}, { env: { ...env, NO_PROXY: 'localhost' } })
    // Nor for http requests to a loopback address.
    await world.expect(`api /user --auth none --host ${url}`, {}, { env: { ...env, HTTP_PROXY: proxy.url } })
    expect(proxy.hosts).toHaveLength(asked)
  })

  test('is read from ALL_PROXY unless HTTPS_PROXY is set', async ({ world }) => {
    const [all, https] = await Promise.all([proxyOf(world), proxyOf(world)])
    const { url } = await world.scripted({ isSecure: true })
    const call = (env: Record<string, string>) =>
      world.expect(
        ['api', '/user', '--auth', 'none', '--host', url],
        { stderr: '' },
        { env: { NODE_EXTRA_CA_CERTS: CERTIFICATE, ...env } },
      )
    await call({ all_proxy: all.url })
    expect(all.hosts).toEqual([new URL(url).host])
    await call({ ALL_PROXY: all.url, HTTPS_PROXY: https.url })
    await call({ ALL_PROXY: all.url, NO_PROXY: 'localhost' })
    expect([all.hosts.length, https.hosts.length]).toEqual([1, 1])
  })

  test.for([
    [407, 'rejected the user name and the password (status 407)', 'Correct them in HTTPS_PROXY. Write'],
    [502, 'could not connect to it (status 502)', 'ask the administrator of the proxy'],
    [
      403,
      'refused the connection with status 403',
      'Check HTTPS_PROXY. To bypass the proxy, add github.com to NO_PROXY.',
    ],
    ['ends', 'ended the connection without a response', 'Check HTTPS_PROXY. To bypass'],
    [undefined, 'cannot be reached (ECONNREFUSED)', 'Check HTTPS_PROXY. To bypass'],
  ] as const)(
    'that fails with %s is distinguished from the service',
    async ([status, why, advice], { world }) => {
      const { url, close } = await proxyOf(world, status)
      if (status === undefined) await close()
      const env = { HTTPS_PROXY: url.replace('//', '//me:secret@') }
      const stderr = [`✗ github.com cannot be reached: the proxy ${new URL(url).host} ${why}\n  `, advice]
      await world.expect(LOGIN, { code: 1, stdout: '', stderr, never: ['secret'] }, { env })
    },
  )

  test.for([
    ['', 'http://'],
    ['me:secret@', 'http://USER:PASSWORD@'],
  ])(
    'that does not use https, with "%s", is named with %s in the advice',
    async ([user, better], { world }) => {
      const { url } = await proxyOf(world)
      const host = `localhost:${new URL(url).port}`
      const env = { HTTPS_PROXY: `https://${user}${host}` }
      const message = `github.com cannot be reached: the TLS handshake with the proxy ${host} failed (ERR_SSL_WRONG_VERSION_NUMBER)`
      const advice = `Most proxies use http: set HTTPS_PROXY to ${better}${host}`
      const never = ['secret']
      await world.expect(
        LOGIN,
        { code: 1, stdout: '', stderr: `✗ ${message}\n  ${advice}\n`, never },
        { env },
      )
      const failed = `"message":"${message}","advice":"${advice}"`
      await world.expect(`${LOGIN} --json`, { code: 1, stdout: [failed], never }, { env })
    },
  )

  test('whose certificate is not trusted is distinguished from the service', async ({ world }) => {
    const { url } = await world.scripted({ isSecure: true })
    const { host } = new URL(url)
    const stderr = [
      `✗ github.com cannot be reached: the certificate of the proxy ${host} was rejected (`,
      ')\n  The certificate is not trusted: set NODE_EXTRA_CA_CERTS to ',
    ]
    await world.expect(LOGIN, { code: 1, stdout: '', stderr }, { env: { HTTPS_PROXY: url } })
  })

  test('that does not speak HTTP is named', async ({ world }) => {
    const server = createServer((socket) =>
      socket.on('error', () => undefined).write('SSH-2.0-OpenSSH_9\r\n'),
    )
    const { url, close } = await listenOnLoopback(server)
    world.onEnd(close)
    const stderr = [`: the proxy ${new URL(url).host} did not respond with HTTP\n`]
    await world.expect(LOGIN, { code: 1, stdout: '', stderr }, { env: { HTTPS_PROXY: url } })
  })

  test('that requires a password is named in the advice', async ({ world }) => {
    const { url } = await proxyOf(world, 407)
    const { host } = new URL(url)
    const why = 'requires a user name and a password (status 407)'
    const stderr = `✗ github.com cannot be reached: the proxy ${host} ${why}\n  Set HTTPS_PROXY to http://USER:PASSWORD@${host}, with special characters percent-encoded\n`
    await world.expect(LOGIN, { code: 1, stdout: '', stderr }, { env: { HTTPS_PROXY: url } })
  })

  test.for([
    [407, 'Remove --proxy, and set HTTPS_PROXY to http://USER:PASSWORD@'],
    [403, 'Check --proxy. To bypass'],
  ] as const)('of --proxy that fails with %s is named in the advice', async ([status, advice], { world }) => {
    const { url } = await proxyOf(world, status)
    const words = `mcp login --store file --proxy ${url} https://mcp.example.com/mcp`
    const env = { HTTPS_PROXY: 'http://127.0.0.1:9' }
    await world.expect(words, { code: 1, stdout: '', stderr: [advice] }, { env })
  })

  test('is not blamed for a service that cannot be reached through it', async ({ world }) => {
    const proxy = await proxyOf(world)
    const env = { HTTPS_PROXY: proxy.url }
    const call = 'api /user --auth none --host https://localhost:9'
    const ended = { code: 1, stderr: ['✗ localhost:9 cannot be reached'], never: ['the proxy '] }
    await world.expect(call, ended, { env })
    await world.expect(call, ended, { env: { ...env, NO_PROXY: 'localhost' } })
  })
})
