import { expect, test } from 'vitest'
import { createDeviceAuthorization } from '../../src/index.ts'
import { createService } from '../../src/service/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

/** The codes live for 20.8 seconds: polls fall at 5.25, 10.5 and 15.75, and a last one is allowed at 20.75 at the earliest. */
async function approveAt(milliseconds: number) {
  const time = new VirtualTime()
  const service = createService({
    clients: [{ clientId: 'id', name: 'App' }],
    leeway: 0,
    clock: time.clock(),
  })
  const actor = createDeviceAuthorization({
    clientId: 'id',
    clock: time.clock(),
    fetch: time.through(async (input, init) => {
      const response = await service.fetch(input, init)
      const body = await response.json()
      return Response.json('expires_in' in body ? { ...body, expires_in: 20.8 } : body)
    }),
  })
  actor.start()
  await time.advance(milliseconds)
  await service.approve(actor.getSnapshot().context.codes?.userCode ?? '', 'octocat')
  await time.until(() => actor.getSnapshot().status === 'done')
  return actor.getSnapshot()
}

test('an approval in the last interval before the expiry gets the token, because the last poll drops its margin', async () => {
  const { output, context } = await approveAt(18_000)
  expect(output).toMatchObject({ status: 'authorized' })
  expect(context.polls).toBe(4)
})

test('an approval after the last poll that is allowed comes too late', async () => {
  expect((await approveAt(20_790)).output).toEqual({ status: 'expired' })
})
