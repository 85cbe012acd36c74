import { describe, expect, test, vi } from 'vitest'
import { startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

const { codes, pending, token } = responses

describe('the lifetime of the codes', () => {
  test('expires even if the service never says that the codes expired', async () => {
    const flow = startFlow([{ ...codes, expires_in: 12 }, pending])
    expect(await flow.result()).toEqual({ status: 'expired' })
    expect(flow.time.now - (flow.sent[0]?.at ?? 0)).toBe(12_000)
    expect(flow.time.timers).toBe(0)
  })

  test('of no seconds is over at once, without a poll and without showing a code', async () => {
    const onCodes = vi.fn()
    const flow = startFlow([{ ...codes, expires_in: 0 }, token], { onCodes })
    expect(await flow.result()).toEqual({ status: 'expired' })
    expect(onCodes).not.toHaveBeenCalled()
    expect(flow.sent).toHaveLength(1)
  })

  test('lets a poll that is on its way when they end bring the token', async () => {
    const flow = startFlow([], {
      fetch: async (input) => {
        if (String(input).endsWith('/code')) return Response.json({ ...codes, expires_in: 6 })
        flow.time.now += 10_000
        return Response.json(token)
      },
    })
    expect(await flow.result()).toMatchObject({ status: 'authorized' })
  })

  test('ends after a poll that came back too late with nothing', async () => {
    const flow = startFlow([{ ...codes, expires_in: 20 }, 'hang'])
    expect(await flow.result()).toEqual({ status: 'expired' })
    expect(flow.gaps()).toEqual([5.25, 13.75])
    expect(flow.time.now - (flow.sent[0]?.at ?? 0)).toBe(24_000)
  })
})
