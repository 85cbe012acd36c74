import { describe, expect, test } from 'vitest'
import { assertAudience } from '../../src/mcp/assert-audience.ts'
import { findIssuer, type IssuerChoice } from '../../src/mcp/find-issuer.ts'
import { createIssuerClients, type IssuerClient } from '../../src/mcp/issuer-clients.ts'
import { findServerMetadata } from '../../src/mcp/server-metadata.ts'
import { github } from '../../src/protocol/providers.ts'
import { systemClock } from '../../src/request/clock.ts'
import { Secret } from '../../src/secret.ts'
import { memoryStore } from '../../src/session/index.ts'
import { CLIENT_ID, CODES_PATH, HOST } from '../support/start-service.ts'
import { SERVER, world } from './support/world.ts'

type Fetch = typeof globalThis.fetch

const isOf = (input: Parameters<Fetch>[0], path: string) =>
  !(input instanceof Request) && new URL(input).pathname === path

const REFUSED = 'the service refused to register a client (POST localhost/register) with'
const CREATE_CLIENT = 'create a client there, and pass its ID in "clients"'

/** Sends no response, and ignores its signal. */
const silent = () => new Promise<Response>(() => undefined)

/** Looks for an issuer whose document, if any, is not valid: the code of the error, and the origins that were asked. */
async function failToFind(some: Partial<IssuerChoice>, document?: object) {
  const asked = new Set<string>()
  const fetch: Fetch = async (input) => {
    const { origin } = new URL(String(input))
    asked.add(origin)
    return document ? Response.json({ issuer: origin, ...document }) : new Response('', { status: 404 })
  }
  const defaults = {
    named: [],
    wanted: undefined,
    previous: undefined,
    confirm: undefined,
    isConfigured: () => false,
  }
  const choice = { ...defaults, server: new URL('https://example.com'), ...some }
  const found = findIssuer(choice, { fetch, clock: systemClock })
  return [await found.catch(({ code }) => code), ...asked]
}

describe('an issuer', () => {
  test.each([
    ['https://example.com/mcp', 'https://example.com', true],
    ['https://mcp.example.com/mcp', 'https://example.com', true],
    ['https://example.com/mcp', 'https://login.example.com', true],
    ['https://evilexample.com/mcp', 'https://example.com', false],
    ['https://example.com/mcp', 'https://evilexample.com', false],
    ['https://mcp.example.com/mcp', 'https://login.example.com', false],
  ])('for the server %s may be %s without a question: %s', async (server, issuer, is) => {
    const found = await failToFind({ server: new URL(server), named: [issuer] })
    expect(found).toEqual(is ? ['bad_response', issuer] : ['wrong_host'])
  })

  const address = (name: string) => `https://${name}.example.com`
  const elsewhere = 'http://elsewhere.example'
  test.each([
    { previous: undefined, document: undefined, found: ['bad_response', 'a', 'b', 'c'] },
    { previous: address('d'), document: undefined, found: ['bad_response', 'd', 'b', 'c'] },
    // No other issuer is tried instead of a host that must not be asked.
    {
      previous: undefined,
      document: { token_endpoint: elsewhere, device_authorization_endpoint: elsewhere },
      found: ['wrong_host', 'a'],
    },
  ])(
    'is looked for with $found if the last one was $previous',
    async ({ previous, document, found: [code, ...names] }) => {
      const isConfigured = (issuer: string) => previous !== undefined && /\/[bc]\./.test(issuer)
      const named = ['a', 'b', 'c', 'd', 'a'].map(address)
      expect(await failToFind({ named, previous, isConfigured }, document)).toEqual([
        code,
        ...names.map(address),
      ])
    },
  )

  test.each([
    ['b', ['bad_response', 'b']],
    ['e', ['bad_option']],
  ])('is only the one that the caller wants: %s', async (name, [code, ...names]) => {
    // Of another site, and after a login elsewhere: no question is left.
    const server = new URL('https://other.example')
    const named = ['a', 'b'].map(address)
    const found = await failToFind({ server, named, wanted: address(name), previous: address('a') })
    expect(found).toEqual([code, ...names.map(address)])
  })

  test('that another one replaces takes the scopes of its logins with it', async () => {
    const { over, loggedIn, program, server, fetch, approve } = world()
    await loggedIn()
    const other = 'http://127.0.0.1'
    server.document = { ...server.document, authorization_servers: [other] }
    const scopes: (string | null)[] = []
    const elsewhere: Fetch = async (input, init) => {
      if (input instanceof Request) return fetch(input)
      if (isOf(input, CODES_PATH)) scopes.push(new URLSearchParams(String(init?.body)).get('scope'))
      const response = await fetch(String(input).replace(`//${new URL(other).host}/`, '//localhost/'), init)
      if (!isOf(input, '/.well-known/oauth-authorization-server')) return response
      return Response.json({ ...(await response.json()), issuer: other })
    }
    const options = { fetch: elsewhere, verificationHosts: ['localhost'], onCodes: approve }
    expect((await over(program({ ...options, confirmIssuer: () => true }).call('write'))).status).toBe(200)
    expect(scopes).toEqual(['tool:write'])
  })
})

describe('the client at an issuer', () => {
  test('is described by a document only where the issuer accepts one', async () => {
    const document = 'https://agent.example/client.json'
    const clientOf = async (issuer: object, clientDocument?: string) => {
      const { over, program, at, counts, sent } = world({ issuer })
      const fetch = at(CODES_PATH, () => new Response('{}'))
      for (let call = 0; call < 2; call += 1)
        await over(program({ fetch, clientDocument }).call()).catch(() => undefined)
      const ids = sent.map(({ body }) => new URLSearchParams(String(body)).get('client_id'))
      return [...ids, counts.registrations]
    }
    const accepting = { client_id_metadata_document_supported: true }
    expect(await clientOf(accepting, document)).toEqual([document, document, 0])
    expect(await clientOf({}, document)).toEqual([CLIENT_ID, CLIENT_ID, 1])
    expect(await clientOf(accepting)).toEqual([CLIENT_ID, CLIENT_ID, 1])
  })

  const secret = { client_id: CLIENT_ID, client_secret: 'client secret' }
  const basic = `Basic ${btoa(`${CLIENT_ID}:client+secret`)}`
  test.each([
    ['client_secret_basic', 'client_secret_post', [basic, null, null]],
    ['client_secret_post', 'client_secret_basic', [null, CLIENT_ID, 'client secret']],
    ['none', 'client_secret_basic', [null, CLIENT_ID, null]],
    ['an unknown method', 'client_secret_basic', [basic, null, null]],
  ])('registered with a secret for %s authenticates so, or with %s', async (method, listed, expected) => {
    const issuer = { token_endpoint_auth_methods_supported: [listed] }
    const { over, program, at, sent } = world({ issuer })
    const registered = { ...secret, token_endpoint_auth_method: method }
    const registering = at('/register', () => Response.json(registered, { status: 201 }))
    const fetch = at(CODES_PATH, () => new Response('{}'), registering)
    await over(program({ fetch }).call()).catch(() => undefined)
    expect(JSON.parse(String(sent[0]?.body))).toEqual({
      client_name: 'Authgraph',
      application_type: 'native',
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      response_types: [],
      redirect_uris: [],
      token_endpoint_auth_method: 'none',
    })
    expect(new Headers(sent[0]?.headers).get('content-type')).toBe('application/json')
    const [, { headers, body } = {}] = sent
    const fields = new URLSearchParams(String(body))
    const authorization = new Headers(headers).get('authorization')
    expect([authorization, fields.get('client_id'), fields.get('client_secret')]).toEqual(expected)
  })

  test('is the same for two servers that register at once, and is forgotten once', async () => {
    const store = memoryStore()
    let registered = 0
    const fetch: Fetch = async () => Response.json({ client_id: `client ${++registered}` }, { status: 201 })
    const clientsOf = () =>
      createIssuerClients({ given: {}, document: undefined, name: 'a', store, fetch, clock: systemClock })
    const [one, other] = [clientsOf(), clientsOf()]
    const issuer = { url: HOST, provider: github(), scopes: [], acceptsDocuments: false }
    const register = () =>
      Promise.all(
        [one, other].map((clients) =>
          clients.findOrRegister({ ...issuer, registrationEndpoint: `${HOST}/register` }),
        ),
      )
    const [client, same] = await register()
    expect([registered, client, same]).toEqual([2, { clientId: 'client 1' }, client])
    await one.forget(HOST, client as IssuerClient)
    const [next] = await register()
    await other.forget(HOST, client as IssuerClient)
    expect([await other.find(HOST), next === client]).toEqual([next, false])
  })

  test.each([
    [
      'refuses',
      () => Response.json({ error: 'access_denied', error_description: 'by an admin' }, { status: 400 }),
      { code: 'refused', description: 'by an admin' },
    ],
    [
      'needs a login',
      () => new Response('', { status: 403 }),
      { message: `${REFUSED} status 403: ${CREATE_CLIENT}` },
    ],
    [
      'responds with a known error code',
      () => Response.json({ error: 'access_denied' }, { status: 400 }),
      { message: `${REFUSED} status 400: ${CREATE_CLIENT}` },
    ],
    [
      'fails',
      () => new Response('', { status: 503 }),
      { message: expect.stringContaining('the service failed') },
    ],
    [
      'responds without a client ID',
      () => Response.json({}, { status: 201 }),
      {
        code: 'bad_response',
        message: `the registration response (POST localhost/register) has no valid "client_id": ${CREATE_CLIENT}`,
      },
    ],
  ])('is missing if its registration %s, and the next call registers again', async (_, respond, error) => {
    const { over, program, at, approve, counts } = world()
    await expect(over(program({ fetch: at('/register', respond) }).call())).rejects.toMatchObject(error)
    expect((await over(program({ onCodes: approve }).call())).status).toBe(200)
    expect(counts).toMatchObject({ codes: 1, registrations: 1 })
  })
})

test.each([
  ['http://localhost:8787/named', '/named'],
  [undefined, '/.well-known/oauth-protected-resource'],
])('metadata are where the challenge says, here %s, or else at %s', async (resourceMetadata, path) => {
  const document = { resource: SERVER, authorization_servers: [HOST], scopes_supported: ['a', 'b c'] }
  const fetch: Fetch = async (input) =>
    isOf(input, path) ? Response.json(document) : new Response('', { status: 404 })
  const via = { fetch, clock: systemClock }
  const { signal } = new AbortController()
  const found = findServerMetadata(new URL(SERVER), { resourceMetadata }, via, signal)
  expect(await found).toEqual({ resource: SERVER, issuers: [HOST], scopes: ['a'] })
})

test.each([
  ['the server', '/.well-known/oauth-protected-resource/mcp'],
  ['the issuer', '/.well-known/oauth-authorization-server'],
  ['the registration', '/register'],
])('a call is not held for more than ten seconds by the silence of %s', async (_, path) => {
  const { over, program, at, approve, time, counts } = world()
  const began = time.now
  await expect(over(program({ fetch: at(path, silent) }).call())).rejects.toMatchObject({
    code: 'timed_out',
    message: expect.stringMatching(/in time \([\w.:-]+\)$/),
  })
  expect(time.now - began).toBeLessThanOrEqual(10_000)
  expect((await over(program({ onCodes: approve }).call())).status).toBe(200)
  expect(counts).toMatchObject({ codes: 1, registrations: 1 })
})

test.each([
  [SERVER, true],
  [`${SERVER}/`, true],
  [['https://other.example', SERVER], true],
  [`${SERVER}2`, false],
  [['https://other.example'], false],
  [[7], false],
  [[], true],
  [undefined, true],
])('a JWT for %j is accepted from the issuer: %s', (aud, is) => {
  const claims = Buffer.from(JSON.stringify({ aud })).toString('base64url')
  const assert = () => assertAudience(new Secret(`e30.${claims}.c2ln`), SERVER)
  if (is) expect(assert()).toBeUndefined()
  else expect(assert).toThrow('the issued token is not for localhost:8787')
})
