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
  // Whoever the load says they are. In a real service the host knows.
  identify: ({ header }) => ({ user: header('x-user') ?? 'nobody' }),
  clientAddress: behindProxies(['127.0.0.1']),
})
await service.listen({ port: Number(port) })
process.once('disconnect', () => process.exit())
process.send('ready')
