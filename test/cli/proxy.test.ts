import { describe, expect } from 'vitest'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { granted } from './support/scripted-http.ts'
import { CERTIFICATE } from './support/serve.ts'
import { test, type World } from './support/world.ts'

async function proxyOf(world: World) {
  const proxy = await startConnectProxy()
  world.onEnd(proxy.close)
  return proxy
}

describe('a proxy', { concurrent: true, timeout: 60_000 }, () => {
  test('is used for every request over https, except to the hosts in NO_PROXY', async ({ world }) => {
    const proxy = await proxyOf(world)
    const service = await world.scripted({ isSecure: true, polls: [granted('gho_tokenInTheClear')] })
    const login = ['login', '--host', service.url, '--client-id', 'id', '--store', 'file']
    const trusted = { NODE_EXTRA_CA_CERTS: CERTIFICATE }
    // Proxies are often written without a scheme.
    const env = { ...trusted, HTTPS_PROXY: proxy.url.replace('http://', '') }
    expect(await world.run(login, { env })).toMatchObject({ code: 0, stderr: '' })
    expect(await world.run(['api', '/user', '--field', 'a=b'], { env })).toMatchObject({
      code: 0,
      stderr: '',
    })
    const { host } = new URL(service.url)
    expect(new Set(proxy.hosts)).toEqual(new Set([host]))
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/login/device/code',
      '/login/oauth/access_token',
      '/user',
      '/user',
    ])
    const asked = proxy.hosts.length
    expect((await world.run(['status'], { env: { ...env, NO_PROXY: 'localhost' } })).code).toBe(0)
    expect(proxy.hosts).toHaveLength(asked)
  })

  test('is not used for http requests to a loopback address', async ({ world }) => {
    const proxy = await proxyOf(world)
    const service = await world.scripted({ polls: [granted('gho_tokenInTheClear')] })
    const { code } = await world.run(
      ['login', '--host', service.url, '--client-id', 'id', '--store', 'file'],
      {
        env: { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url },
      },
    )
    expect(code).toBe(0)
    expect(proxy.hosts).toEqual([])
  })

  test.for(['ALL_PROXY', 'all_proxy'])(
    'is read from %s unless HTTPS_PROXY is set',
    async (name, { world }) => {
      const [all, https] = await Promise.all([proxyOf(world), proxyOf(world)])
      const { url } = await world.scripted({ isSecure: true })
      const call = (env: Record<string, string>) =>
        world.run(['api', '/user', '--auth', 'none', '--host', url], {
          env: { NODE_EXTRA_CA_CERTS: CERTIFICATE, [name]: all.url, ...env },
        })
      expect(await call({})).toMatchObject({ code: 0, stderr: '' })
      expect(all.hosts).toEqual([new URL(url).host])
      expect(await call({ HTTPS_PROXY: https.url })).toMatchObject({ code: 0 })
      expect(await call({ NO_PROXY: 'localhost' })).toMatchObject({ code: 0 })
      expect([all.hosts.length, https.hosts.length]).toEqual([1, 1])
    },
  )

  test.for([
    ['HTTPS_PROXY', 'me:secret@:x', 'is not a proxy address'],
    ['HTTPS_PROXY', 'http://', 'is not a proxy address'],
    ['ALL_PROXY', 'socks5://me:secret@127.0.0.1:9', 'names a SOCKS proxy'],
  ] as const)(
    'in %s with the value %s is a usage error that does not quote it',
    async ([name, address, words], { world }) => {
      const { code, stdout, stderr } = await world.run(['login', '--client-id', 'id', '--store', 'file'], {
        env: { [name]: address },
      })
      expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
      expect(stdout).toContain(`${name} ${words}`)
      expect(stdout).not.toContain('secret')
    },
  )

  test.for([
    [407, 'requires a user name and a password (status 407)', 'http://USER:PASSWORD@proxy.example.com'],
    [502, 'could not connect to it (status 502)', 'ask the administrator of the proxy'],
    [403, 'refused the connection with status 403', 'Check HTTPS_PROXY and ALL_PROXY'],
  ] as const)(
    'that refuses with %i is distinguished from the service',
    async ([status, why, advice], { world }) => {
      const proxy = await startConnectProxy(status)
      world.onEnd(proxy.close)
      const env = { HTTPS_PROXY: proxy.url.replace('//', '//me:secret@') }
      const [login, api] = await Promise.all([
        world.run(['login', '--client-id', 'id', '--store', 'file'], { env }),
        world.run(['api', '/user', '--auth', 'none'], { env }),
      ])
      const proxied = `cannot be reached: the proxy ${new URL(proxy.url).host} ${why}\n  `
      expect(login).toMatchObject({ code: 1, stderr: '' })
      expect(login.stdout).toContain(`✗ github.com ${proxied}`)
      expect(login.stdout).toContain(advice)
      expect(api.stderr).toContain(`✗ api.github.com ${proxied}`)
      expect(login.stdout + api.stderr).not.toContain('secret')
    },
  )

  test('that cannot be reached is distinguished from the service', async ({ world }) => {
    const login = ['login', '--client-id', 'id', '--store', 'file']
    const { code, stdout } = await world.run(login, { env: { ALL_PROXY: 'http://me:secret@127.0.0.1:9' } })
    expect(code).toBe(1)
    expect(stdout).toContain(
      '✗ github.com cannot be reached: the proxy 127.0.0.1:9 cannot be reached (ECONNREFUSED)',
    )
    expect(stdout).toContain('Check HTTPS_PROXY and ALL_PROXY')
    expect(stdout).not.toContain('secret')
  })

  test('is not blamed for a service that cannot be reached through it', async ({ world }) => {
    const proxy = await proxyOf(world)
    const env = { HTTPS_PROXY: proxy.url }
    const call = ['api', '/user', '--auth', 'none', '--host', 'https://localhost:9']
    const [through, around] = await Promise.all([
      world.run(call, { env }),
      world.run(call, { env: { ...env, NO_PROXY: 'localhost' } }),
    ])
    for (const { code, stderr } of [through, around]) {
      expect(code).toBe(1)
      expect(stderr).toContain('✗ localhost:9 cannot be reached')
      expect(stderr).not.toContain('the proxy ')
    }
  })
})
