import { expect, test } from 'vitest'
import { createDeviceAuthorization } from '../../src/index.ts'
import { createService } from '../../src/service/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

const FLOWS = 8

/** Runs flows whose clocks are fast against a service without leeway; the user approves somewhere in two minutes. */
async function run(rate: number) {
  const time = new VirtualTime()
  const service = createService({
    clients: [{ clientId: 'id', name: 'App' }],
    leeway: 0,
    clock: time.clock(),
  })
  const slowDowns: number[] = []
  const start = time.now
  const actors = Array.from({ length: FLOWS }, () => {
    let polls = 0
    const actor = createDeviceAuthorization({
      clientId: 'id',
      clock: time.clock(rate),
      fetch: time.through(async (input, init) => {
        const response = await service.fetch(input, init)
        const body = await response.clone().json()
        if (body.error !== undefined) polls += 1
        if (body.error === 'slow_down') slowDowns.push(polls)
        return response
      }),
    })
    actor.start()
    return actor
  })
  await time.settle()
  for (const [flow, actor] of actors.entries()) {
    const userCode = actor.getSnapshot().context.codes?.userCode ?? ''
    await time.advance(Math.max(0, start + flow * 15_000 - time.now))
    await service.approve(userCode, 'octocat')
  }
  await time.until(() => actors.every((actor) => actor.getSnapshot().status === 'done'))
  return { slowDowns, results: actors.map((actor) => actor.getSnapshot().output?.status) }
}

test.each([
  ['right', 1, []],
  ['2 % fast', 1.02, []],
  // The first poll is free; the second is early, and the margin grows. No later one is early.
  ['20 % fast', 1.2, [2]],
])('a clock that is %s gets its token of a service without leeway', async (_, rate, polls) => {
  const { results, slowDowns } = await run(rate)
  expect(results).toEqual(Array(FLOWS).fill('authorized'))
  expect([...new Set(slowDowns)]).toEqual(polls)
  expect(slowDowns.length).toBeLessThanOrEqual(FLOWS)
})
