import { randomBytes } from 'node:crypto'
import { behindProxies, createService } from 'authgraph/service'
import { redisStore } from 'authgraph/service/redis'

const { AUTH_URL, CLIENT_ID, REDIS_URL, SOCKET = '/run/authgraph/authgraph.sock' } = process.env
for (const [name, value] of Object.entries({ AUTH_URL, CLIENT_ID, REDIS_URL }))
  if (!value) throw new Error(`${name} is not set: add it to /etc/authgraph.env`)

const store = redisStore(REDIS_URL)
const service = createService({
  authUrl: AUTH_URL,
  clients: [{ clientId: CLIENT_ID, name: 'Our command line' }],
  store,
  clientAddress: behindProxies(['unix:']),
  // nginx authenticates the user, and removes this header from client requests.
  identify: ({ header }) => {
    const user = header('x-remote-user')
    if (user === undefined) throw new Error('x-remote-user is missing: requests must come through nginx')
    return { user }
  },
  // Random tokens that only this service's store knows, for a year. For signed tokens, add `verifyToken`.
  issueToken: () => randomBytes(32).toString('base64url'),
  onError: (error) => process.stderr.write(`${error}\n`),
})

const { url, close } = await service.listen({
  path: SOCKET,
  // For nginx, which is in the group of the service. Any other program on this machine could say who the user is.
  mode: 0o660,
  isReady: () =>
    store.ping().then(
      () => true,
      () => false,
    ),
})
process.stdout.write(`listening at ${url}\n`)

process.once('SIGTERM', async () => {
  await close()
  await store.close()
})
