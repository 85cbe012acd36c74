import { describe, expect, test } from 'vitest'
import { dpop } from '../../src/dpop/index.ts'
import { authorizeDevice, type ClientAuthentication, exportResume, rfc8628, Secret } from '../../src/index.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'
import { errorWith } from '../support/error-with.ts'
import { startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'
import { scripted } from '../support/scripted-service.ts'

const { codes, token } = responses

const provider = rfc8628({
  deviceAuthorizationEndpoint: 'https://login.example/device',
  tokenEndpoint: 'https://login.example/token',
  issuer: 'https://login.example/',
  revocationEndpoint: 'https://login.example/revoke',
})

const ID = 'the client:ü'

const pair = { ...token, expires_in: 3600, refresh_token: 'refresh-token' }

/** Every request that a login, a refresh and a logout send. */
async function everyRequest(clientAuthentication?: ClientAuthentication, of = provider) {
  const { time, sent, options } = scripted(codes, pair, pair, {})
  const session = createSession({
    ...options,
    clientId: ID,
    provider: of,
    ...(clientAuthentication && { clientAuthentication }),
    resource: ['https://api.example/', 'urn:files'],
    store: memoryStore(),
    onCodes: () => undefined,
  })
  const over = async <Result>(work: Promise<Result>): Promise<Result> => {
    await time.advance(10_000)
    return work
  }
  await over(session.login())
  await time.advance(3_600_000)
  await over(session.token())
  await over(session.logout())
  return sent.map(({ url, headers, body }) => {
    const fields = new URLSearchParams(body)
    return {
      path: new URL(url).pathname,
      authorization: headers.get('authorization'),
      credentials: Object.fromEntries([...fields].filter(([name]) => name.startsWith('client_'))),
      resources: fields.getAll('resource'),
    }
  })
}

const PATHS = ['/device', '/token', '/token', '/revoke']

describe('a client authenticates at the codes request, the poll, the refresh and the revocation', () => {
  test.each<[string, ClientAuthentication | undefined, object, string?]>([
    ['nothing but its id by default', undefined, { client_id: ID }],
    [
      'its secret in the body',
      { method: 'client_secret_post', clientSecret: 's+ e:ü' },
      { client_id: ID, client_secret: 's+ e:ü' },
    ],
    [
      'its id and its secret in a header, each form-encoded first',
      { method: 'client_secret_basic', clientSecret: new Secret('s+ e:ü') },
      {},
      'the+client%3A%C3%BC:s%2B+e%3A%C3%BC',
    ],
  ])('with %s', async (_, authentication, fields, header) => {
    const requests = await everyRequest(authentication)
    expect(requests.map(({ path }) => path)).toEqual(PATHS)
    for (const { credentials, authorization } of requests)
      expect([credentials, authorization]).toEqual([fields, header ? `Basic ${btoa(header)}` : null])
  })

  test('with a new assertion each time', async () => {
    let count = 0
    const requests = await everyRequest({
      method: 'private_key_jwt',
      sign: async ({ clientId, issuer, tokenEndpoint }) =>
        new Secret(`${clientId.reveal()} ${issuer} ${tokenEndpoint} ${count++}`),
    })
    expect(requests.map(({ path }) => path)).toEqual(PATHS)
    for (const [index, { credentials, authorization }] of requests.entries()) {
      expect(credentials).toEqual({
        client_id: ID,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: `${ID} https://login.example/ https://login.example/token ${index}`,
      })
      expect(authorization).toBeNull()
    }
  })

  test('and names its resources at all of them but the revocation', async () => {
    const requests = await everyRequest({ method: 'none' })
    const both = ['https://api.example/', 'urn:files']
    expect(requests.map(({ resources }) => resources)).toEqual([both, both, both, []])
  })
})

test.each<[string, object, string[] | undefined]>([
  ['in the body', {}, undefined],
  ['in the body', {}, ['private_key_jwt']],
  ['in the body', {}, ['client_secret_basic', 'client_secret_post']],
  ['in the header', {}, ['client_secret_basic', 'private_key_jwt']],
  ['in the body', { method: 'client_secret_post' }, ['client_secret_basic']],
])('a client secret is sent %s with %j if the provider lists %j', async (place, method, listed) => {
  const options = { clientSecret: 's', ...method }
  for (const request of await everyRequest(options, { ...provider, clientAuthenticationMethods: listed })) {
    const { credentials, authorization } = request
    const inHeader = place === 'in the header'
    expect(['client_secret' in credentials, authorization !== null]).toEqual([!inHeader, inHeader])
  }
})

test('an assertion is signed again when a request is sent again as JSON', async () => {
  let count = 0
  const flow = startFlow([new Response(null, { status: 415 }), codes], {
    clientAuthentication: { method: 'private_key_jwt', sign: async () => new Secret(`jwt-${count++}`) },
    provider: { ...provider },
  })
  await flow.time.settle()
  expect(new URLSearchParams(flow.sent[0]?.body).get('client_assertion')).toBe('jwt-0')
  expect(JSON.parse(flow.sent[1]?.body ?? '')).toMatchObject({ client_assertion: 'jwt-1' })
})

test('what a server repeats of the credentials is not kept', async () => {
  const authentication = { method: 'client_secret_basic', clientSecret: 'the-client-secret' } as const
  const header = btoa('client-id-in-the-clear:the-client-secret')
  const echo = { error: 'my_error', error_description: `the-client-secret, Basic ${header}, ${header}.` }
  const result = await startFlow([echo], { clientAuthentication: authentication }).result()
  expect(result).toMatchObject({ error: { description: '‹secret›, Basic ‹secret›, ‹secret›.' } })
})

test('a proof that a server repeats is not kept', async () => {
  const fetch: typeof globalThis.fetch = async (_, init) =>
    Response.json({ error: 'my_error', error_description: new Headers(init?.headers).get('dpop') })
  const options = { clientId: 'id', onCodes: () => undefined, dpop: dpop({ required: true }), fetch }
  await expect(authorizeDevice(options)).rejects.toMatchObject({ description: '‹secret›' })
})

test('no credential is in a resume record', async () => {
  for (const clientAuthentication of [
    { clientSecret: 'the-client-secret' },
    { method: 'private_key_jwt', sign: async () => new Secret('the-client-secret') } as const,
  ]) {
    const flow = startFlow([codes], { clientAuthentication, resource: 'urn:files' })
    await flow.time.settle()
    const record = exportResume(flow.actor.getSnapshot(), flow.time.now)
    expect(record?.resource).toEqual(['urn:files'])
    expect(JSON.stringify(record)).not.toContain('the-client-secret')
  }
})

test.each([
  [{ method: 'client_secret_jwt', clientSecret: 's' }, 'clientAuthentication.method'],
  [{ method: 'client_secret_basic' }, 'clientAuthentication.clientSecret'],
  [{ method: 'private_key_jwt' }, 'privateKeyJwt()'],
])('the authentication %j is refused', async (authentication, message) => {
  const clientAuthentication = authentication as ClientAuthentication
  await expect(
    authorizeDevice({ clientId: 'id', clientAuthentication, onCodes: () => undefined }),
  ).rejects.toEqual(errorWith('bad_option', message))
})
