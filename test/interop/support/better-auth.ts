import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { toNodeHandler } from 'better-auth/node'
import { deviceAuthorization } from 'better-auth/plugins'
import type { ShownCodes } from '../../../src/index.ts'
import { listenOnLoopback } from '../../support/listen-on-loopback.ts'
import { userAt } from '../../support/user.ts'

/** Headers of our own page, because better-auth has none. */
const PAGE = {
  'content-type': 'text/html',
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

/** better-auth with its device authorization plugin on a free port, and a signed-in user. */
export async function startBetterAuth() {
  const server = createServer()
  const { url: origin, close } = await listenOnLoopback(server)
  const auth = betterAuth({
    baseURL: origin,
    secret: 'a secret of this test alone, long enough for it',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [], deviceCode: [] }),
    emailAndPassword: { enabled: true },
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    plugins: [
      deviceAuthorization({
        interval: '2s',
        expiresIn: '22s',
        validateClient: async (clientId) => clientId === 'device' || clientId === 'another',
      }),
    ],
  })
  const handle = toNodeHandler(auth)
  server.on('request', (message, response) => {
    if (message.url?.startsWith('/device'))
      response.writeHead(200, PAGE).end('<!doctype html><title>Device</title>')
    else void handle(message, response)
  })

  const { open } = userAt()
  const post = (path: string, body: object) =>
    open(`${origin}/api/auth${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify(body),
    })
  await post('/sign-up/email', { name: 'User', email: 'user@example.com', password: 'correct horse' })

  const decide =
    (decision: 'approve' | 'deny') =>
    async ({ userCode }: ShownCodes) => {
      await open(`${origin}/api/auth/device?user_code=${userCode}`)
      const { html } = await post(`/device/${decision}`, { userCode })
      if (!html.includes('true')) throw new Error(html)
    }

  return {
    issuer: origin,
    deviceAuthorizationEndpoint: `${origin}/api/auth/device/code`,
    tokenEndpoint: `${origin}/api/auth/device/token`,
    resource: `${origin}/api/auth/get-session`,
    approve: decide('approve'),
    deny: decide('deny'),
    close,
  }
}
