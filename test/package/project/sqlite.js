import assert from 'node:assert/strict'
import { authorizeDevice } from 'authgraph'
import { createService } from 'authgraph/service'
import { sqliteStore } from 'authgraph/service/sql'

const options = { clients: [{ clientId: 'id', name: 'My app' }], interval: 1 }
const first = sqliteStore('authgraph.db')
const service = createService({ ...options, store: first })
const { accessToken } = await authorizeDevice({
  clientId: 'id',
  fetch: service.fetch,
  onCodes: ({ userCode }) => service.approve(userCode, 'octocat'),
})
await first.close()

const second = sqliteStore('authgraph.db')
const { authenticate } = createService({ ...options, store: second })
const headers = new Headers({ authorization: `Bearer ${accessToken.reveal()}` })
assert.equal((await authenticate({ headers })).user, 'octocat')
await second.close()
