const assert = require('node:assert/strict')
const { authorizeDevice } = require('authgraph')
const { none } = require('authgraph/auth')
const { createService } = require('authgraph/service')

async function main() {
  const service = createService({ clients: [{ clientId: 'my-client-id', name: 'My app' }], interval: 1 })
  const token = await authorizeDevice({
    clientId: 'my-client-id',
    fetch: service.fetch,
    onCodes: ({ userCode }) => service.approve(userCode, 'octocat'),
  })
  assert.match(token.accessToken.reveal(), /^gho_/)
  assert.equal(typeof none, 'function')
}

main()
