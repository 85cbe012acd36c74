import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readChallenge } from '../../src/mcp/challenge.ts'
import { confinedFetch } from '../../src/mcp/confined-fetch.ts'
import { isBelow } from '../../src/mcp/server-metadata.ts'
import { isPrivate } from '../../src/request/private-address.ts'
import { listenOnLoopback } from '../support/listen-on-loopback.ts'
import { CLIENT_ID, CODES_PATH, HOST, TOKEN_PATH } from '../support/start-service.ts'
import { SERVER, world } from './support/world.ts'

describe('a challenge', () => {
  const long = 'x'.repeat(1024 * 1024)
  const many = Array.from({ length: 101 }, (_, index) => `scope-${index}`)
  test.each([
    ['Bearer scope="a b"', { scopes: ['a', 'b'] }],
    ['bearer error=insufficient_scope , scope=a', { error: 'insufficient_scope', scopes: ['a'] }],
    ['Basic realm="Bearer scope=\\"x\\"", scope="b", Bearer scope="a"', { scopes: ['a'] }],
    ['Bearer scope="a", DPoP scope="b", Bearer error="invalid_token"', { scopes: ['a'] }],
    [
      'Bearer error_description="error=\\"insufficient_scope\\", scope=\\"all\\"", scope="a"',
      { scopes: ['a'] },
    ],
    ['Bearer scope="a", scope="all"', { scopes: ['a'] }],
    ['Bearer scope="a \\\\"b \u00e9 c"', { scopes: ['a'] }],
    [`Bearer scope="${many.join(' ')}"`, { scopes: many.slice(0, 100) }],
    [`Bearer scope="${long}"`, { scopes: [] }],
    [`Bearer ${'a="'.repeat(5000)}`, { scopes: [] }],
    ['Bearer', { scopes: [] }],
    ['', { scopes: [] }],
  ])('is read as HTTP writes it: %.60s', (header, challenge) => {
    const headers = { get: () => header } as unknown as Headers
    expect(readChallenge(headers)).toEqual(challenge)
  })
})

test.each([
  ['https://a.example', 'https://a.example/mcp', true],
  ['https://a.example/', 'https://a.example/mcp', true],
  ['https://a.example/mcp', 'https://a.example/mcp/', true],
  ['https://a.example/mcp/', 'https://a.example/mcp', true],
  ['https://a.example/mcp', 'https://a.example/mcp2', false],
  ['https://a.example/mcp/one', 'https://a.example/mcp', false],
  ['https://b.example/mcp', 'https://a.example/mcp', false],
  ['http://a.example/mcp', 'https://a.example/mcp', false],
  ['mcp', 'https://a.example/mcp', false],
  ['https://a.example/mcp?tenant=a', 'https://a.example/mcp?tenant=a', true],
  ['https://a.example/mcp?tenant=b', 'https://a.example/mcp?tenant=a', false],
  ['https://a.example/mcp', 'https://a.example/mcp/one/../..%2fother', false],
  ['https://a.example/mcp', 'https://a.example/mcp/..;/other', false],
  ['https://a.example/mcp', 'https://a.example/mcp/a.%2Fb..c', true],
])('a token for %s is sent to %s: %s', (resource, address, is) => {
  expect(isBelow(resource, new URL(address))).toBe(is)
})

describe('a server is refused', () => {
  test.each([
    ['whose metadata describes another one', { metadata: { resource: `${SERVER}2` } }, 'wrong_host'],
    ['whose metadata lists no issuer', { metadata: { authorization_servers: [] } }, 'bad_response'],
    [
      'with an issuer without https',
      { metadata: { authorization_servers: ['http://a.example'] } },
      'wrong_host',
    ],
    [
      'whose issuer has no device flow',
      { issuer: { device_authorization_endpoint: undefined } },
      'bad_response',
    ],
    ['whose issuer registers no clients', { issuer: { registration_endpoint: undefined } }, 'bad_option'],
  ])('%s', async (_, options, code) => {
    const { over, program, counts } = world(options)
    await expect(over(program().call())).rejects.toMatchObject({ code })
    expect(counts.codes).toBe(0)
  })

  test.each(['/\n', '/$(a)', '/;a', '/\u0430'])(
    'whose issuer has a URL that is not safe to read or to copy: %j',
    async (path) => {
      const { over, program } = world({ metadata: { authorization_servers: [HOST + path] } })
      await expect(over(program().call())).rejects.toThrow('has no valid "authorization_servers"')
    },
  )

  test.each([
    ['with metadata at another origin', `resource_metadata="https://evil.example/metadata"`, 'wrong_host'],
    ['with metadata that is no URL', `resource_metadata="metadata"`, 'wrong_host'],
  ])('%s', async (_, parameters, code) => {
    const { over, program, server, counts } = world()
    const headers = { 'www-authenticate': `Bearer ${parameters}` }
    server.respond = ({ pathname }) =>
      pathname === '/mcp' ? new Response('', { status: 401, headers }) : undefined
    await expect(over(program().call())).rejects.toMatchObject({ code })
    expect(counts).toMatchObject({ documents: 0, codes: 0 })
  })

  test('that wants a token for every path', async () => {
    const { over, program, server } = world()
    server.respond = () => new Response('', { status: 401 })
    await expect(over(program().call())).rejects.toThrow(
      'If it is right, the server offers no login that this client supports',
    )
  })

  test.each([
    ['that fails', () => new Response('', { status: 500 }), 'refused'],
    ['that redirects', () => Response.redirect('https://evil.example', 307), 'redirected'],
    ['that is not JSON', () => new Response('<html>'), 'bad_response'],
    ['that is too large', () => new Response('x'.repeat(300_000)), 'response_too_large'],
  ])('with metadata %s, without a guess where its issuer may be', async (_, respond, code) => {
    const { over, program, server, counts } = world()
    // The document at the root can be read.
    server.respond = ({ pathname }) => {
      if (pathname === '/.well-known/oauth-protected-resource') return Response.json(server.document)
      return pathname.startsWith('/.well-known') ? respond() : undefined
    }
    await expect(over(program().call())).rejects.toMatchObject({ code })
    expect(counts.codes).toBe(0)
  })

  test('that redirects a call: the token goes nowhere else', async () => {
    const { over, loggedIn, server } = world()
    const { call } = await loggedIn()
    server.respond = () => Response.redirect('https://evil.example', 307)
    await expect(over(call())).rejects.toMatchObject({ code: 'redirected' })
  })

  test('whose issuer sends the user to the page of another service', async () => {
    const relay = { verification_uri: 'https://github.com/login/device', user_code: 'WDJB-MJHT' }
    const { over, program, at, shown, store } = world()
    const relaying = at(CODES_PATH, async (forward) =>
      Response.json({ ...(await (await forward()).json()), verification_uri_complete: undefined, ...relay }),
    )
    const error = await over(program({ fetch: relaying }).call()).catch((error) => error)
    expect(error).toMatchObject({ code: 'wrong_host' })
    expect(error.message).toMatch(/^the issuer localhost sends the user to github\.com/)
    expect(shown).toEqual([])
    expect(await store.update(`mcp ${SERVER} login`, (value) => ({ result: value }))).toBeUndefined()
    const allowed = program({ fetch: relaying, verificationHosts: ['github.com'], wait: 0 })
    await expect(over(allowed.call())).rejects.toMatchObject({ code: 'login_pending' })
  })

  test('whose issuer issues a token of another type', async () => {
    const { over, program, approve, at, counts } = world()
    const mac = at(TOKEN_PATH, async (forward) =>
      Response.json({ ...(await (await forward()).json()), token_type: 'mac' }),
    )
    const { call, status } = program({ fetch: mac, onCodes: approve })
    await expect(over(call())).rejects.toThrow('MCP requires a bearer token')
    expect([await status(), counts.revocations]).toMatchObject([{ isLoggedIn: false }, 1])
  })

  test('whose issuer issues a token for another server', async () => {
    const claims = Buffer.from(JSON.stringify({ aud: ['http://localhost:8787/other'] })).toString('base64url')
    const { over, program, approve, counts } = world({
      service: { issueToken: () => `e30.${claims}.c2ln` },
      isRefreshed: false,
    })
    await expect(over(program({ onCodes: approve }).call())).rejects.toThrow(
      'the issued token is not for localhost:8787',
    )
    expect(counts).toMatchObject({ codes: 1, revocations: 1 })
  })
})

test.each([
  ['https://b.example/mcp', 'https://b.example/mcp'],
  ['https://user:secret@b.example/mcp', 'another server'],
  ['https://b.example/mcp?key=secret', 'another server'],
])('an error quotes the URL in metadata, %s, as %s', async (resource, quoted) => {
  const { over, program } = world({ metadata: { resource } })
  await expect(over(program().call())).rejects.toThrow(
    `the metadata of localhost:8787 describes ${quoted}, not ${SERVER}: check the URL of the MCP server`,
  )
})

describe('the issuer of a server', () => {
  const other = 'https://login.example'

  test.each([true, false])('of another site needs a client (%s) or a confirmation', async (hasClient) => {
    const questions: object[] = []
    const { over, program, approve, fetch, server, counts } = world()
    server.document = { ...server.document, authorization_servers: ['http://127.0.0.1'] }
    const elsewhere: typeof fetch = async (input, init) => {
      if (input instanceof Request) return fetch(input)
      const response = await fetch(String(input).replace('//127.0.0.1', '//localhost'), init)
      if (!String(input).includes('.well-known/oauth-authorization-server')) return response
      return Response.json({ ...(await response.json()), issuer: 'http://127.0.0.1' })
    }
    const options = { fetch: elsewhere, onCodes: approve, verificationHosts: ['localhost'] }
    const confirmIssuer = (question: object) => questions.push(question) > 1
    const clients = hasClient ? { 'http://127.0.0.1': { clientId: CLIENT_ID } } : {}
    const { call } = program({ ...options, confirmIssuer, clients })
    if (!hasClient) await expect(over(call())).rejects.toMatchObject({ code: 'wrong_host' })
    expect((await over(call())).status).toBe(200)
    const question = { server: SERVER, issuer: 'http://127.0.0.1' }
    expect([questions, counts.registrations]).toEqual(hasClient ? [[], 0] : [[question, question], 1])
  })

  test('of another site is refused also if the caller has a client at a third', async () => {
    const { over, program } = world({ metadata: { authorization_servers: [other] } })
    const { call } = program({ clients: { [HOST]: { clientId: 'a' } } })
    await expect(over(call())).rejects.toThrow('wants a login at login.example, an issuer of another site')
  })

  test.each([other, 'http://localhost:9'])(
    'is not changed silently to %s: the client of one is never sent to another',
    async (other) => {
      const { over, loggedIn, program, server, counts } = world()
      await over((await loggedIn()).logout())
      server.document = { ...server.document, authorization_servers: [other] }
      const questions: object[] = []
      const refuse = (question: object) => questions.push(question) < 0
      const { codes } = counts
      await expect(over(program({ confirmIssuer: refuse }).call())).rejects.toMatchObject({
        code: 'wrong_host',
        message: expect.stringContaining('another issuer than at the last login'),
      })
      expect(questions).toEqual([{ server: SERVER, issuer: other, previous: HOST }])
      expect(counts.codes).toBe(codes)
    },
  )
})

describe('a private address', () => {
  const words = (text: string) => text.trim().split(/\s+/)

  test.each(
    words(`
      127.0.0.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254 100.64.0.1 0.0.0.0 198.18.0.1
      224.0.0.1 [::1] :: fd00::1 fe80::1 [::ffff:10.0.0.1] ::ffff:7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::7f00:1
      ::7f00:1 2002:7f00:1:: 2001:0:1::1 localhost a.localhost LOCALHOST. printer.local db.internal`),
  )('is %s', (host) => expect(isPrivate(host)).toBe(true))

  test.each(
    words(`
      1.1.1.1 172.32.0.1 192.167.0.1 100.128.0.1 198.20.0.1 11.0.0.1 [2606:4700::1111] 2001:db::1
      ::ffff:1.1.1.1 example.com 10.example.com local.example localhost.example.com fd.example`),
  )('is not %s', (host) => expect(isPrivate(host)).toBe(false))

  test.each(['https://10.0.0.1/', 'https://localhost/', 'https://[fd00::1]/'])(
    'such as %s is not asked for a public server',
    async (address) => {
      const sent: unknown[] = []
      const fetch = async (input: unknown) => Response.json(sent.push(input))
      const { fetch: confined } = confinedFetch(fetch, new URL('https://mcp.example.com'), true)
      await expect(confined(address)).rejects.toMatchObject({ code: 'wrong_host' })
      expect(sent).toEqual([])
      const own = confinedFetch(fetch, new URL('https://192.168.0.9'), true)
      expect((await own.fetch(address)).status).toBe(200)
    },
  )

  test('is not asked under a public name either: the connected address counts', async () => {
    let requests = 0
    const { port, close } = await listenOnLoopback(
      createServer((_, response) => response.end(String(++requests))),
    )
    onTestFinished(close)
    // A name of this machine that is none of the known ones.
    const asPublic: typeof fetch = (input, init) =>
      fetch(String(input).replace('//public.example', '//127.0.0.1'), init)
    const server = new URL('https://mcp.example.com')
    const { fetch: confined } = confinedFetch(asPublic, server, true)
    await expect(confined(`http://public.example:${port}/`)).rejects.toMatchObject({ code: 'wrong_host' })
    expect(requests).toBe(0)
    // The address of a proxy is not that of the host.
    const proxied = confinedFetch(asPublic, server, false)
    expect((await proxied.fetch(`http://public.example:${port}/`)).status).toBe(200)
    // Nor does it make a server private, as its own address does.
    const isPrivateAfter = async (isDirect: boolean) => {
      const own = confinedFetch(asPublic, new URL(`http://public.example:${port}`), isDirect)
      await own.fetch(`http://public.example:${port}/`)
      return own.isPrivate
    }
    expect([await isPrivateAfter(true), await isPrivateAfter(false)]).toEqual([true, false])
  })
})
