import { github } from 'authgraph/auth'
import { createService } from 'authgraph/service'
import { expect, onTestFinished, test } from 'vitest'
import { rsaKeys } from '../support/rsa-keys.ts'
import { repositories } from './github-apps/repositories.ts'

test('the first example of the guide lists the repositories of an installation', async () => {
  const { privateKey, publicKey } = rsaKeys()
  const installations = [{ id: 42, owner: 'octo-org', repositories: [{ id: 1, name: 'hello' }] }]
  const service = createService({
    clients: [],
    apps: [{ appId: 12345, publicKeys: [publicKey], installations }],
  })
  const { url, close } = await service.listen()
  onTestFinished(close)
  expect(await repositories(privateKey, github({ baseUrl: url }))).toEqual(['hello'])
})
