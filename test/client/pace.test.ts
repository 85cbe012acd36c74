import { describe, expect, test } from 'vitest'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { gapsOf, startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

const { codes, pending, slowDown, token } = responses

describe('the pace of polls', () => {
  test('counts each wait from the arrival of the last response', async () => {
    expect(await gapsOf([codes, pending, pending, token])).toEqual([5.25, 5.25, 5.25])
  })

  test('takes the interval of a slow_down where it is larger, and never goes below the old one and five', async () => {
    const slower = [30, 1].map((interval) => ({ ...slowDown, interval }))
    expect(await gapsOf([codes, ...slower, token])).toEqual([5.25, 37.8, 52.92])
  })

  test.each([
    [pending, 40, [5.25, 40, 5.25]],
    [{ error: 'slow_down' }, 40, [5.25, 40, 12.6]],
    [pending, 1, [5.25, 5.25, 5.25]],
  ])('obeys a Retry-After beside %j of %d seconds, for one wait', async (body, retryAfter, gaps) => {
    const headers = { 'retry-after': String(retryAfter) }
    const first = Response.json(body, { status: 429, headers })
    expect(await gapsOf([codes, first, pending, token])).toEqual(gaps)
  })

  test('lets the margin grow to two at most', async () => {
    const flow = startFlow([codes, ...Array(8).fill({ error: 'slow_down' }), token])
    await flow.result()
    expect(flow.actor.getSnapshot().context.margin).toBe(2)
    expect(flow.gaps().at(-1)).toBe(90)
  })

  test('cuts a wait that no timer can hold, and expires in time', async () => {
    const flow = startFlow([{ ...codes, interval: 1e10, expires_in: 3_000_000 }])
    await flow.time.until(() => flow.actor.getSnapshot().status === 'done', 4_000_000_000)
    expect(flow.actor.getSnapshot().output).toEqual({ status: 'expired' })
    expect(flow.sent).toHaveLength(1)
    expect(flow.time.now - (flow.sent[0]?.at ?? 0)).toBe(3_000_000_000)
  })

  test.each([2 ** 31 - 1, 2 ** 31, 2 ** 32])(
    'sets no timer too long for a wait of %d milliseconds',
    async (wait) => {
      const interval = Math.ceil(wait / 1000)
      const flow = startFlow([{ ...codes, interval, expires_in: 2 * interval }, token])
      await flow.time.until(() => flow.actor.getSnapshot().status === 'done', 2 ** 40)
      expect(flow.sent).toHaveLength(2)
      expect(flow.gaps()[0]).toBeGreaterThanOrEqual(interval)
    },
  )

  test('waits whole milliseconds, and sets one timer for them', async () => {
    let timers = 0
    const time = new VirtualTime()
    const clock = time.clock()
    const setTimeout: typeof clock.setTimeout = (callback, delay) => {
      timers += 1
      return clock.setTimeout(callback, delay)
    }
    // After the third slow_down the wait is 39,916.8 milliseconds.
    const slow = { error: 'slow_down' }
    const flow = startFlow(
      [{ ...codes, interval: 7 }, slow, slow, slow, token],
      { clock: { ...clock, setTimeout } },
      1,
      time,
    )
    await flow.result()
    expect(flow.actor.getSnapshot().context.nextPollAt % 1).not.toBe(0)
    // One for each of five requests, and one for each of four waits.
    expect(timers).toBe(9)
  })
})
