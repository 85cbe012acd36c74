import { describe, expect, test } from 'vitest'
import { assertAudience } from '../../src/mcp/assert-audience.ts'
import { findIssuer } from '../../src/mcp/find-issuer.ts'
import { createIssuerClients, type IssuerClient } from '../../src/mcp/issuer-clients.ts'
import { github } from '../../src/protocol/providers.ts'
import { systemClock } from '../../src/request/clock.ts'
import { Secret } from '../../src/secret.ts'
import { memoryStore } from '../../src/session/index.ts'
import { CLIENT_ID, CODES_PATH, HOST } from '../support/start-service.ts'
import { SERVER, world } from './support/world.ts'

type Fetch = typeof globalThis.fetch

const isOf = (input: Parameters<Fetch>[0], path: string) =>
  !(input instanceof Request) && new URL(input).pathname === path

/** Sends no response, and ignores its signal. */
const silent = () => new Promise<Response>(() => undefined)

describe('an issuer', () => {
  test.each([
    ['https://example.com/mcp', 'https://example.com', true],
    ['https://mcp.example.com/mcp', 'https://example.com', true],
    ['https://example.com/mcp', 'https://login.example.com', true],
    ['https://evilexample.com/mcp', 'https://example.com', false],
    ['https://example.com/mcp', 'https://evilexample.com', false],
    ['https://mcp.example.com/mcp', 'https://login.example.com', false],
  ])('for the server %s may be %s without a question: %s', async (server, issuer, is) => {
    const asked: unknown[] = []
    const fetch: Fetch = async (input) => {
      asked.push(input)
      return new Response('', { status: 404 })
    }
    const choice = {
      server: new URL(server),
      named: [issuer],
      previous: undefined,
      isConfigured: () => false,
    }
    const found = findIssuer({ ...choice, confirm: undefined }, { fetch, clock: systemClock })
    await expect(found).rejects.toMatchObject({ code: is ? 'bad_response' : 'wrong_host' })
    expect(asked.length > 0).toBe(is)
  })

  test('is one of the first three that the server names', async () => {
    const asked = new Set<string>()
    const fetch: Fetch = async (input) => {
      asked.add(new URL(String(input)).host)
      return new Response('', { status: 404 })
    }
    const named = ['a', 'b', 'c', 'd'].map((name) => `https://${name}.example.com`)
    const choice = { server: new URL('https://example.com'), named, previous: undefined, confirm: undefined }
    const found = findIssuer({ ...choice, isConfigured: () => false }, { fetch, clock: systemClock })
    await expect(found).rejects.toMatchObject({ code: 'bad_response' })
    expect([...asked]).toEqual(['a.example.com', 'b.example.com', 'c.example.com'])
  })

  test('without a device flow gives way to the next one that the server names', async () => {
    const { over, program, approve, shown, server } = world()
    server.document = { ...server.document, authorization_servers: [`${HOST}/none`, HOST] }
    const onCodes = (codes: (typeof shown)[0]) => Promise.all([shown.push(codes), approve(codes)])
    expect((await over(program({ onCodes }).call())).status).toBe(200)
    expect(shown).toMatchObject([{ issuer: HOST }])
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
    const clientDocument = 'https://agent.example/client.json'
    const clientOf = async (issuer: object) => {
      const { over, program, at, counts, sent } = world({ issuer })
      const fetch = at(CODES_PATH, () => new Response('{}'))
      await over(program({ fetch, clientDocument }).call()).catch(() => undefined)
      return [new URLSearchParams(String(sent[0]?.body)).get('client_id'), counts.registrations]
    }
    expect(await clientOf({ client_id_metadata_document_supported: true })).toEqual([clientDocument, 0])
    expect(await clientOf({})).toEqual([CLIENT_ID, 1])
  })

  const secret = { client_id: CLIENT_ID, client_secret: 'client secret' }
  const basic = `Basic ${btoa(`${CLIENT_ID}:client+secret`)}`
  test.each([
    ['client_secret_basic', [basic, null, null]],
    ['client_secret_post', [null, CLIENT_ID, 'client secret']],
    ['none', [null, CLIENT_ID, null]],
  ])('that was registered with a secret for %s authenticates so', async (method, expected) => {
    const { over, program, at, sent } = world()
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
    expect([registered, same]).toEqual([2, client])
    await one.forget(HOST, client as IssuerClient)
    const [next] = await register()
    await other.forget(HOST, client as IssuerClient)
    expect([await other.find(HOST), next === client]).toEqual([next, false])
  })

  test.each([
    [
      'refuses',
      () => Response.json({ error: 'access_denied', error_description: 'by an admin' }, { status: 403 }),
      { code: 'refused', description: 'by an admin' },
    ],
    ['responds without a client ID', () => Response.json({}, { status: 201 }), { code: 'bad_response' }],
  ])('is missing if its registration %s, and the next call registers again', async (_, respond, error) => {
    const { over, program, at, approve, counts } = world()
    await expect(over(program({ fetch: at('/register', respond) }).call())).rejects.toMatchObject(error)
    expect((await over(program({ onCodes: approve }).call())).status).toBe(200)
    expect(counts).toMatchObject({ codes: 1, registrations: 1 })
  })
})

test.each([
  ['the server', '/.well-known/oauth-protected-resource/mcp'],
  ['the issuer', '/.well-known/oauth-authorization-server'],
  ['the registration', '/register'],
])('a call is not held for more than ten seconds by the silence of %s', async (_, path) => {
  const { over, program, at, approve, time, counts } = world()
  const began = time.now
  await expect(over(program({ fetch: at(path, silent) }).call())).rejects.toMatchObject({ code: 'timed_out' })
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
