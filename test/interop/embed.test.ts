import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { authorizeDevice, github } from '../../src/index.ts'
import { AccessError, createService, type Service } from '../../src/service/index.ts'
import { CLIENT_ID, GRANT_TYPE } from '../support/start-service.ts'
import { expressApp } from './embed/express.ts'
import { fastifyApp } from './embed/fastify.ts'
import { honoApp } from './embed/hono.ts'
import { nodeServer } from './embed/node.ts'

interface Server {
  address(): AddressInfo | string | null
  close(): unknown
}

/** Paths of the host, which GitHub's API has too. */
const OWN_PATHS = ['/user', '/app']
const OWN = 'Your own page'

/** A path that needs a token. */
const PROTECTED = '/protected'
const REQUIRED = { scopes: ['repo'] }

const SERVERS: Readonly<Record<string, (service: Service) => Promise<Server>>> = {
  async node(service) {
    const server = nodeServer(service).listen(0, '127.0.0.1')
    const gate = service.requireToken(REQUIRED)
    const [mounted] = server.listeners('request') as RequestListener[]
    server.removeAllListeners('request').on('request', async (request, response) => {
      if (request.url !== PROTECTED) return mounted?.(request, response)
      try {
        response.end((await gate(request)).user)
      } catch (error) {
        if (!(error instanceof AccessError)) throw error
        response.writeHead(error.status, error.headers).end(error.message)
      }
    })
    await once(server, 'listening')
    return server
  },
  async express(service) {
    const app = expressApp(service)
    app.get(OWN_PATHS, (_request, response) => void response.send(OWN))
    const gate = service.requireToken(REQUIRED)
    app.set('env', 'test').get(PROTECTED, async (request, response) => {
      response.send((await gate(request)).user)
    })
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  },
  async hono(service) {
    const gate = service.requireToken(REQUIRED)
    const { fetch } = honoApp(service)
      .on('GET', OWN_PATHS, (context) => context.text(OWN))
      .get(PROTECTED, async ({ req, text }) => text(String((await gate(req)).user)))
    // Other tests of this process need the runtime's own Request and Response.
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false })
    await once(server, 'listening')
    return server
  },
  async fastify(service) {
    const app = fastifyApp(service)
    for (const path of OWN_PATHS) app.get(path, async () => OWN)
    const gate = service.requireToken(REQUIRED)
    app.get(PROTECTED, async (request) => (await gate(request)).user)
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { address: () => app.server.address(), close: () => app.close() }
  },
}

/** A service and the client addresses that it received. */
function addressing() {
  const seen = new Set<string | undefined>()
  const errors: unknown[] = []
  const service = createService({
    clients: [{ clientId: CLIENT_ID, name: 'App' }],
    interval: 1,
    clientAddress: ({ address }) => {
      seen.add(address)
      return address
    },
    onError: (error) => errors.push(error),
  })
  return { service, seen, errors }
}

test.concurrent.each(Object.entries(SERVERS))(
  'logs in inside %s, which keeps /user and protects a route',
  async (_name, start) => {
    const { service, seen } = addressing()
    const server = await start(service)
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    const provider = github({ authUrl: url, baseUrl: url })
    const pages: number[] = []
    const token = await authorizeDevice({
      clientId: CLIENT_ID,
      provider,
      scopes: REQUIRED.scopes,
      onCodes: async ({ userCode }) => {
        pages.push((await fetch(`${url}/login/device?user_code=${userCode}`)).status)
        await service.approve(userCode, 'octocat')
      },
    })
    expect(token.scopes).toEqual(REQUIRED.scopes)
    expect(pages).toEqual([200])
    expect([...seen]).toEqual(['127.0.0.1'])
    for (const path of ['', ...OWN_PATHS]) expect(await (await fetch(url + path)).text()).toBe(OWN)
    expect((await fetch(`${url}/login/device/code`)).status).toBe(405)
    const authorization = `Bearer ${token.accessToken.reveal()}`
    expect(await (await fetch(url + PROTECTED, { headers: { authorization } })).text()).toBe('octocat')
    const { status, headers } = await fetch(url + PROTECTED, { headers: { authorization: 'Bearer x' } })
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="authgraph", error="invalid_token", scope="repo"',
    ])
  },
)

/** A service behind a middleware that reads a request before it. */
async function startAfter(middleware: express.RequestHandler) {
  const { service, errors } = addressing()
  const server = createServer(express().use(middleware, service.requestListener)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, errors }
}

/** The client and the host are told why a request fails. */
async function expectReadBefore(response: Response, errors: readonly unknown[]) {
  const message = 'another middleware has read the body: mount the service before body parsers'
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ error: 'server_error', error_description: message })
  expect(errors).toMatchObject([{ message }])
}

const POLL = { client_id: CLIENT_ID, grant_type: GRANT_TYPE, device_code: 'x' }

test.each<[string, express.RequestHandler]>([
  ['was already read', express.urlencoded()],
  [
    'was read in part',
    (request, _, next) => {
      request.once('readable', () => {
        request.read(20)
        next()
      })
    },
  ],
])('reports a body that %s instead of hanging', async (_, middleware) => {
  const { url, errors } = await startAfter(middleware)
  const response = await fetch(`${url}/login/oauth/access_token`, {
    method: 'POST',
    body: new URLSearchParams(POLL),
  })
  await expectReadBefore(response, errors)
  expect((await fetch(`${url}/login/device`)).status).toBe(200)
})

test('responds to a request without a body that another middleware has read to its end', async () => {
  const { url } = await startAfter((request, _, next) => void request.once('end', next).resume())
  expect((await fetch(`${url}/login/device`)).status).toBe(200)
})

test.each(['in part', 'whole'])('reports a web Request whose body was read %s', async (how) => {
  const { service, errors } = addressing()
  const parts = new ReadableStream({
    start(stream) {
      for (const part of ['client_id=another&', String(new URLSearchParams(POLL))])
        stream.enqueue(new TextEncoder().encode(part))
      stream.close()
    },
  })
  const url = 'http://localhost/login/oauth/access_token'
  const request = new Request(url, { method: 'POST', body: parts, duplex: 'half' } as RequestInit)
  const reader = request.body?.getReader()
  await reader?.read()
  if (how === 'whole') await reader?.read()
  reader?.releaseLock()
  const response = await service.fetch(request)
  await expectReadBefore(response, errors)
})
