import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type Clock, exportResume, type ResumeRecord, viewOf } from '../../src/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { errorWith } from '../support/error-with.ts'
import { recordAfter, resumeFlow, startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'
import type { Scripted } from '../support/scripted-service.ts'

const { codes, expired, pending, slowDown, token, unknownCode } = responses

const HOUR = 3_600_000

/** A login on a clock that can be set while its timers run on. */
function startOnClock(script: readonly Scripted[], options: object = {}) {
  const time = new VirtualTime()
  const start = time.now
  const clock = time.clock()
  const set = { by: 0, now: () => clock.now() + set.by }
  const flow = startFlow(script, { clock: { ...clock, now: () => set.now() }, ...options }, 1, time)
  return {
    ...flow,
    /** Sets the clock forward, or back. */
    set: (milliseconds: number) => {
      set.by += milliseconds
    },
    /** Replaces what the clock tells. */
    tell: (now: Clock['now']) => {
      set.now = now
    },
    /** Lets it tell the time again. */
    run: () => {
      set.now = () => clock.now() + set.by
    },
    context: () => flow.actor.getSnapshot().context,
    /** Lets time pass, and wakes the device again and again if there is a pause between that. Milliseconds. */
    passes: async (duration: number, pause: number) => {
      for (let passed = 0; passed < duration; passed += pause || duration) {
        if (pause > 0) flow.actor.send({ type: 'wake' })
        await time.advance(pause || duration)
      }
    },
    /** Milliseconds of the timers from the start of the login to its end. */
    lasts: async () => {
      await flow.result()
      return time.now - start
    },
  }
}

/** A record that another process, or another device, resumes. */
async function recordOf(...script: Scripted[]): Promise<ResumeRecord> {
  return (await recordAfter(6000, ...script)).record
}

function resumed(record: ResumeRecord, behind: number, script: Scripted[], options = {}) {
  const time = new VirtualTime()
  time.now = (record.writtenAt ?? time.now) - behind
  return resumeFlow(script, record, time, options)
}

describe('a clock that is set back', () => {
  test.each([
    ['is not woken', 0],
    ['is woken every three seconds', 3000],
  ])('by an hour during a wait delays no poll of a device that %s', async (_, pause) => {
    const flow = startOnClock([codes, pending])
    await flow.time.advance(6000)
    flow.set(-HOUR)
    await flow.passes(300_000, pause)
    expect(flow.sent.length).toBe(1 + Math.floor(306 / 5.251))
  })

  test.each([
    ['in', 3000, 5.25],
    ['after', 8000, 8],
  ])('during a wait after faults, with a wake %s its usual time, delays no poll', async (_, at, gap) => {
    const flow = startOnClock([codes, 'hang', token])
    await flow.time.advance(5250 + 30_000)
    await flow.time.advance(at)
    flow.set(-HOUR)
    flow.actor.send({ type: 'wake' })
    flow.actor.send({ type: 'wake' })
    await flow.result()
    expect(flow.gaps()[1]).toBeCloseTo(30 + gap, 2)
  })

  test.each([
    ['during a wait', 'settled' as const],
    ['during a poll that hangs', 'hanging' as const],
  ])('%s leaves the codes no longer to live', async (_, when) => {
    const flow = startOnClock([codes, when === 'hanging' ? 'hang' : pending, pending])
    await flow.time.advance(6000)
    flow.set(-HOUR)
    await flow.time.advance(34_000)
    expect(viewOf(flow.actor.getSnapshot(), flow.time.now - HOUR).secondsLeft).toBeCloseTo(860, -1)
    expect(await flow.lasts()).toBeCloseTo(900_000, -1)
    expect(flow.sent.length).toBeGreaterThan(150)
  })

  test.each([
    ['the codes are', codes, -HOUR],
    ['a response is', pending, -1000],
  ])('while %s on the way leaves the codes no longer to live', async (_, during, milliseconds) => {
    const flow = startOnClock([], {
      fetch: async (input: string) => {
        const response = input.endsWith('/code') ? codes : pending
        if (response === during) flow.set(milliseconds)
        return Response.json(response)
      },
    })
    expect(await flow.lasts()).toBeCloseTo(900_000, -1)
  })
})

describe('a clock that stands still', () => {
  test('is replaced by the timers: every poll comes in time, and the codes expire', async () => {
    const flow = startOnClock([codes, pending])
    const { now } = flow.time
    flow.tell(() => now)
    // A timer that is not confirmed by the clock may have been a millisecond early.
    expect(await flow.lasts()).toBeLessThan(900_200)
    for (const gap of flow.gaps().slice(0, -1)) expect(gap).toBeCloseTo(5.25, 2)
    expect(flow.sent.length).toBe(1 + Math.floor(900 / 5.25))
  })

  test('is replaced by the timers, however often the device is woken', async () => {
    const flow = startOnClock([codes, pending])
    const { now } = flow.time
    flow.tell(() => now)
    await flow.passes(60_000, 1000)
    expect(flow.sent.length).toBe(1 + Math.floor(60 / 5.25))
  })
})

describe('a clock that is set forward', () => {
  /** As when a device without a battery-backed clock boots. */
  const DECADES = 20 * 365 * 24 * HOUR

  test.each([
    ['pending', pending, 5.25],
    ['slow_down', { error: 'slow_down' }, 12.6],
  ])('past the end: a %s tells that the codes live, for as long as the timers say', async (_, said, gap) => {
    const flow = startOnClock([codes, said, pending])
    await flow.time.advance(1000)
    flow.set(DECADES)
    await flow.time.advance(40_000)
    expect(flow.gaps().slice(0, 2)).toEqual([5.25, gap])
    expect(flow.context().expiresAt).toBe((flow.sent[0]?.at ?? 0) + 900_000 + DECADES)
    expect(await flow.lasts()).toBe(900_000)
  })

  test.each([
    ['expired_token', expired, 'expired'],
    ['no response', new Error('down'), 'expired'],
    ['a silence', 'hang' as const, 'expired'],
    ['incorrect_device_code', unknownCode, 'failed'],
  ])('past the end: one poll, and %s ends it', async (_, said, status) => {
    const flow = startOnClock([codes, pending, said])
    await flow.time.advance(6000)
    flow.set(DECADES)
    expect(await flow.result()).toMatchObject({ status })
    expect(flow.sent).toHaveLength(3)
  })

  test.each([1, 20, 30, 900])(
    'past the end while codes of %i seconds are on their way: they are shown, and polled for',
    async (expires_in) => {
      const onCodes = vi.fn()
      const flow = startOnClock([], {
        onCodes,
        fetch: async (input: string) => {
          if (!input.endsWith('/code')) return Response.json(token)
          flow.set(DECADES)
          return Response.json({ ...codes, interval: 1, expires_in })
        },
      })
      expect(await flow.result()).toMatchObject({ status: expires_in > 1 ? 'authorized' : 'expired' })
      expect(onCodes).toHaveBeenCalledOnce()
    },
  )

  test('by less than the codes live takes that much off their life', async () => {
    const flow = startOnClock([codes, pending])
    await flow.time.advance(6000)
    flow.set(600_000)
    expect(await flow.lasts()).toBe(300_000)
  })
})

describe('a record that is written after the clock was set back by an hour', () => {
  test.each([
    ['during a wait', pending, 6000],
    ['during a poll', 'hang' as const, 7000],
  ])('%s waits one interval, and its codes live no longer', async (_, said, after) => {
    const first = startOnClock([codes, said])
    await first.time.advance(after)
    first.set(-HOUR)
    const now = first.time.now - HOUR
    const record = exportResume(first.actor.getSnapshot(), now) as ResumeRecord
    first.actor.stop()
    const time = new VirtualTime()
    time.now = now
    const flow = resumeFlow([pending], record, time)
    await flow.result()
    expect((flow.sent[0]?.at ?? 0) - now).toBe(5250)
    expect(flow.time.now - now).toBeCloseTo(900_000 - after, -4)
  })
})

describe('a record that is resumed where the clock is behind', () => {
  test('waits what was left of its wait, and its codes live no longer', async () => {
    const flow = resumed(await recordOf(codes, pending), HOUR, [pending])
    const start = flow.time.now
    await flow.result()
    expect((flow.sent[0]?.at ?? 0) - start).toBe(10_500 - 6000)
    expect(flow.time.now - start).toBe(900_000 - 6000)
  })

  test('of an earlier version, which does not say when it was written, waits one interval', async () => {
    const { writtenAt, expiresIn, ...record } = await recordOf(codes, slowDown)
    const time = new VirtualTime()
    time.now = record.nextPollAt - HOUR
    const start = time.now
    const flow = resumeFlow([token], record, time)
    await flow.result()
    expect((flow.sent[0]?.at ?? 0) - start).toBe(12_600)
  })

  test('shows its codes', async () => {
    const onCodes = vi.fn()
    const record = await recordOf(codes)
    resumed(record, HOUR, [token], { onCodes }).actor.stop()
    expect(onCodes).toHaveBeenCalledWith(expect.objectContaining({ expiresAt: record.expiresAt - HOUR }))
  })
})

describe('a record that is resumed where the clock is ahead', () => {
  test('by less than the codes live takes that much off their life', async () => {
    const flow = resumed(await recordOf(codes, pending), -600_000, [pending])
    const start = flow.time.now
    expect(await flow.result()).toEqual({ status: 'expired' })
    expect(flow.time.now - start).toBe(900_000 - 6000 - 600_000)
  })
})

describe('a clock that tells no time', () => {
  test.each([Number.NaN, Number.POSITIVE_INFINITY, undefined])('but %s is refused', (time) => {
    const clock = { ...new VirtualTime().clock(), now: () => time as number }
    expect(() => startFlow([codes], { clock })).toThrow(errorWith('bad_option', 'clock.now()'))
  })

  test('after a while breaks the login, and leaves no timer and no request', async () => {
    const flow = startOnClock([codes, pending])
    const failed = vi.fn()
    flow.actor.subscribe({ error: failed })
    await flow.time.advance(6000)
    flow.tell(() => Number.NaN)
    await flow.time.advance(60_000)
    expect(failed).toHaveBeenCalledOnce()
    expect(String(failed.mock.calls[0]?.[0])).toContain('clock.now()')
    expect(flow.actor.getSnapshot().status).toBe('error')
    expect(flow.sent).toHaveLength(2)
    expect(flow.time.timers).toBe(0)
  })
})

/** Something that happens to the clock, or to the machine, some milliseconds after the last such thing. */
const change = fc.record({
  after: fc.oneof(fc.nat(3000), fc.nat(40_000)),
  what: fc.oneof(
    fc.record({
      type: fc.constant('set' as const),
      by: fc.oneof(fc.integer({ min: -9000, max: 9000 }), fc.integer()),
    }),
    fc.record({ type: fc.constantFrom('stop' as const, 'run' as const, 'wake' as const) }),
  ),
})

const service = fc.record({
  interval: fc.integer({ min: 1, max: 12 }),
  lifetime: fc.integer({ min: 1, max: 120 }),
  responses: fc.array(fc.constantFrom('pending', 'slow_down', 'fault', 'silence'), { maxLength: 8 }),
})

/** Milliseconds a request may take, and waits after faults. */
const LONGEST = { request: 30_000, backoff: 30_000 }

test('whatever becomes of the clock: no poll too early, none too late, over when the codes are', async () => {
  await fc.assert(
    fc.asyncProperty(
      service,
      fc.array(change, { maxLength: 20 }),
      async ({ interval, lifetime, responses }, changes) => {
        let required = interval
        let receivedAt = 0
        let isTrusted = true
        let polls = 0
        const wrong: string[] = []
        const flow = startOnClock([], {
          fetch: async (input: string, { signal }: RequestInit) => {
            if (input.endsWith('/code')) {
              receivedAt = flow.time.now
              return Response.json({ ...codes, interval, expires_in: lifetime })
            }
            const gap = flow.time.now - receivedAt
            if (isTrusted && gap < required * 1000) wrong.push(`poll ${polls}: ${gap} of ${required} s`)
            if (gap > Math.max(LONGEST.backoff, required * 2000) + 100)
              wrong.push(`poll ${polls} after ${gap}`)
            isTrusted = true
            receivedAt = flow.time.now
            const response = responses[polls++] ?? 'pending'
            if (response === 'slow_down') required += 5
            if (response === 'fault') throw new TypeError('fetch failed')
            if (response !== 'silence')
              return Response.json({ error: response === 'pending' ? 'authorization_pending' : response })
            receivedAt += Math.min(LONGEST.request, lifetime * 250)
            return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
          },
        })
        const start = flow.time.now
        let endedAt = Number.POSITIVE_INFINITY
        flow.actor.subscribe({
          complete: () => {
            endedAt = flow.time.now
          },
        })
        let hasJumped = false
        for (const { after, what } of changes) {
          await flow.time.advance(after)
          if (flow.actor.getSnapshot().status !== 'active') break
          if (what.type === 'set') {
            flow.set(what.by)
            hasJumped ||= what.by > 0
          } else if (what.type === 'stop') {
            const now = flow.actor.getSnapshot().context.flow.clock.now()
            flow.tell(() => now)
          } else if (what.type === 'run') {
            flow.run()
            hasJumped = true
          } else {
            // Whether time has passed, or only the clock was set, nobody knows.
            if (hasJumped) isTrusted = false
            flow.actor.send({ type: 'wake' })
          }
        }
        await flow.result()
        expect(wrong).toEqual([])
        expect(flow.actor.getSnapshot().output).toEqual({ status: 'expired' })
        expect(endedAt - start).toBeLessThanOrEqual(lifetime * 1000 + LONGEST.request + 200)
        expect(flow.time.timers).toBe(0)
      },
    ),
    { numRuns: 30 },
  )
})
