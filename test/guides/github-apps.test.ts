import { github } from 'authgraph/auth'
import { createSandbox } from 'authgraph/testing'
import { expect, onTestFinished, test } from 'vitest'
import { rsaKeys } from '../support/rsa-keys.ts'
import { repositories } from './github-apps/repositories.ts'

test('the first example of the guide lists the repositories of an installation', async () => {
  const { privateKey, publicKey } = rsaKeys()
  const installations = [{ id: 42, owner: 'octo-org', repositories: [{ id: 1, name: 'hello' }] }]
  const sandbox = createSandbox({
    time: 'real',
    apps: [{ appId: 12345, publicKeys: [publicKey], installations }],
  })
  onTestFinished(sandbox.close)
  const url = await sandbox.listen()
  expect(await repositories(privateKey, github({ baseUrl: url }))).toEqual(['hello'])
})
