import { describe, expect, test } from 'vitest'
import { exportResume, viewOf } from '../../src/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { gapsOf, startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'
import type { Scripted } from '../support/scripted-service.ts'

// The formulas are in test/machines/device-pace.test.ts.

const { codes, pending, slowDown, token, unknownCode } = responses

const down = new Error('down')

const busy = (retryAfter: string) =>
  new Response(null, { status: 503, headers: { 'retry-after': retryAfter } })

/** A response that also asks to wait, this once. */
const asking = (body: object, retryAfter: string) =>
  Response.json(body, { status: 429, headers: { 'retry-after': retryAfter } })

describe('the seconds between requests', () => {
  test.each<[string, Scripted[], number[]]>([
    ['are the interval and a margin', [codes, pending, pending, token], [5.25, 5.25, 5.25]],
    [
      'grow with each slow_down, and never shrink',
      [codes, { ...slowDown, interval: 30 }, { ...slowDown, interval: 1 }, pending, token],
      [5.25, 37.8, 52.92, 52.92],
    ],
    [
      'grow by half after each fault but the first, to half a minute, until there is a response',
      [codes, down, down, down, down, down, down, pending, token],
      [5.25, 5.25, 7.875, 11.813, 17.719, 26.579, 30, 5.25],
    ],
    [
      'double after each timeout, to half a minute',
      [codes, 'hang', 'hang', token],
      [5.25, 30 + 10.5, 30 + 21],
    ],
    [
      'are at least those of a Retry-After beside pending, once',
      [codes, asking(pending, '40'), pending, token],
      [5.25, 40, 5.25],
    ],
    [
      'are at least those of a Retry-After beside slow_down, once',
      [codes, asking({ error: 'slow_down' }, '40'), pending, token],
      [5.25, 40, 12.6],
    ],
    [
      'are at least those of a Retry-After of a fault',
      [codes, busy('20'), busy('2'), busy('Thu, 01 Jan 2026 00:01:30 GMT'), token],
      [5.25, 20, 21, 43.75],
    ],
    [
      'are the same after a code that is unknown for a moment',
      [codes, pending, unknownCode, unknownCode, token],
      [5.25, 5.25, 5.25, 5.25],
    ],
    // The last wait would end at 10.5 seconds, when all is over.
    ['lose their margin for a last poll', [{ ...codes, expires_in: 10.4 }, pending, token], [5.25, 5]],
    [
      'are fewer after faults for a last poll',
      [{ ...codes, expires_in: 19 }, down, down, token],
      [5.25, 5.25, 7.5],
    ],
    [
      'count from the timeout of a poll, which may take a quarter of the lifetime',
      [{ ...codes, expires_in: 60 }, 'hang', token],
      [5.25, 15 + 10.5],
    ],
  ])('%s', async (_, script, gaps) => {
    expect(await gapsOf(script)).toEqual(gaps)
  })

  test.each([
    [Number.NaN, 7.875],
    [0.5, 8.138],
    [-5, 7.875],
    [5, 8.4],
  ])(
    'spread by a tenth of the interval at most after a second fault where random gives %d',
    async (random, gap) => {
      expect(await gapsOf([codes, down, down, token], { random: () => random })).toEqual([5.25, 5.25, gap])
    },
  )

  test.each<[string, Scripted[], number, number[]]>([
    ['after faults, is due after one interval', [down, down, down], 1, [5.25, 7.875, 5.25]],
    ['late after faults, is due at once', [down, down, down], 8, [5.25, 7.875, 8]],
    ['after a timeout, is due after one interval', ['hang'], 1, [30 + 5.25]],
    ['after a Retry-After, is due when that is over', [busy('12')], 1, [12]],
    ['after a limit, is due when the longer wait is over', [new Response('{}', { status: 429 })], 8, [10.5]],
  ])('of a device that is woken %s', async (_, faults, seconds, gaps) => {
    const flow = startFlow([codes, ...faults, token])
    await flow.time.until(() => flow.actor.getSnapshot().context.faults === faults.length)
    await flow.time.advance(seconds * 1000)
    flow.actor.send({ type: 'wake' })
    flow.actor.send({ type: 'wake' })
    await flow.result()
    expect(flow.gaps()).toEqual([5.25, ...gaps])
  })

  test('count from when a poll was sent, however long the device slept before', async () => {
    const flow = startFlow([codes, 'hang', token])
    await flow.time.settle()
    flow.time.now += 300_000
    flow.actor.send({ type: 'wake' })
    await flow.result()
    expect(flow.gaps()).toEqual([300, 40.5])
    // The sleep is no part of the poll: the codes live no longer.
    expect(flow.actor.getSnapshot().context.expiresAt - (flow.sent[0]?.at ?? 0)).toBe(900_000)
  })
})

test.each([
  ['a fault', busy('9'.repeat(400))],
  ['pending', asking(pending, '9'.repeat(400))],
])('a Retry-After beyond all numbers is waited for until the codes expire, after %s', async (_, response) => {
  const flow = startFlow([codes, response, token])
  await flow.time.advance(6000)
  expect(exportResume(flow.actor.getSnapshot(), flow.time.now)?.nextPollAt).toSatisfy(Number.isFinite)
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).not.toHaveProperty('secondsToNextPoll')
  expect(await flow.result()).toEqual({ status: 'expired' })
  expect(flow.sent).toHaveLength(2)
})

test('an unknown code ends the login where no other poll fits before the codes expire', async () => {
  const flow = startFlow([{ ...codes, expires_in: 14 }, pending, unknownCode])
  expect(await flow.result()).toMatchObject({ error: { error: 'incorrect_device_code' } })
  expect(flow.gaps()).toEqual([5.25, 5.25])
})

test('a wait that no timer can hold is cut, and the codes expire in time', async () => {
  const flow = startFlow([{ ...codes, interval: 1e10, expires_in: 3_000_000 }])
  await flow.time.until(() => flow.actor.getSnapshot().status === 'done', 4_000_000_000)
  expect(flow.actor.getSnapshot().output).toEqual({ status: 'expired' })
  expect(flow.sent).toHaveLength(1)
  expect(flow.time.now - (flow.sent[0]?.at ?? 0)).toBe(3_000_000_000)
})

test('a wait has whole milliseconds, and one timer', async () => {
  let timers = 0
  const time = new VirtualTime()
  const clock = time.clock()
  const setTimeout: typeof clock.setTimeout = (callback, delay) => {
    timers += 1
    return clock.setTimeout(callback, delay)
  }
  // After the third slow_down the wait is 39,916.8 milliseconds.
  const slow = { error: 'slow_down' }
  const script = [{ ...codes, interval: 7 }, slow, slow, slow, token]
  const flow = startFlow(script, { clock: { ...clock, setTimeout } }, 1, time)
  await flow.result()
  expect(flow.actor.getSnapshot().context.nextPollAt % 1).not.toBe(0)
  // One for each of five requests, and one for each of four waits.
  expect(timers).toBe(9)
})
