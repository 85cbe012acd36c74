import { randomBytes } from 'node:crypto'
import { behindProxies, createService, memoryStore } from '../../dist/src/service/index.js'

/** One instance of a service, in a process of its own: `node instance.js <its address> <port> <Redis, if any>`. */
const [authUrl, port, redis] = process.argv.slice(2)

const store = redis
  ? (await import('../../dist/src/service/stores/redis.js')).redisStore(redis)
  : memoryStore()

const service = createService({
  clients: [{ clientId: 'client', name: 'Client' }],
  authUrl,
  store,
  interval: 1,
  expiresIn: 60,
  // Access tokens of 12 s, so that a session refreshes about five times a minute.
  issueToken: () => ({ token: randomBytes(20).toString('hex'), expiresIn: 12 }),
  refreshTokens: { lifetime: 86_400, reuseWindow: 30 },
  // Whoever the load says they are. In a real service the host knows.
  identify: ({ header }) => ({ user: header('x-user') ?? 'nobody' }),
  clientAddress: behindProxies(['127.0.0.1']),
})
await service.listen({ port: Number(port) })
process.once('disconnect', () => process.exit())
process.send('ready')
