import { test } from 'authgraph/testing/vitest'
import { expect } from 'vitest'
import { createActor } from 'xstate'
import { signIn } from './sign-in.js'

test('shows the code, and signs in the user who approves', async ({
  sandbox,
}) => {
  const { client, clock } = sandbox
  const actor = createActor(signIn, { input: client, clock }).start()
  actor.send({ type: 'signIn' })
  await sandbox.advance(1)
  const { view } = actor.getSnapshot().context
  expect(view).toMatchObject({
    activity: 'waiting',
    userCode: expect.stringMatching(/^\w{4}-\w{4}$/),
  })
  await sandbox.approve(view?.userCode)
  await sandbox.advance(10)
  expect(actor.getSnapshot().value).toBe('signedIn')
  expect(actor.getSnapshot().context.result).toMatchObject({
    token: { tokenType: 'bearer' },
  })
})

test('a user who cancels can try again with a new code', async ({
  sandbox,
}) => {
  const { client, clock } = sandbox
  const actor = createActor(signIn, { input: client, clock }).start()
  const codes = []
  for (let login = 0; login < 2; login += 1) {
    actor.send({ type: 'signIn' })
    await sandbox.advance(1)
    codes.push(actor.getSnapshot().context.view?.userCode)
    actor.send({ type: 'cancel' })
    expect(actor.getSnapshot().value).toBe('signedOut')
    expect(actor.getSnapshot().context.result).toEqual({
      status: 'cancelled',
    })
  }
  expect(new Set(codes).size).toBe(2)
})
