import { createServer } from 'node:http'
import { listen } from './free-port.js'

/** Servers that respond to polls, each in its own process. */
export const LIMIT = 'bare `node:http`, a constant (the limit)'
export const OURS = 'authgraph/service'
export const PROVIDER = 'oidc-provider'
export const BETTER_AUTH = 'better-auth, `deviceAuthorization`'
export const HONO = 'hono on @hono/node-server, a constant'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
const PENDING = JSON.stringify({
  error: 'authorization_pending',
  error_description: 'the user has not approved or denied yet',
})
const HOUR = 3600
const NO_LIMIT = { most: Number.POSITIVE_INFINITY, within: HOUR }

/** Where codes are asked for and polled. */
const SERVERS = {
  [LIMIT]: {
    start: startBare,
    codes: '/codes',
    poll: '/token',
  },
  [HONO]: {
    start: startHono,
    codes: '/codes',
    poll: '/token',
  },
  [OURS]: {
    start: startOurs,
    codes: '/login/device/code',
    poll: '/login/oauth/access_token',
  },
  [PROVIDER]: {
    start: startProvider,
    codes: '/device/auth',
    poll: '/token',
  },
  [BETTER_AUTH]: {
    start: startBetterAuth,
    codes: '/api/auth/device/code',
    poll: '/api/auth/device/token',
    encoding: 'json',
  },
}

if (process.send !== undefined) {
  const { start, codes, poll, encoding = 'form' } = SERVERS[process.argv[2]]
  const port = await start()
  process.on('message', (what) => {
    if (what === 'memory') globalThis.gc()
    process.send({
      cpu: process.cpuUsage(),
      rss: process.memoryUsage.rss(),
      heap: process.memoryUsage().heapUsed,
    })
  })
  process.once('disconnect', () => process.exit())
  process.send({ port, codes, poll, encoding })
}

/** The fields of a request for codes, and of a poll. */
export const codesFields = { client_id: 'client', scope: 'openid' }
export const pollFields = (device_code) => ({ client_id: 'client', device_code, grant_type: GRANT_TYPE })

/** Reads the body and always sends the same response: the upper limit for any server. */
function startBare() {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(PENDING),
  }
  return listen(
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
}

async function startHono() {
  const { Hono } = await import('hono')
  const { serve } = await import('@hono/node-server')
  const app = new Hono()
  app.post('*', async (context) => {
    const body = await context.req.text()
    return context.body(body === '' ? '' : PENDING, 200, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    })
  })
  return new Promise((resolve) =>
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port)),
  )
}

async function startOurs() {
  const { createService } = await import('../../dist/src/service/index.js')
  const service = createService({
    clients: [{ clientId: 'client', name: 'Client' }],
    authUrl: 'http://localhost',
    expiresIn: HOUR,
    // With a leeway as long as the interval every poll is in time, as those of many patient devices are.
    interval: 5,
    leeway: 5,
    limits: { codesRequests: NO_LIMIT, waitingGrants: Infinity, waitingGrantsInNetwork: Infinity },
  })
  const { url } = await service.listen()
  return Number(new URL(url).port)
}

async function startProvider() {
  const { Provider } = await import('oidc-provider')
  const provider = new Provider('http://localhost', {
    clients: [
      {
        client_id: 'client',
        token_endpoint_auth_method: 'none',
        grant_types: [GRANT_TYPE],
        redirect_uris: [],
        response_types: [],
        application_type: 'native',
      },
    ],
    features: { deviceFlow: { enabled: true } },
    cookies: { keys: ['for the benchmark'] },
  })
  return listen(createServer(provider.callback()))
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
  return listen(createServer(toNodeHandler(auth)))
}
