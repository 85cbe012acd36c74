import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClientDocuments } from '../../src/service/credentials/client-documents.ts'
import { listenOnLoopback } from '../support/listen-on-loopback.ts'
import { GRANT_TYPE, HOST, startService, type TestOptions } from '../support/start-service.ts'
import { userAt } from '../support/user.ts'

const CLIENT = 'https://app.example/client.json'
const DOCUMENT = {
  client_id: CLIENT,
  client_name: 'My agent',
  grant_types: [GRANT_TYPE],
  token_endpoint_auth_method: 'none',
}

/** A service, and what the host of the document responds. */
function world(options: TestOptions = {}) {
  const host = {
    requests: [] as string[],
    respond: (): Response | Promise<Response> => Response.json(DOCUMENT),
  }
  const service = startService({
    clients: [],
    dialect: 'rfc8628',
    refreshTokens: { lifetime: 3600 },
    clientIdMetadataDocuments: {
      hosts: ['app.example'],
      async fetch(input) {
        host.requests.push(String(input))
        return host.respond()
      },
    },
    identify: () => ({ user: 'mona' }),
    ...options,
  })
  const ask = async (client_id = CLIENT) => (await service.askForCodes({ client_id })).status
  return { host, service, ask }
}

describe('a client that publishes a document', () => {
  test('logs in and refreshes with one request for the document, also by many at once', async () => {
    const { host, service, ask } = world()
    expect(await Promise.all(Array.from({ length: 10 }, () => ask()))).toEqual(Array(10).fill(200))
    const { refresh_token } = await service.login({ client_id: CLIENT, scope: 'repo' })
    expect((await service.refresh(refresh_token, { client_id: CLIENT })).status).toBe(200)
    expect(host.requests).toEqual([CLIENT])
  })

  test('is shown with its host', async () => {
    const { service } = world()
    const { userCode } = await service.begin({ client_id: CLIENT })
    const { open, send } = userAt((url, init) => service.fetch(String(url), init))
    const { html } = await send(await open(`${HOST}/login/device`), { user_code: userCode })
    const claim =
      'Calls itself <q><bdi>My agent</bdi></q> at <strong dir="ltr">app.example</strong>. Nobody has checked this name.'
    expect(html).toContain(`<dt>App</dt><dd>${claim}</dd>`)
  })

  test.each([
    ...['http://app.example/client.json', 'https://other.example/client.json', 'https://app.example/'],
    ...['https://app.example:8443/client.json', 'https://sub.app.example/client.json'],
    ...[
      'https://app.example/a/../client.json',
      'https://APP.example/client.json',
      `${CLIENT}#a`,
      `${CLIENT}?a`,
    ],
    ...['https://user@app.example/client.json', 'https://app.example', 'client.json'],
  ])('is unknown without a request for %s', async (clientId) => {
    const { host, service, ask } = world()
    expect([await ask(clientId), host.requests, service.errors]).toEqual([401, [], []])
  })

  test.each<[string, () => Response | Promise<Response>]>([
    ['that is missing', () => Response.json(DOCUMENT, { status: 404 })],
    ['of another client', () => Response.json({ ...DOCUMENT, client_id: `${CLIENT}/` })],
    ['without a name', () => Response.json({ ...DOCUMENT, client_name: '' })],
    ['for the code flow', () => Response.json({ ...DOCUMENT, grant_types: ['authorization_code'] })],
    ['with a secret', () => Response.json({ ...DOCUMENT, client_secret: 'secret' })],
    ['with a key', () => Response.json({ ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt' })],
    ['at the end of a redirect', () => new Response(null, { status: 302, headers: { location: '/b' } })],
    ['of more than 64 KB', () => Response.json({ ...DOCUMENT, more: 'a'.repeat(65_536) })],
    ['that is no JSON', () => new Response('<html>')],
    ['of a host that is down', () => Promise.reject(new TypeError('fetch failed'))],
  ])('is unknown with a document %s, and the host of the service is told why', async (_, respond) => {
    const { host, service, ask } = world()
    host.respond = respond
    expect([await ask(), host.requests.length, service.errors.length]).toEqual([401, 1, 1])
    expect(service.errors[0]).toHaveProperty('code')
  })

  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['without headers', {}, 300],
    ['with no-store', { 'cache-control': 'no-store, max-age=900' }, 300],
    ['for 900 seconds', { 'cache-control': 'public, max-age=900' }, 900],
    ['that is 100 seconds old', { 'cache-control': 'max-age=900', age: '100' }, 800],
    ['for shared caches', { 'cache-control': 'max-age=400, s-maxage="600"' }, 600],
    ['with an end', { date: '1 Jan 2026 00:00:00 GMT', expires: '1 Jan 2026 01:00:00 GMT' }, 3600],
    ['for a year', { 'cache-control': 'max-age=31536000' }, 86_400],
  ])('is fetched again when its document %s is no longer fresh', async (_, headers, seconds) => {
    const { host, service, ask } = world()
    host.respond = () => Response.json(DOCUMENT, { headers })
    await ask()
    service.wait(seconds - 1)
    await ask()
    expect(host.requests).toHaveLength(1)
    service.wait(1)
    await ask()
    expect(host.requests).toHaveLength(2)
  })

  test('ends when its document is withdrawn, and survives a day in which it cannot be fetched', async () => {
    const { host, service, ask } = world()
    const { refresh_token } = await service.login({ client_id: CLIENT, scope: 'repo' })
    host.respond = () => Promise.reject(new TypeError('fetch failed'))
    service.wait(300)
    expect((await service.refresh(refresh_token, { client_id: CLIENT })).status).toBe(200)
    await ask()
    expect(host.requests).toHaveLength(2)
    service.wait(24 * 3600 - 1)
    expect(await ask()).toBe(200)
    service.wait(60)
    expect(await ask()).toBe(401)
    host.respond = () => Response.json(DOCUMENT)
    expect(await ask()).toBe(200)
    host.respond = () => new Response('', { status: 410 })
    service.wait(300)
    expect(await ask()).toBe(401)
  })

  test('is unknown once its host is no longer accepted, to the page too', async () => {
    const { service } = world()
    const { access_token } = await service.login({ client_id: CLIENT, scope: 'repo' })
    const headers = new Headers({ authorization: `Bearer ${access_token}` })
    expect(await service.authenticate({ headers })).toHaveProperty('client')
    const later = startService({ store: service.memory, clientIdMetadataDocuments: { hosts: [] } })
    expect(await later.authenticate({ headers })).not.toHaveProperty('client')
  })

  test('is one of a few documents that a network may have fetched', async () => {
    const { host, ask } = world({
      limits: { clientDocuments: { max: 2, window: 60 } },
      clientAddress: () => '192.0.2.1',
    })
    host.respond = () => new Response('', { status: 404 })
    const statuses = []
    for (const name of ['a', 'b', 'c']) statuses.push(await ask(`https://app.example/${name}`))
    expect([statuses, host.requests.length]).toEqual([[401, 401, 429], 2])
  })
})

describe('a document at a private address', () => {
  test.each(['https://127.0.0.1/a', 'https://[::1]/a', 'https://169.254.169.254/a', 'https://db.internal/a'])(
    'such as %s is not asked for',
    async (clientId) => {
      const requests: unknown[] = []
      const documents = createClientDocuments({
        hosts: '*',
        fetch: async (input) => Response.json(requests.push(input)),
      })
      expect(documents.accepts(clientId)).toBe(true)
      await expect(documents.fetch(clientId)).rejects.toMatchObject({ code: 'wrong_host' })
      expect(requests).toEqual([])
    },
  )

  test('is not asked for under a public name either: the connected address counts', async () => {
    let requests = 0
    const { port, close } = await listenOnLoopback(
      createServer((_, response) => response.end(String(++requests))),
    )
    onTestFinished(close)
    const { fetch } = globalThis
    onTestFinished(() => void Object.assign(globalThis, { fetch }))
    // As if the name resolved to this machine.
    Object.assign(globalThis, {
      fetch: (input: string, init: RequestInit) =>
        fetch(input.replace('https://public.example', `http://127.0.0.1:${port}`), init),
    })
    const documents = createClientDocuments({ hosts: ['public.example'] })
    await expect(documents.fetch('https://public.example/a')).rejects.toMatchObject({ code: 'wrong_host' })
    expect(requests).toBe(0)
  })
})
