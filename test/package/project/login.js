import assert from 'node:assert/strict'
import { authorizeDevice, github, UnreachableError } from 'authgraph'
import { createAppJwtSigner } from 'authgraph/app-jwt'
import { createApi, oauth } from 'authgraph/auth'
import { deviceAuthorization } from 'authgraph/machines'
import { createService } from 'authgraph/service'

const service = createService({ clients: [{ clientId: 'my-client-id', name: 'My app' }], interval: 1 })
const { url, close } = await service.listen()
const token = await authorizeDevice({
  clientId: 'my-client-id',
  provider: github({ authUrl: url, baseUrl: url }),
  onCodes: ({ userCode }) => service.approve(userCode, 'octocat'),
})
const hostFetch = async (input, init) => Response.json(await service.authenticate(new Request(input, init)))
assert.equal((await createApi({ auth: oauth(token.accessToken), fetch: hostFetch })('/user')).user, 'octocat')
await close()

const gone = authorizeDevice({
  clientId: 'id',
  provider: github({ authUrl: url, baseUrl: url }),
  onCodes: assert.fail,
})
await assert.rejects(gone, (error) => error instanceof UnreachableError && error.name === 'UnreachableError')
assert.equal(deviceAuthorization.id, 'deviceAuthorization')
assert.equal(typeof createAppJwtSigner, 'function')
