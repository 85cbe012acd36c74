import { describe, expect, test } from 'vitest'
import { exportResume, viewOf } from '../../src/index.ts'
import { gapsOf, startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

const { codes, pending, token, unknownCode } = responses

describe('a fault at a poll', () => {
  test('doubles the wait each time up to one minute, and resets it after a response', async () => {
    const down = new Error('down')
    expect(await gapsOf([codes, down, down, down, down, down, pending, token])).toEqual([
      5.25, 10.5, 21, 42, 60, 60, 5.25,
    ])
  })

  test('never shortens an interval of more than a minute', async () => {
    expect(await gapsOf([{ ...codes, interval: 100 }, new Error('down'), token])).toEqual([105, 105])
  })

  test('is retried in time for one more poll before the end', async () => {
    expect(await gapsOf([{ ...codes, expires_in: 14 }, new Error('down'), token])).toEqual([5.25, 7.75])
  })

  test('waits as long as Retry-After says, and never less than without it', async () => {
    const retryAfter = (value: string) =>
      new Response(null, { status: 503, headers: { 'retry-after': value } })
    const dated = retryAfter('Thu, 01 Jan 2026 00:01:30 GMT')
    const gaps = await gapsOf([codes, retryAfter('20'), retryAfter('2'), dated, token])
    expect(gaps).toEqual([5.25, 20, 21, 43.75])
  })

  test.each([
    ['a fault', new Response(null, { status: 503, headers: { 'retry-after': '9'.repeat(400) } })],
    ['pending', Response.json(pending, { headers: { 'retry-after': '9'.repeat(400) } })],
  ])('waits for a Retry-After beyond all numbers until the codes expire, after %s', async (_, response) => {
    const flow = startFlow([codes, response, token])
    await flow.time.advance(6000)
    expect(exportResume(flow.actor.getSnapshot(), flow.time.now)?.nextPollAt).toSatisfy(Number.isFinite)
    expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).not.toHaveProperty('secondsToNextPoll')
    expect(await flow.result()).toEqual({ status: 'expired' })
    expect(flow.sent).toHaveLength(2)
  })

  test.each([
    [Number.NaN, 10.5],
    [0.999, 11.549],
    [-5, 10.5],
    [5, 11.55],
  ])('spreads by a tenth at most where random gives %d', async (random, gap) => {
    expect(await gapsOf([codes, new Error('down'), token], { random: () => random })).toEqual([5.25, gap])
  })

  test('that comes late counts from when it was sent, however long the device slept before', async () => {
    const flow = startFlow([codes, 'hang', token])
    await flow.time.settle()
    flow.time.now += 300_000
    flow.actor.send({ type: 'wake' })
    await flow.result()
    expect(flow.gaps()).toEqual([300, 40.5])
  })
})

describe('incorrect_device_code', () => {
  test('is forgiven twice once the service has known the code', async () => {
    expect(await gapsOf([codes, pending, unknownCode, unknownCode, token])).toEqual([5.25, 5.25, 5.25, 5.25])
  })

  test('ends the flow where no other poll fits before the codes expire', async () => {
    const flow = startFlow([{ ...codes, expires_in: 14 }, pending, unknownCode])
    expect(await flow.result()).toMatchObject({ error: { error: 'incorrect_device_code' } })
    expect(flow.gaps()).toEqual([5.25, 5.25])
  })
})
