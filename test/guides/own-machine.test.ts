import { deviceInput } from 'authgraph/machines'
import { test } from 'authgraph/testing/vitest'
import { expect } from 'vitest'
import { createActor } from 'xstate'
import { logIn } from './own-machine/log-in.ts'

test('the short machine of the guide ends when the user has approved', async ({ sandbox }) => {
  const actor = createActor(logIn(deviceInput(sandbox.client)), { clock: sandbox.clock }).start()
  await sandbox.advance(1)
  expect(actor.getSnapshot().value).toBe('loggingIn')
  await sandbox.approve()
  await sandbox.advance(10)
  expect(actor.getSnapshot().status).toBe('done')
})
