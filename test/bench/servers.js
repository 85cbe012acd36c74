import { createServer } from 'node:http'
import { deviceAt, GRANT_TYPE, UNLIMITED } from './fields.js'
import { listen } from './listen.js'

/** Servers that respond to polls, each in its own process. */
export const LIMIT = 'bare `node:http`, a constant (the limit)'
export const OURS = 'authgraph/service'
/** The same service from another build, such as the one before a change: the environment variable EARLIER names its `dist`. */
export const EARLIER = process.env.EARLIER && 'authgraph/service, the earlier build'
export const PROVIDER = 'oidc-provider'
export const BETTER_AUTH = 'better-auth, `deviceAuthorization`'
export const HONO = 'hono on @hono/node-server, a constant'

const PENDING = JSON.stringify({
  error: 'authorization_pending',
  error_description: 'the user has not approved or denied yet',
})
/** Its headers where it is always sent. */
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
const HOUR = 3600

/** Where codes are asked for and polled. */
const AT_CONSTANTS = { codes: '/codes', poll: '/token' }
const AT_OURS = { codes: '/login/device/code', poll: '/login/oauth/access_token' }
const SERVERS = {
  [LIMIT]: { start: startBare, ...AT_CONSTANTS },
  [HONO]: { start: startHono, ...AT_CONSTANTS },
  [OURS]: { start: () => startOurs(new URL('../../dist', import.meta.url).pathname), ...AT_OURS },
  ...(EARLIER && { [EARLIER]: { start: () => startOurs(process.env.EARLIER), ...AT_OURS } }),
  [PROVIDER]: { start: startProvider, codes: '/device/auth', poll: '/token' },
  [BETTER_AUTH]: {
    start: startBetterAuth,
    codes: '/api/auth/device/code',
    poll: '/api/auth/device/token',
    encoding: 'json',
  },
}

if (process.send !== undefined) {
  const { start, codes, poll, encoding = 'form' } = SERVERS[process.argv[2]]
  const { port, login } = await start()
  process.on('message', async (what) => {
    if (what === 'memory') globalThis.gc()
    process.send({
      refreshTokens: what.logins && (await Promise.all(Array.from({ length: what.logins }, login))),
      cpu: process.cpuUsage(),
      rss: process.memoryUsage.rss(),
      heap: process.memoryUsage().heapUsed,
    })
  })
  process.once('disconnect', () => process.exit())
  process.send({ port, codes, poll, encoding })
}

/** Reads the body and always sends the same response: the upper limit for any server. */
async function startBare() {
  const headers = { ...HEADERS, 'content-length': Buffer.byteLength(PENDING) }
  const port = await listen(
    createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8')
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        response.writeHead(200, headers)
        response.end(body === '' ? '' : PENDING)
      })
    }),
  )
  return { port }
}

async function startHono() {
  const { Hono } = await import('hono')
  const { serve } = await import('@hono/node-server')
  const app = new Hono()
  app.post('*', async (context) => {
    const body = await context.req.text()
    return context.body(body === '' ? '' : PENDING, 200, HEADERS)
  })
  return new Promise((resolve) =>
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve({ port })),
  )
}

async function startOurs(dist) {
  const { createService, memoryStore } = await import(`${dist}/src/service/index.js`)
  const service = createService({
    clients: [{ clientId: 'client', name: 'Client' }],
    authUrl: 'http://localhost',
    expiresIn: HOUR,
    refreshTokens: { lifetime: 24 * HOUR },
    store: memoryStore({ maxBytes: 1e9 }),
    // With a leeway as long as the interval every poll is in time, as those of many patient devices are.
    interval: 5,
    leeway: 5,
    limits: UNLIMITED,
  })
  const { url } = await service.listen()
  const { login } = deviceAt(service, { scope: 'openid' })
  return { port: Number(new URL(url).port), login: async () => (await login()).refresh_token }
}

async function startProvider() {
  const { Provider } = await import('oidc-provider')
  const provider = new Provider('http://localhost', {
    // Its own adapter in memory forgets all but a thousand records.
    adapter: adapterInMemory(),
    clients: [
      {
        client_id: 'client',
        token_endpoint_auth_method: 'none',
        grant_types: [GRANT_TYPE, 'refresh_token'],
        redirect_uris: [],
        response_types: [],
        application_type: 'native',
      },
    ],
    features: { deviceFlow: { enabled: true } },
    rotateRefreshToken: true,
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    cookies: { keys: ['for the benchmark'] },
  })
  const port = await listen(createServer(provider.callback()))
  return {
    port,
    /** Stores what a login leaves behind. */
    async login() {
      const grant = new provider.Grant({ accountId: 'user', clientId: 'client' })
      grant.addOIDCScope('openid')
      const grantId = await grant.save()
      const client = await provider.Client.find('client')
      const shared = { accountId: 'user', client, grantId, gty: 'device_code', scope: 'openid' }
      await new provider.AccessToken(shared).save()
      return new provider.RefreshToken(shared).save()
    },
  }
}

/** Keeps records until they are destroyed, as the memory store of Authgraph does until they expire. */
function adapterInMemory() {
  const records = new Map()
  return class {
    constructor(model) {
      this.key = (id) => `${model}:${id}`
    }
    async upsert(id, payload) {
      records.set(this.key(id), payload)
    }
    async find(id) {
      return records.get(this.key(id))
    }
    async findByUid() {}
    async findByUserCode() {}
    async consume(id) {
      records.get(this.key(id)).consumed = Math.floor(Date.now() / 1000)
    }
    async destroy(id) {
      records.delete(this.key(id))
    }
    async revokeByGrantId(grantId) {
      for (const [key, payload] of records) if (payload.grantId === grantId) records.delete(key)
    }
  }
}

async function startBetterAuth() {
  const { betterAuth } = await import('better-auth')
  const { memoryAdapter } = await import('better-auth/adapters/memory')
  const { toNodeHandler } = await import('better-auth/node')
  const { deviceAuthorization } = await import('better-auth/plugins')
  const auth = betterAuth({
    baseURL: 'http://localhost',
    secret: 'for the benchmark, and for nothing else',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [], deviceCode: [] }),
    plugins: [deviceAuthorization({ interval: '0s', expiresIn: `${HOUR}s` })],
    rateLimit: { enabled: false },
    logger: { disabled: true },
    telemetry: { enabled: false },
  })
  return { port: await listen(createServer(toNodeHandler(auth))) }
}
