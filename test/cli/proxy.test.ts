import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect } from 'vitest'
import { granted } from './support/scripted-http.ts'
import { CERTIFICATE } from './support/serve.ts'
import { test, type World } from './support/world.ts'

/** A proxy that hands connections through, and the hosts that it was asked for. */
async function proxyOf(world: World) {
  const hosts: string[] = []
  const server = createServer().on('connect', (request, client) => {
    const { host, hostname, port } = new URL(`http://${request.url}`)
    hosts.push(host)
    const target = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      target.pipe(client).pipe(target)
    })
    for (const socket of [client, target]) socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  world.onEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { hosts, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('a proxy', { concurrent: true, timeout: 60_000 }, () => {
  test('is used for every request over https, but for the hosts of NO_PROXY', async ({ world }) => {
    const proxy = await proxyOf(world)
    const service = await world.scripted({ isSecure: true, polls: [granted('gho_tokenInTheClear')] })
    const login = ['login', '--host', service.url, '--client-id', 'id', '--store', 'file']
    const trusted = { NODE_EXTRA_CA_CERTS: CERTIFICATE }
    // Many write it without its scheme.
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

  test('never sees what goes to a loopback address without https', async ({ world }) => {
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

  test.for(['socks5://me:secret@127.0.0.1:9', 'me:secret@:x', 'http://'])(
    'at %s is wrong usage, and not repeated',
    async (address, { world }) => {
      const { code, stdout, stderr } = await world.run(['login', '--client-id', 'id', '--store', 'file'], {
        env: { HTTPS_PROXY: address },
      })
      expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
      expect(stdout).toContain('HTTPS_PROXY is no address of a proxy')
      expect(stdout).not.toContain('secret')
    },
  )

  test('that cannot be reached is an error with what to do', async ({ world }) => {
    const { code, stdout } = await world.run(['login', '--client-id', 'id', '--store', 'file'], {
      env: { HTTPS_PROXY: 'http://127.0.0.1:9' },
    })
    expect(code).toBe(1)
    expect(stdout).toContain('github.com cannot be reached')
    expect(stdout).toContain('HTTPS_PROXY, NO_PROXY')
  })
})
