import { checkService } from 'authgraph/testing'
import { test } from 'authgraph/testing/vitest'
import { expect } from 'vitest'

test('the service meets every requirement that applies', async ({
  sandbox,
}) => {
  const report = await sandbox.run(
    checkService({
      ...sandbox.client,
      scopes: ['repo', 'gist'],
      approve: ({ userCode }) => sandbox.approve(userCode),
      deny: ({ userCode }) => sandbox.deny(userCode),
    }),
  )
  expect(
    report.results.filter(({ outcome }) => outcome === 'failed'),
  ).toEqual([])
})
