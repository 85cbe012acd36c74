import { randomBytes } from 'node:crypto'
import { behindProxies, createService } from '../../dist/src/service/index.js'
import { githubApi } from '../../dist/src/testing/index.js'
import { openStore } from './open-store.js'

/** Runs one instance of a service in a separate process: `node instance.js <its address> <port> <its store> <interval>`. */
const [authUrl, port, where, interval] = process.argv.slice(2)

const service = createService({
  clients: [{ clientId: 'client', name: 'Client' }],
  authUrl,
  // Its `/user` says whose a token is.
  api: githubApi(),
  store: openStore(where),
  interval: Number(interval),
  expiresIn: 70 + 10 * Number(interval),
  // Of a session 12 s, so that it refreshes about five times a minute. Of another login longer than its delivery window.
  issueToken: ({ user }) => ({
    token: randomBytes(20).toString('hex'),
    expiresIn: user.startsWith('user-') ? 300 : 12,
  }),
  refreshTokens: { lifetime: 86_400, reuseWindow: 30 },
  // Whoever the load says they are. In a real service the host knows.
  identify: ({ header }) => ({ user: header('x-user') ?? 'nobody' }),
  clientAddress: behindProxies(['127.0.0.1']),
})
await service.listen({ port: Number(port) })
process.once('disconnect', () => process.exit())
process.send('ready')
