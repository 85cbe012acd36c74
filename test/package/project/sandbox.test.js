import { authorizeDevice } from 'authgraph'
import { devicePaths } from 'authgraph/testing'
import { test } from 'authgraph/testing/vitest'
import { expect } from 'vitest'

test('logs in at the sandbox', async ({ sandbox }) => {
  const onCodes = ({ userCode }) => sandbox.approve(userCode)
  const token = await sandbox.run(authorizeDevice({ ...sandbox.client, onCodes }))
  expect(token.accessToken.reveal()).toMatch(/^gho_/)
})

test('finds the paths of the machine', () => {
  expect(devicePaths().length).toBeGreaterThan(100)
})
