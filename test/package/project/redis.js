import assert from 'node:assert/strict'
import { authorizeDevice } from 'authgraph'
import { createService } from 'authgraph/service'
import { redisStore } from 'authgraph/service/redis'
import { createClient } from 'redis'

const client = await createClient({ url: process.env.REDIS_URL, disableOfflineQueue: true }).connect()
for (const store of [redisStore(client), redisStore(process.env.REDIS_URL)]) {
  const service = createService({ clients: [{ clientId: 'id', name: 'My app' }], interval: 1, store })
  const token = await authorizeDevice({
    clientId: 'id',
    fetch: service.fetch,
    onCodes: ({ userCode }) => service.approve(userCode, 'octocat'),
  })
  assert.match(token.accessToken.reveal(), /^gho_/)
  await store.close()
}
client.destroy()
